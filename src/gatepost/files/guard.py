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

__all__ = [
    "admit",
    "admit_change",
    "admit_pattern",
    "closed",
    "forbidden",
    "holding",
    "is_git",
    "kept",
    "of_git",
    "short",
]

_LONGEST_SHOWN: Final = 200
_WAY: Final = "Read a taskdoc with recall_mind and change it with change_mind; leave its package alone."
_OWN_WAY: Final = "Leave it alone; work on other paths."
_GIT_WAY: Final = "It can be read. Change it with git itself, or ask the user to."
_GIT_NAMES: Final = frozenset((".git", "git~1"))
"""Git's folder, or the file that leads to it, and the short name that Windows gives it."""


def admit(segments: Sequence[str]) -> None:
    """Refuse a path that leads to or into something closed; whether it exists makes no difference."""
    if any(map(closed, segments)):
        raise forbidden("/".join(segments))


def admit_change(segments: Sequence[str], *, field: str = "path") -> None:
    """Refuse to change anything in git's folder, or to make one, move one or take one away."""
    if any(map(is_git, segments)):
        raise of_git("/".join(segments), field=field)


def is_git(name: str) -> bool:
    """Whether git, on some disk or other, would take this name for its folder's."""
    return folded(name).partition(":")[0].rstrip(". \t\r\n") in _GIT_NAMES


def kept(name: str) -> bool:
    """Whether what has this name has to stay where and what it is, and so does every directory above it."""
    return closed(name) or is_git(name)


def admit_pattern(pattern: str, literals: Iterable[str], *, field: str = "pattern") -> None:
    """Refuse a pattern that spells out something closed. One that only could match it finds nothing inside."""
    if any(map(closed, literals)):
        raise forbidden(pattern, field=field)


def forbidden(path: str, *, field: str = "path") -> ForbiddenPath:
    """The refusal for what is closed, by its name or by what it really is: the same whatever is there."""
    if _is_home(path):
        return ForbiddenPath(f"`{field}`: {short(path)} is closed to file tools: it is Gatepost's own.", _OWN_WAY)
    return ForbiddenPath(
        f"`{field}`: {short(path)} is closed to file tools: it is a taskdoc package (`*.tsk`), or part of one.",
        _WAY,
    )


def of_git(path: str, *, field: str = "path") -> ForbiddenPath:
    """The refusal to change what git reads its own settings from."""
    return ForbiddenPath(
        f"`{field}`: {short(path)} is closed to writing: git runs commands that are named in its folder.", _GIT_WAY
    )


def holding(path: str, inner: str) -> ForbiddenPath:
    """The refusal for a directory that has to stay where and what it is, for what is closed below it."""
    what = f"`path`: {short(path)} holds {short(inner)}, which is closed to"
    so = "so it can be neither copied nor moved nor deleted."
    if is_git(inner.rpartition("/")[2]):
        return ForbiddenPath(f"{what} writing: {so}", _GIT_WAY)
    return ForbiddenPath(f"{what} file tools: {so}", _OWN_WAY if _is_home(inner) else _WAY)


def _is_home(path: str) -> bool:
    """Whether the first closed name of a path is the store's folder, or that of work under way."""
    for name in path.split("/"):
        if temporary_names.is_scratch(name):
            return True
        if closed(name):
            return PACKAGE not in folded(name)
    return False


def short(path: str) -> str:
    """A path as refusals show it."""
    return path if len(path) <= _LONGEST_SHOWN else f"{path[:_LONGEST_SHOWN]}…"
