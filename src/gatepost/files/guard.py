"""What file tools keep out of: taskdoc packages, and the store's own folder.

One choke point. `paths.segments` asks it of every path and `patterns.compiled` of every pattern, as written; walks
ask it of every name they meet; on disk `descent` asks it of every directory that is entered and `kin` of every file
that is opened, by what they really are.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from gatepost.domain.closed import PACKAGE, closed, folded
from gatepost.domain.refusals import ForbiddenPath
from gatepost.files import scratch

__all__ = ["admit", "admit_pattern", "closed", "forbidden", "holding", "untold"]

_LONGEST_SHOWN: Final = 200
_WAY: Final = "Read a taskdoc with recall_mind and change it with change_mind; leave its package alone."
_OWN_WAY: Final = "Leave it alone; work on other paths."


def admit(segments: Sequence[str]) -> None:
    """Refuse a path that leads to or into something closed; whether it exists makes no difference."""
    if any(map(closed, segments)):
        raise forbidden("/".join(segments))


def admit_pattern(pattern: str, literals: Iterable[str], *, field: str = "pattern") -> None:
    """Refuse a pattern that spells out something closed. One that only could match it finds nothing inside."""
    if any(map(closed, literals)):
        raise forbidden(pattern, field=field)


def forbidden(path: str, *, field: str = "path") -> ForbiddenPath:
    """The refusal for what is closed, by its name or by what it really is: the same whatever is there."""
    if _is_home(path):
        return ForbiddenPath(f"`{field}`: {_short(path)} is closed to file tools: it is Gatepost's own.", _OWN_WAY)
    return ForbiddenPath(
        f"`{field}`: {_short(path)} is closed to file tools: it is a taskdoc package (`*.tsk`), or part of one.",
        _WAY,
    )


def holding(path: str, inner: str) -> ForbiddenPath:
    """The refusal for a directory that has to stay where and what it is, for what is closed below it."""
    way = _OWN_WAY if _is_home(inner) else _WAY
    return ForbiddenPath(
        f"`path`: {_short(path)} holds {_short(inner)}, which is closed to file tools: so it can be neither copied "
        "nor moved nor deleted.",
        way,
    )


def untold(path: str) -> ForbiddenPath:
    """The refusal for a file that has several names where nobody can say whether one of them is closed."""
    return ForbiddenPath(
        f"`path`: {_short(path)} has further names (hard links), and there is too much below the root to see "
        "whether one of them is in a taskdoc package (`*.tsk`).",
        "Give it a copy of its own by other means, or open a smaller directory. " + _WAY,
    )


def _is_home(path: str) -> bool:
    """Whether the first closed name of a path is the store's folder, or that of work under way."""
    for name in path.split("/"):
        if scratch.is_scratch(name):
            return True
        if closed(name):
            return PACKAGE not in folded(name)
    return False


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_SHOWN else f"{path[:_LONGEST_SHOWN]}…"
