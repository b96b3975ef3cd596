"""Paths: relative POSIX, bounded. The only conversion between a text and the segments that a backend works with.

A new name is printable ASCII. What is on a disk already may be called anything, and every path that is shown can be
sent back: a byte that is no UTF-8 is shown as `\\xff`, a backslash before an `x` as `\\x5c`.
"""

import os
import re
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard

MAX_DEPTH: Final = 16
MAX_SEGMENT: Final = 80
MAX_PATH: Final = 4_096

_ESCAPED: Final = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")

Segments = tuple[str, ...]
ROOT: Final[Segments] = ()


def segments(path: str, *, field: str = "path") -> Segments:
    """A path's segments, `.` and inner `..` resolved; the root is the empty tuple.

    Refuses what can be no path at all, and what the guard keeps closed. Whether the names may be new ones is for
    `plain` to say.
    """
    if not isinstance(path, str):
        raise _bad(field, f"must be a string, not {type(path).__name__}")
    if not path:
        raise _bad(field, "must not be empty; the root is `.`")
    if "\0" in path or not _encodable(path):
        raise _bad(field, f"{guard.short(ascii(path))} must be printable ASCII")
    if path.startswith("/"):
        raise _bad(field, f"{guard.short(path)} must be relative, with `/` between segments")
    found: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not found:
                raise _bad(field, f"{guard.short(path)} leaves the root")
            guard.admit(found)
            found.pop()
        elif part not in ("", "."):
            found.append(named(part))
    guard.admit(found)
    if len(path) > MAX_PATH:
        raise _bad(field, f"{guard.short(path)} has {len(path):,} characters; the limit is {MAX_PATH:,}")
    return tuple(found)


def plain(found: Segments, *, field: str = "path", known: int = 0) -> Segments:
    """The same segments. Refuses too many, and an invalid name after the first `known` ones, which exist."""
    for name in found[known:]:
        if not name.isascii() or not name.isprintable():
            raise _bad(field, f"{guard.short(shown(found))} does not exist, and a new name must be printable ASCII")
        if "\\" in name:
            raise _bad(field, f"{guard.short(shown(found))} must be relative, with `/` between segments")
        if len(name) > MAX_SEGMENT:
            problem = f"has a segment of {len(name)} characters; the limit is {MAX_SEGMENT}"
            raise _bad(field, f"{guard.short(shown(found))} {problem}")
    return bounded(found, field=field)


def bounded(found: Segments, *, field: str = "path") -> Segments:
    """The same segments. Refuses too many."""
    if len(found) > MAX_DEPTH:
        raise _bad(field, f"{guard.short(shown(found))} has {len(found)} segments; the limit is {MAX_DEPTH}")
    return found


def under(path: str, name: str) -> str:
    """The shown path of an entry in a directory."""
    return f"{path}/{shown((name,))}"


def shown(found: Segments) -> str:
    """Segments as a path for replies. The root is `.`."""
    path = "/".join(found) or "."
    if path.isascii() and "\\x" not in path:
        return path
    return os.fsencode(path).replace(b"\\x", b"\\x5cx").decode(errors="backslashreplace")


def named(part: str) -> str:
    """The name on disk for a segment of a shown path."""
    if "\\x" not in part:
        return part
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), os.fsencode(part)))


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def _bad(field: str, problem: str) -> InvalidInput:
    return InvalidInput([(field, problem)])
