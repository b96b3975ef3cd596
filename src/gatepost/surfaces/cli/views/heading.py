"""A plan or task in two lines, above what is told of it."""

from collections.abc import Sequence
from typing import Any

from gatepost.surfaces.cli.screen import Screen
from gatepost.surfaces.cli.tables import Cell, bar, table
from gatepost.surfaces.cli.words import status


def checklist(screen: Screen, root: dict[str, Any] | None, indent: int) -> list[str]:
    """A plan's checklist, each item behind its sign; nothing where there is none."""
    held = (root or {}).get("checklist", {"steps": [], "current": 0})
    lines: list[str] = []
    for at, text in enumerate(held["steps"]):
        sign, style = (screen.glyphs.done, "green") if at < held["current"] else (screen.glyphs.open, "")
        if at == held["current"]:
            sign, style = screen.glyphs.now, "now"
        first, *rest = screen.wrap(text, indent + 2)
        lines += [screen.paint(f"{sign} {first}", style), *(f"  {line}" for line in rest)]
    return lines


def heading(screen: Screen, root: dict[str, Any], counts: dict[str, Any], under: Sequence[str]) -> list[str]:
    """Its id, title, status and how far it is; and below, what else there is to know of it at once."""
    row = [
        Cell(root["id"], "bold"),
        Cell(screen.clean(root["title"]), "bold"),
        status(screen, root),
        Cell(bar(screen, counts)),
        Cell(f"{counts['blocked']} blocked" if counts["blocked"] else "", "red"),
    ]
    below = f" {screen.glyphs.dot} ".join(under)
    if screen.width is not None:
        below = screen.clip(below, screen.width)
    return [*table(screen, [row], give=((1, 20), (4, 0), (1, 8))), screen.paint(below, "dim")]
