"""Listing, globbing and searching a tree of files, and the checks before a tree is moved.

Both backends provide their directories as a `ReadableTree`. This module decides on the order, on what is closed or
ignored, and where to resume. Walks use their own stack: a tree on disk may be deeper than Python's.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Protocol

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard, ignore, patterns, search
from gatepost.files.ignore import Ignored
from gatepost.files.paths import Segments, bounded, named, shown
from gatepost.files.patterns import Glob
from gatepost.files.protocol import Entry, Kind, Match
from gatepost.files.search import Search
from gatepost.files.text_window import count

MAX_LINE: Final = 2_000
"""The most characters of a line that a search shows."""

WalkEntry = tuple[str, Kind, str | None]
"""A name in a directory, its kind, and the text of a file if it is already in memory."""


class ReadableTree(Protocol):
    """What a backend provides to a walk."""

    def walk_entries(self, at: Segments) -> Sequence[WalkEntry]:
        """The entries of a directory that a walk needs, sorted by name. Empty if the directory no longer exists."""

    def searchable(self, at: Segments) -> bytes | None:
        """A file's bytes. None if it no longer exists or cannot be searched."""


def listed(at: Segments, entries: Sequence[Entry], after: str | None, limit: int | None) -> tuple[Entry, ...]:
    """The entries of a directory after `after`, at most `limit`."""
    behind, most = position("after", after), _most(limit)
    if behind is not None:
        entries = [entry for entry in entries if (*at, named(entry.name)) > behind]
    return tuple(entries[:most])


def glob(
    tree: ReadableTree,
    pattern: str,
    start: Segments,
    after: str | None,
    limit: int | None,
    *,
    ignored: bool = False,
) -> tuple[str, ...]:
    """The paths below a directory that match, in path order, after `after`, at most `limit`.

    A closed directory may match by its own name, but nothing inside it does. Links are listed, not entered. Leaves
    out what git ignores, unless `ignored`.
    """
    sought = patterns.compiled(pattern)
    behind, most = position("after", after), _most(limit)
    walk = _walk(tree, start, sought, behind, ignored=_flag(ignored))
    paths = (shown(at) for at, _, _ in walk if behind is None or at > behind)
    return tuple(islice(paths, most))


def grep(
    tree: ReadableTree,
    pattern: str,
    start: Segments,
    start_kind: Kind,
    glob: str | None,
    after: tuple[str, int] | None,
    limit: int | None,
    *,
    ignored: bool = False,
) -> tuple[Match, ...]:
    """The lines that a regular expression finds, by path and line, after `after`, at most `limit`.

    `start` is a file, or a directory that is searched recursively. `glob` is relative to it; for a file it is
    matched against the file's name. Skips files that are not text, and what git ignores unless `ignored` or it is
    `start`.
    """
    sought = search.compiled(pattern)
    only = patterns.compiled("**" if glob is None else glob, field="glob")
    behind, last_line = _line_position(after)
    most = _most(limit)
    lines = _lines(tree, sought, _files(tree, start, start_kind, only, behind, ignored=_flag(ignored)))
    if behind is not None:
        last_path = shown(behind)
        lines = (match for match in lines if match.path != last_path or match.line > last_line)
    return tuple(islice(lines, most))


def holds_closed(tree: ReadableTree, at: Segments) -> str | None:
    """The path of a closed entry below a directory, if any. It must not be moved, copied or deleted."""
    walk = _walk(tree, at, _EVERYTHING, None, ignored=True)
    return next((shown(below) for below, _, _ in walk if guard.kept(below[-1])), None)


def admit_transfer(tree: ReadableTree, source: Segments, kind: Kind, target: Segments) -> None:
    """Refuse a move or copy that cannot work, before anything changes.

    Into itself, beyond the depth limit, or with something closed in it. The backend checks that the source exists
    and the target does not.
    """
    if kind != "directory":
        return
    if target[: len(source)] == source and target != source:
        raise InvalidInput([("target", f"{shown(target)} is inside {shown(source)}")])
    inner = holds_closed(tree, source)
    if inner is not None:
        raise guard.holding(shown(source), inner)
    for at, _, _ in _walk(tree, source, _EVERYTHING, None, ignored=True):
        bounded(target + at[len(source) :], field="target")


