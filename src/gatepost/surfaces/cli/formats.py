"""Statuses, labels and times as text."""

import time
from calendar import timegm
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
    then, today = _local(at), time.localtime()
    if then[:3] == today[:3]:
        return time.strftime("%H:%M:%S" if seconds else "%H:%M", then)
    day = f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"
    return f"{day} {time.strftime('%H:%M', then)}" if then[0] == today[0] else f"{day} {then.tm_year}"


def _local(at: str) -> time.struct_time:
    return time.localtime(timegm(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S")))
