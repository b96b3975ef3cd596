"""Decides what file tools may not touch: taskdoc packages and the store's folder. Git's folder is read-only.

Every path and pattern passes here as written (`paths.segments`, `patterns.compiled`), and every name that a walk
meets. On disk, `root_directory` also checks each directory that it opens and `hard_links` each file, by what they
really are.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from gatepost.domain.protected_names import PACKAGE, closed, folded
from gatepost.domain.refusals import ForbiddenPath
from gatepost.files import temporary_names

_LONGEST_SHOWN: Final = 200
_WAY: Final = "Read a taskdoc with recall_mind and change it with change_mind. Do not touch its package."
_OWN_WAY: Final = "Use other paths."
_GIT_WAY: Final = "It can be read. Change it with git itself, or ask the user to."
_GIT_NAMES: Final = frozenset((".git", "git~1"))
"""Git's folder or the file that points to it, and its short name on Windows."""


def admit(segments: Sequence[str]) -> None:
    """Refuse a path to something closed, whether or not it exists."""
    if any(map(closed, segments)):
        raise forbidden("/".join(segments))


def admit_change(segments: Sequence[str], *, field: str = "path") -> None:
    """Refuse any change in git's folder, and creating, moving or deleting one."""
    if any(map(is_git, segments)):
        raise of_git("/".join(segments), field=field)


def is_git(name: str) -> bool:
    """Whether git would read this name as its folder, on any filesystem."""
    return folded(name).partition(":")[0].rstrip(". \t\r\n") in _GIT_NAMES


def kept(name: str) -> bool:
    """Whether an entry of this name, and every directory above it, must stay in place."""
    return closed(name) or is_git(name)


def admit_pattern(pattern: str, literals: Iterable[str], *, field: str = "pattern") -> None:
    """Refuse a pattern that names something closed. One that could merely match it finds nothing inside."""
    if any(map(closed, literals)):
        raise forbidden(pattern, field=field)


def forbidden(path: str, *, field: str = "path") -> ForbiddenPath:
    """The refusal for something closed, by name or content. The same whether or not it exists."""
    if _is_home(path):
        return ForbiddenPath(f"`{field}`: {short(path)} is closed to file tools: it belongs to Gatepost.", _OWN_WAY)
    return ForbiddenPath(
        f"`{field}`: {short(path)} is closed to file tools: it is a taskdoc package (`*.tsk`), or part of one.",
        _WAY,
    )


def of_git(path: str, *, field: str = "path") -> ForbiddenPath:
    """The refusal to change git's own folder."""
    return ForbiddenPath(f"`{field}`: {short(path)} is read-only: git runs commands named in its folder.", _GIT_WAY)


def holding(path: str, inner: str) -> ForbiddenPath:
    """The refusal for a directory that contains something closed."""
    what = f"`path`: {short(path)} holds {short(inner)}, which is closed to"
    so = "so it can be neither copied nor moved nor deleted."
    if is_git(inner.rpartition("/")[2]):
        return ForbiddenPath(f"{what} writing: {so}", _GIT_WAY)
    return ForbiddenPath(f"{what} file tools: {so}", _OWN_WAY if _is_home(inner) else _WAY)


def _is_home(path: str) -> bool:
    """Whether the first closed name in a path is the store's folder or a temporary name."""
    for name in path.split("/"):
        if temporary_names.is_scratch(name):
            return True
        if closed(name):
            return PACKAGE not in folded(name)
    return False


def short(path: str) -> str:
    """A path as refusals show it."""
    return path if len(path) <= _LONGEST_SHOWN else f"{path[:_LONGEST_SHOWN]}…"
