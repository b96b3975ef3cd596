"""Unified diffs from known changes: the cost depends on the change, not on the file."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

CONTEXT: Final = 3

_MOST_PAIRS: Final = 250_000
"""The limit for lines before times lines after in a comparison. A larger change is shown as one block."""
_NO_END: Final = "\\ No newline at end of file\n"


class EditSpan(NamedTuple):
    """A range of the old text, and the range of the new text that replaces it."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class UnifiedDiff(NamedTuple):
    """A unified diff with its number of added and removed lines."""

    text: str
    added: int
    removed: int


def unified(path: str, old: str, new: str, spans: Sequence[EditSpan]) -> UnifiedDiff:
    """The difference between two texts that are equal except for these spans."""
    rows: list[str] = []
    before = after = lines = more = 0
    for hunk in _hunks(old, new, spans):
        start, found = _hunk(old, new, hunk)
        # Counts from where the last count ended: a file may be long and have many changes.
        lines += old.count("\n", before, start)
        moved = start + hunk[0].new_start - hunk[0].old_start
        more += new.count("\n", after, moved)
        before, after = start, moved
        rows += (_header(found, lines, more), *found)
    if not rows:
        return UnifiedDiff("", 0, 0)
    signs = [row[0] for row in rows]
    return UnifiedDiff(f"--- {path}\n+++ {path}\n{''.join(rows)}", signs.count("+"), signs.count("-"))


def _hunks(old: str, new: str, spans: Sequence[EditSpan]) -> Iterator[list[EditSpan]]:
    """The spans as whole lines, with nearby ones joined."""
    hunk: list[EditSpan] = []
    for span in _changed_lines(old, new, spans):
        if hunk and old.count("\n", hunk[-1].old_end, span.old_start) > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(span)
    if hunk:
        yield hunk


def _changed_lines(old: str, new: str, spans: Sequence[EditSpan]) -> list[EditSpan]:
    merged: list[EditSpan] = []
    for span in spans:
        lines = _whole_lines(old, new, span)
        if merged and lines.old_start <= merged[-1].old_end:
            first = merged.pop()
            lines = EditSpan(first.old_start, lines.old_end, first.new_start, lines.new_end)
        merged.append(lines)
    return [span for span in merged if old[span.old_start : span.old_end] != new[span.new_start : span.new_end]]


def _whole_lines(old: str, new: str, span: EditSpan) -> EditSpan:
    before = span.old_start - _line_start(old, span.old_start)
    after = 0
    if not _begins_line(old, span.old_end) or not _begins_line(new, span.new_end):
        after = _line_end(old, span.old_end) - span.old_end
    return EditSpan(span.old_start - before, span.old_end + after, span.new_start - before, span.new_end + after)


def _hunk(old: str, new: str, spans: Sequence[EditSpan]) -> tuple[int, list[str]]:
    """The start of a hunk in the old text, and its lines."""
    start, end = spans[0].old_start, spans[-1].old_end
    for _ in range(CONTEXT):
        start = _line_start(old, max(0, start - 1))
        end = _line_end(old, end)
    at, rows = start, list[str]()
    for span in spans:
        rows += _rows(" ", _lines(old[at : span.old_start]))
        rows += _compared(_lines(old[span.old_start : span.old_end]), _lines(new[span.new_start : span.new_end]))
        at = span.old_end
    return start, [*rows, *_rows(" ", _lines(old[at:end]))]


def _header(rows: Sequence[str], before: int, after: int) -> str:
    signs = [row[0] for row in rows]
    return f"@@ -{_range(before, len(rows) - signs.count('+'))} +{_range(after, len(rows) - signs.count('-'))} @@\n"


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if len(old) * len(new) > _MOST_PAIRS:
        yield from _rows("-", old)
        yield from _rows("+", new)
        return
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            yield from _rows(" ", old[old_start:old_end])
        else:
            yield from _rows("-", old[old_start:old_end])
            yield from _rows("+", new[new_start:new_end])


def _rows(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _lines(text: str) -> list[str]:
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])


def _range(before: int, lines: int) -> str:
    return f"{before + (lines > 0)},{lines}"


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)
