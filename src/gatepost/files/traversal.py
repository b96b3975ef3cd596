"""Walks through a tree of files: listing, globbing, searching, and what must be known before a tree is moved.

Both backends lend their directories as a `ReadableTree`; the order, what is closed or ignored and where to resume
are settled here. Walks keep a stack of their own: a tree on disk may be deeper than Python's.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Protocol

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard, ignore, patterns, search
from gatepost.files.ignore import Ignored
from gatepost.files.paths import Segments, bounded, named, shown
from gatepost.files.patterns import Glob
from gatepost.files.protocol import Entry, Kind, Match
from gatepost.files.search import Search
from gatepost.files.text_window import count

MAX_LINE: Final = 2_000
"""Characters of a line that a search shows."""

Seen = tuple[str, Kind, str | None]
"""A name in a directory, what it stands for, and a file's text if it is at hand already."""


class ReadableTree(Protocol):
    """What a home lends to a walk."""

    def seen(self, at: Segments) -> Sequence[Seen]:
        """What stands directly in a directory, sorted by name; nothing if the directory is gone by now."""

    def searchable(self, at: Segments) -> bytes | None:
        """A file's bytes; none if it is gone by now, or cannot be searched."""


def listed(at: Segments, entries: Sequence[Entry], after: str | None, limit: int | None) -> tuple[Entry, ...]:
    """What stands directly in a directory, behind `after`, at most `limit` entries."""
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
    """The paths below a directory that match, in path order, behind `after`, at most `limit` of them.

    A closed directory may match by its own name; nothing inside it ever does. Links are named, not entered. What
    git ignores is left out, unless `ignored`.
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
    """The lines that a regular expression finds, by path and line, behind `after`, at most `limit` of them.

    `start` is a file, or a directory whose files are searched all the way down. `glob` is relative to it, and for a
    file is asked about the file's name. Files that hold no text are passed over, and so is what git ignores, unless
    `ignored` or it is where the search starts.
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
    """The path of something below a directory that has to stay, if any: nobody may move, copy or delete that."""
    walk = _walk(tree, at, _EVERYTHING, None, ignored=True)
    return next((shown(below) for below, _, _ in walk if guard.kept(below[-1])), None)


def admit_transfer(tree: ReadableTree, source: Segments, kind: Kind, target: Segments) -> None:
    """Refuse to give what stands at `source` a place where it cannot be, before anything is touched.

    Into itself, past the depth limit, or with something closed in it. That the source exists and the target does
    not is for the home to see.
    """
    if kind != "directory":
        return
    if target[: len(source)] == source and target != source:
        raise InvalidInput([("target", f"{shown(target)} lies inside {shown(source)} itself")])
    inner = holds_closed(tree, source)
    if inner is not None:
        raise guard.holding(shown(source), inner)
    for at, _, _ in _walk(tree, source, _EVERYTHING, None, ignored=True):
        bounded(target + at[len(source) :], field="target")


def position(field: str, after: str | None) -> Segments | None:
    """Where to resume: a place in the order, not a path to open, so it may name what no longer or never exists."""
    if after is None:
        return None
    if not isinstance(after, str):
        raise InvalidInput([(field, f"must be a path of an earlier answer, not {type(after).__name__}")])
    return tuple(named(part) for part in after.split("/") if part not in ("", "."))


_EVERYTHING: Final = patterns.compiled("**")
_closed: Final = lru_cache(maxsize=4_096)(guard.closed)
"""The guard's answer, by the name alone: walks meet the same names again and again."""


def _lines(tree: ReadableTree, sought: Search, files: Iterable[tuple[Segments, str | None]]) -> Iterator[Match]:
    """What is found in these files. Most hold nothing, and cost no more than to see that."""
    made = tuple.__new__
    for at, at_hand in files:
        data = tree.searchable(at) if at_hand is None else at_hand.encode()
        for number, line in sought.lines(data) if data else ():
            # As `Match(…)`, in half the time.
            yield made(Match, (shown(at), number, line if len(line) <= MAX_LINE else _clipped(line)))


def _files(
    tree: ReadableTree, start: Segments, kind: Kind, only: Glob, behind: Segments | None, *, ignored: bool
) -> Iterator[tuple[Segments, str | None]]:
    """The files to search, in path order, and their texts if at hand; those before `behind` are left out."""
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
    """Everything below a directory that matches a pattern, in path order: what it is, and its text if at hand.

    Leaves out what lies wholly before `behind`, what cannot lead to a match, the inside of closed directories, and
    what git ignores, unless `ignored`.
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
    """A directory that a walk is in, and what is left of it."""

    __slots__ = ("always", "at", "left", "left_out", "sought")

    def __init__(self, tree: ReadableTree, at: Segments, sought: Glob, left_out: Ignored | None) -> None:
        seen = tree.seen(at)
        self.at = at
        self.sought = sought
        self.left = iter(seen)
        self.left_out = left_out
        if left_out and any(name == ignore.FILE for name, _, _ in seen):
            self.left_out = left_out.inside(at)
        self.always = None if sought.asks else sought.step("")
        """Where every name leads, if the pattern asks nothing of it, as `**` does not."""


def _line_position(after: object) -> tuple[Segments | None, int]:
    if after is None:
        return None, 0
    if not isinstance(after, tuple) or len(after) != 2:
        raise InvalidInput([("after", "must be the path and the line of an earlier answer's last match")])
    path, line = after
    return position("after", path), count("after", line)


def _flag(ignored: object) -> bool:
    if not isinstance(ignored, bool):
        raise InvalidInput([("ignored", f"must be true or false, not {type(ignored).__name__}")])
    return ignored


def _most(limit: int | None) -> int | None:
    return None if limit is None else count("limit", limit)


def _clipped(line: str) -> str:
    """A line that is too long for an answer as it is shown: at its end, how much is missing."""
    return f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"
