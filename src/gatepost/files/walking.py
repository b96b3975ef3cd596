"""Walks through a tree of files: listing, globbing, searching, and what must be known before a tree is moved.

Both homes lend their directories as a `Tree`; the order, what is closed and where to resume are settled here. Walks
keep a stack of their own: a tree on disk may be deeper than Python's.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard, patterns, search
from gatepost.files.paths import Segments, bounded, shown
from gatepost.files.patterns import Glob, State
from gatepost.files.protocol import Entry, Kind, Match
from gatepost.files.windows import count

MAX_LINE: Final = 2_000
"""Characters of a line that a search shows."""


class Tree(Protocol):
    """What a home lends to a walk."""

    def children(self, at: Segments) -> Sequence[Entry]:
        """What stands directly in a directory, sorted by name; nothing if the directory is gone by now."""

    def text(self, at: Segments) -> str | None:
        """A file's text; none if it is not UTF-8 text, is gone by now, or is too large to search."""


def listed(tree: Tree, at: Segments, after: str | None, limit: int | None) -> tuple[Entry, ...]:
    """What stands directly in a directory, behind `after`, at most `limit` entries."""
    behind, most = position("after", after), _most(limit)
    entries = tree.children(at)
    if behind is not None:
        entries = [entry for entry in entries if (*at, entry.name) > behind]
    return tuple(entries[:most])


def glob(tree: Tree, pattern: str, start: Segments, after: str | None, limit: int | None) -> tuple[str, ...]:
    """The paths below a directory that match, in path order, behind `after`, at most `limit` of them.

    A closed directory may match by its own name; nothing inside it ever does. Links are named, not entered.
    """
    sought = patterns.compiled(pattern)
    behind, most = position("after", after), _most(limit)
    walk = _walk(tree, start, sought, behind)
    paths = (shown(at) for at, _, matched in walk if matched and (behind is None or at > behind))
    return tuple(islice(paths, most))


def grep(
    tree: Tree,
    pattern: str,
    start: Segments,
    start_kind: Kind,
    glob: str | None,
    after: tuple[str, int] | None,
    limit: int | None,
) -> tuple[Match, ...]:
    """The lines that a regular expression finds, by path and line, behind `after`, at most `limit` of them.

    `start` is a file, or a directory whose files are searched all the way down. `glob` is relative to it, and for a
    file is asked about the file's name. Files that hold no text are passed over.
    """
    sought = search.compiled(pattern)
    only = patterns.compiled("**" if glob is None else glob, field="glob")
    behind, last_line = _line_position(after)
    most = _most(limit)
    lines = (
        Match(path=shown(at), line=line, text=_clipped(text))
        for at in _files(tree, start, start_kind, only, behind)
        for line, text in sought.lines(tree.text(at) or "", shown(at))
        if at != behind or line > last_line
    )
    return tuple(islice(lines, most))


def holds_closed(tree: Tree, at: Segments) -> str | None:
    """The path of something closed that stands below a directory, if any: nobody may move, copy or delete that."""
    walk = _walk(tree, at, _EVERYTHING, None)
    return next((shown(below) for below, entry, _ in walk if guard.closed(entry.name)), None)


def admit_transfer(tree: Tree, source: Segments, kind: Kind, target: Segments) -> None:
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
    for at, _, _ in _walk(tree, source, _EVERYTHING, None):
        bounded(target + at[len(source) :], field="target")


def position(field: str, after: str | None) -> Segments | None:
    """Where to resume: a place in the order, not a path to open, so it may name what no longer or never exists."""
    if after is None:
        return None
    if not isinstance(after, str):
        raise InvalidInput([(field, f"must be a path of an earlier answer, not {type(after).__name__}")])
    return tuple(part for part in after.split("/") if part not in ("", "."))


_EVERYTHING: Final = patterns.compiled("**")


def _files(tree: Tree, start: Segments, kind: Kind, only: Glob, behind: Segments | None) -> Iterator[Segments]:
    """The files to search, in path order; those before `behind` are left out."""
    if kind != "directory":
        if only.step(only.start, start[-1]).matches and (behind is None or start >= behind):
            yield start
        return
    for at, entry, matched in _walk(tree, start, only, behind):
        if matched and entry.kind == "file" and not guard.closed(at[-1]):
            yield at


def _walk(
    tree: Tree, start: Segments, sought: Glob, behind: Segments | None
) -> Iterator[tuple[Segments, Entry, bool]]:
    """Everything below a directory that a pattern leads to, in path order, and whether it matches.

    Leaves out what lies wholly before `behind`, what cannot lead to a match, and the inside of closed directories.
    """
    waiting: list[tuple[Segments, Entry, State]] = []

    def enter(at: Segments, state: State) -> None:
        for entry in reversed(tree.children(at)):
            below = (*at, entry.name)
            if behind is None or below >= behind or behind[: len(below)] == below:
                after = sought.step(state, below[-1])
                if after.matches or after.goes_on:
                    waiting.append((below, entry, after))

    enter(start, sought.start)
    while waiting:
        at, entry, state = waiting.pop()
        yield at, entry, state.matches
        if entry.kind == "directory" and state.goes_on and not guard.closed(at[-1]):
            enter(at, state)


def _line_position(after: object) -> tuple[Segments | None, int]:
    if after is None:
        return None, 0
    if not isinstance(after, tuple) or len(after) != 2:
        raise InvalidInput([("after", "must be the path and the line of an earlier answer's last match")])
    path, line = after
    return position("after", path), count("after", line)


def _most(limit: int | None) -> int | None:
    return None if limit is None else count("limit", limit)


def _clipped(line: str) -> str:
    """A line as it is shown: what is too long for an answer ends with how much is missing."""
    if len(line) <= MAX_LINE:
        return line
    return f"{line[:MAX_LINE]}… ({len(line) - MAX_LINE:,} more characters)"
