"""A plan or task in two lines, with its checklist."""

from collections.abc import Sequence
from typing import Any

from gatepost.surfaces.cli.formats import status
from gatepost.surfaces.cli.tables import Cell, bar, table
from gatepost.surfaces.terminal import Terminal


def checklist(terminal: Terminal, root: dict[str, Any] | None, indent: int) -> list[str]:
    """A plan's checklist, each item behind its sign; nothing where there is none."""
    held = (root or {}).get("checklist", {"steps": [], "current": 0})
    lines: list[str] = []
    for at, text in enumerate(held["steps"]):
        sign, style = (terminal.glyphs.done, "green") if at < held["current"] else (terminal.glyphs.open, "")
        if at == held["current"]:
            sign, style = terminal.glyphs.now, "now"
        first, *rest = terminal.wrap(text, indent + 2)
        lines += [terminal.paint(f"{sign} {first}", style), *(f"  {line}" for line in rest)]
    return lines


def heading(terminal: Terminal, root: dict[str, Any], counts: dict[str, Any], under: Sequence[str]) -> list[str]:
    """Its id, title, status and how far it is; and below, what else there is to know of it at once."""
    row = [
        Cell(root["id"], "bold"),
        Cell(terminal.clean(root["title"]), "bold"),
        status(terminal, root),
        Cell(bar(terminal, counts)),
        Cell(f"{counts['blocked']} blocked" if counts["blocked"] else "", "red"),
    ]
    below = f" {terminal.glyphs.dot} ".join(under)
    if terminal.width is not None:
        below = terminal.clip(below, terminal.width)
    return [*table(terminal, [row], give=((1, 20), (4, 0), (1, 8))), terminal.paint(below, "dim")]
