"""Aligned lines: tables, trees, bars, labelled paragraphs."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from gatepost.surfaces.terminal import Terminal, columns, pad

_GAP: Final = "  "
_NARROWEST: Final = 6
_BAR: Final = 8

Give = Sequence[tuple[int, int]]


class Cell(Struct, frozen=True):
    """A text, already clean, and how to paint it."""

    text: str
    style: str = ""


def table(terminal: Terminal, rows: Sequence[Sequence[Cell]], *, give: Give, indent: int = 0) -> list[str]:
    """Rows in aligned columns. `give` says which columns give way where the width is short, and down to what."""
    if not rows:
        return []
    widths = [max(columns(row[index].text) for row in rows) for index in range(len(rows[0]))]
    _squeeze(terminal, widths, give, indent)
    shown = [index for index, width in enumerate(widths) if width]
    return [" " * indent + _line(terminal, row, widths, shown) for row in rows]


def branches(terminal: Terminal, depths: Sequence[int], *, goes_on: bool) -> list[str]:
    """The lines of a tree in front of each of its rows, given the depth of each."""
    glyphs = terminal.glyphs
    follows: list[bool] = [goes_on]
    found: list[str] = []
    for depth in reversed(depths):
        follows += [False] * (depth + 1 - len(follows))
        del follows[depth + 1 :]
        trunk = "".join(glyphs.trunk if follows[level] else "   " for level in range(depth))
        found.append(trunk + (glyphs.branch if follows[depth] else glyphs.last))
        follows[depth] = True
    return found[::-1]


def bar(terminal: Terminal, done: int, total: int) -> str:
    """How far something is, as a small bar and in numbers. Full only when all is done."""
    if not total:
        return ""
    full, part = divmod(done * _BAR * len(terminal.glyphs.parts) // total, len(terminal.glyphs.parts))
    drawn = terminal.glyphs.full * full + terminal.glyphs.parts[part]
    return f"{drawn}{terminal.glyphs.empty * (_BAR - columns(drawn))} {done}/{total}"


def paragraph(terminal: Terminal, label: str, lines: Sequence[str], width: int = 10) -> list[str]:
    """Lines beside a label."""
    heads = [terminal.paint(pad(label, width), "bold"), *[" " * width] * (len(lines) - 1)]
    return [f"{head}{line}".rstrip() for head, line in zip(heads, lines, strict=True)]


def _squeeze(terminal: Terminal, widths: list[int], give: Give, indent: int) -> None:
    if terminal.width is None:
        return
    for index, least in give:
        gaps = len(_GAP) * (sum(map(bool, widths)) - 1)
        over = indent + sum(widths) + gaps - terminal.width
        if over > 0:
            narrowed = max(min(least, widths[index]), widths[index] - over)
            widths[index] = narrowed if narrowed >= _NARROWEST else 0


def _line(terminal: Terminal, row: Sequence[Cell], widths: Sequence[int], shown: Sequence[int]) -> str:
    cells: list[str] = []
    for index in shown:
        text = terminal.clip(row[index].text, widths[index])
        filling = " " * (widths[index] - columns(text)) if index != shown[-1] else ""
        cells.append(terminal.paint(text, row[index].style) + filling)
    return _GAP.join(cells).rstrip()
