"""Statuses, labels and times as text."""

from datetime import datetime
from typing import Any, Final

from gatepost.surfaces.cli.tables import Cell
from gatepost.surfaces.terminal import Terminal

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def status(terminal: Terminal, root: dict[str, Any]) -> Cell:
    """A plan's or task's status, with its sign."""
    glyphs = terminal.glyphs
    word = root["status"]
    if word == "DONE":
        return Cell(f"{glyphs.done} {word}", "green")
    if root.get("waiting_for"):
        return Cell(f"{glyphs.waiting} {word}", "yellow")
    return Cell(f"{glyphs.now} {word}", "now") if word == "ACTIVE" else Cell(f"{glyphs.open} {word}")


def labels(terminal: Terminal, root: dict[str, Any]) -> list[str]:
    """What a plan or task is filed under."""
    found = [root[name] for name in ("plan", "domain") if name in root]
    found += [f"#{tag}" for tag in root.get("tags", ())]
    return [terminal.clean(label) for label in found]


def short_time(at: str, *, seconds: bool = True) -> str:
    """A time in the local zone: the clock for today, the day for any other."""
    then, now = datetime.fromisoformat(at).astimezone(), datetime.now().astimezone()
    if then.date() == now.date():
        return f"{then:%H:%M:%S}" if seconds else f"{then:%H:%M}"
    day = f"{then.day} {_MONTHS[then.month - 1]}"
    return f"{day} {then:%H:%M}" if then.year == now.year else f"{day} {then.year}"
