"""Paths: relative POSIX, ASCII, bounded. The one way from a text to the segments that a home works with."""

from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard

MAX_DEPTH: Final = 16
MAX_SEGMENT: Final = 80

_LONGEST_SHOWN: Final = 200

Segments = tuple[str, ...]
ROOT: Final[Segments] = ()


def segments(path: str, *, field: str = "path") -> Segments:
    """A path's segments, `.` and inner `..` resolved; the root is the empty tuple.

    Refuses what is no path of ours, and what the guard keeps closed.
    """
    if not isinstance(path, str):
        raise _bad(field, f"must be a text, not {type(path).__name__}")
    if not path:
        raise _bad(field, "must not be empty; the root is `.`")
    if not path.isascii() or not path.isprintable():
        raise _bad(field, f"{_short(ascii(path))} must be printable ASCII")
    if path.startswith("/") or "\\" in path:
        raise _bad(field, f"{_short(path)} must be relative, with `/` between segments")
    found: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not found:
                raise _bad(field, f"{_short(path)} leaves the root")
            guard.admit(found)
            found.pop()
        elif part not in ("", "."):
            found.append(_checked(part, path, field))
    guard.admit(found)
    return bounded(tuple(found), field=field)


def bounded(found: Segments, *, field: str = "path") -> Segments:
    """The same segments, unless they are too deep."""
    if len(found) > MAX_DEPTH:
        raise _bad(field, f"{_short(shown(found))} has {len(found)} segments; at most {MAX_DEPTH} are taken")
    return found


def shown(found: Segments) -> str:
    """Segments as a path; the root is `.`."""
    return "/".join(found) or "."


def _checked(part: str, path: str, field: str) -> str:
    if len(part) > MAX_SEGMENT:
        raise _bad(field, f"{_short(path)} has a segment of {len(part)} characters; at most {MAX_SEGMENT} will do")
    return part


def _bad(field: str, problem: str) -> InvalidInput:
    return InvalidInput([(field, problem)])


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_SHOWN else f"{path[:_LONGEST_SHOWN]}…"