def position(field: str, after: str | None) -> Segments | None:
    """Where to resume: a place in the order, not a path to open, so it need not exist."""
    if after is None:
        return None
    if not isinstance(after, str):
        raise InvalidInput([(field, f"must be a path from an earlier result, not {type(after).__name__}")])
    return tuple(named(part) for part in after.split("/") if part not in ("", "."))


_EVERYTHING: Final = patterns.compiled("**")
_closed: Final = lru_cache(maxsize=4_096)(closed)
"""The guard's decision by name, cached: walks meet the same names again and again."""


def _lines(tree: ReadableTree, sought: Search, files: Iterable[tuple[Segments, str | None]]) -> Iterator[Match]:
    """The matches in these files."""
    made = tuple.__new__
    for at, at_hand in files:
        data = tree.searchable(at) if at_hand is None else at_hand.encode()
        for number, line in sought.lines(data) if data else ():
            # Like `Match(…)`, in half the time.
            yield made(Match, (shown(at), number, line if len(line) <= MAX_LINE else _clipped(line)))


def _files(
    tree: ReadableTree, start: Segments, kind: Kind, only: Glob, behind: Segments | None, *, ignored: bool
) -> Iterator[tuple[Segments, str | None]]:
    """The files to search, in path order, with their text if it is in memory. Skips those before `behind`."""
    if kind != "directory":
        if only.step(start[-1]).matches and (behind is None or start >= behind):
            yield start, None
        return
    for at, found, text in _walk(tree, start, only, behind, ignored=ignored):
        if found == "file" and not _closed(at[-1]):
            yield at, text


def _walk(
    tree: ReadableTree, start: Segments, sought: Glob, behind: Segments | None, *, ignored: bool
) -> Iterator[tuple[Segments, Kind, str | None]]:
    """Everything below a directory that matches a pattern, in path order, with its kind and text if in memory.

    Skips what lies before `behind`, what cannot lead to a match, the inside of closed directories, and what git
    ignores unless `ignored`.
    """
    entered = [_Level(tree, start, sought, None if ignored else Ignored.where(start, tree.searchable))]
    while entered:
        level = entered[-1]
        at, sought, always, left_out = level.at, level.sought, level.always, level.left_out
        for name, kind, text in level.left:
            below = (*at, name)
            if behind is not None and below < behind and behind[: len(below)] != below:
                continue
            after = always or sought.step(name)
            enters = kind == "directory" and after.goes_on and not _closed(name)
            if not (after.matches or enters) or (left_out and left_out.holds(below, directory=kind == "directory")):
                continue
            if after.matches:
                yield below, kind, text
            if enters:
                entered.append(_Level(tree, below, after, left_out))
                break
        else:
            entered.pop()


class _Level:
    """A directory that a walk is in, and its remaining entries."""

    __slots__ = ("always", "at", "left", "left_out", "sought")

    def __init__(self, tree: ReadableTree, at: Segments, sought: Glob, left_out: Ignored | None) -> None:
        entries = tree.walk_entries(at)
        self.at = at
        self.sought = sought
        self.left = iter(entries)
        self.left_out = left_out
        if left_out and any(name == ignore.FILE for name, _, _ in entries):
            self.left_out = left_out.inside(at)
        self.always = None if sought.asks else sought.step("")
        """The next state for any name, if the pattern accepts every name, as `**` does."""


def _line_position(after: object) -> tuple[Segments | None, int]:
    if after is None:
        return None, 0
    if not isinstance(after, tuple) or len(after) != 2:
        raise InvalidInput([("after", "must be the path and line of the last match of an earlier result")])
    path, line = after
    return position("after", path), count("after", line)


def _flag(ignored: object) -> bool:
    if not isinstance(ignored, bool):
        raise InvalidInput([("ignored", f"must be true or false, not {type(ignored).__name__}")])
    return ignored


def _most(limit: int | None) -> int | None:
    return None if limit is None else count("limit", limit)


def _clipped(line: str) -> str:
    """A line that is too long to show, with a note of how much is missing."""
    return f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"
