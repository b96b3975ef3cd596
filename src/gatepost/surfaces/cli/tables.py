"""Aligned lines: tables, trees, bars, labelled paragraphs."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from gatepost.surfaces.cli.screen import Screen, columns, pad

_GAP: Final = "  "
_NARROWEST: Final = 6
_BAR: Final = 8

Give = Sequence[tuple[int, int]]


class Cell(NamedTuple):
    """A text, already clean, and how to paint it."""

    text: str
    style: str = ""


def table(screen: Screen, rows: Sequence[Sequence[Cell]], *, give: Give, indent: int = 0) -> list[str]:
    """Rows in aligned columns. `give` says which columns give way where the width is short, and down to what."""
    if not rows:
        return []
    widths = [max(columns(row[index].text) for row in rows) for index in range(len(rows[0]))]
    _squeeze(screen, widths, give, indent)
    shown = [index for index, width in enumerate(widths) if width]
    return [" " * indent + _line(screen, row, widths, shown) for row in rows]


def branches(screen: Screen, depths: Sequence[int], *, goes_on: bool) -> list[str]:
    """The lines of a tree in front of each of its rows, given how deep each stands."""
    glyphs = screen.glyphs
    follows: list[bool] = [goes_on]
    found: list[str] = []
    for depth in reversed(depths):
        follows += [False] * (depth + 1 - len(follows))
        del follows[depth + 1 :]
        trunk = "".join(glyphs.trunk if follows[level] else "   " for level in range(depth))
        found.append(trunk + (glyphs.branch if follows[depth] else glyphs.last))
        follows[depth] = True
    return found[::-1]


def bar(screen: Screen, counts: dict[str, Any]) -> str:
    """How far something is, as a small bar and in numbers. Full only when all is done."""
    done, total = counts.get("done", 0), counts.get("total", 0)
    if not total:
        return ""
    full, part = divmod(done * _BAR * len(screen.glyphs.parts) // total, len(screen.glyphs.parts))
    drawn = screen.glyphs.full * full + screen.glyphs.parts[part]
    return f"{drawn}{screen.glyphs.empty * (_BAR - columns(drawn))} {done}/{total}"


def paragraph(screen: Screen, label: str, lines: Sequence[str], width: int = 10) -> list[str]:
    """Lines beside a label."""
    heads = [screen.paint(pad(label, width), "bold"), *[" " * width] * (len(lines) - 1)]
    return [f"{head}{line}".rstrip() for head, line in zip(heads, lines, strict=True)]


def _squeeze(screen: Screen, widths: list[int], give: Give, indent: int) -> None:
    if screen.width is None:
        return
    for index, least in give:
        gaps = len(_GAP) * (sum(map(bool, widths)) - 1)
        over = indent + sum(widths) + gaps - screen.width
        if over > 0:
            narrowed = max(min(least, widths[index]), widths[index] - over)
            widths[index] = narrowed if narrowed >= _NARROWEST else 0


def _line(screen: Screen, row: Sequence[Cell], widths: Sequence[int], shown: Sequence[int]) -> str:
    cells: list[str] = []
    for index in shown:
        text = screen.clip(row[index].text, widths[index])
        filling = " " * (widths[index] - columns(text)) if index != shown[-1] else ""
        cells.append(screen.paint(text, row[index].style) + filling)
    return _GAP.join(cells).rstrip()
