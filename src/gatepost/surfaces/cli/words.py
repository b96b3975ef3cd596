"""How state reads: statuses, times, what an event says."""

import json
import time
from calendar import timegm
from typing import Any, Final

from gatepost.surfaces.cli.screen import Screen
from gatepost.surfaces.cli.tables import Cell

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FRAME: Final = (
    "seq",
    "type",
    "at",
    "actor",
    "task",
    "plan",
    "session",
    "section_key",
    "taskdoc",
    "selector",
    "step_id",
    "path",
)
_BARE: Final = ("title", "note", "reason")


def status(screen: Screen, root: dict[str, Any]) -> Cell:
    """A plan's or task's status, with its sign."""
    glyphs = screen.glyphs
    word = root["status"]
    if word == "DONE":
        return Cell(f"{glyphs.done} {word}", "green")
    if root.get("waiting_for"):
        return Cell(f"{glyphs.waiting} {word}", "yellow")
    return Cell(f"{glyphs.now} {word}", "now") if word == "ACTIVE" else Cell(f"{glyphs.open} {word}")


def labels(screen: Screen, root: dict[str, Any]) -> list[str]:
    """What a plan or task is filed under."""
    found = [root[name] for name in ("plan", "domain") if name in root]
    found += [f"#{tag}" for tag in root.get("tags", ())]
    return [screen.clean(label) for label in found]


def short_time(at: str, now: str, *, seconds: bool = True) -> str:
    """A moment of the log as a person tells it, in local time: today by the clock, else by the day."""
    then, today = _local(at), _local(now)
    if then[:3] == today[:3]:
        return time.strftime("%H:%M:%S" if seconds else "%H:%M", then)
    day = f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"
    return f"{day} {time.strftime('%H:%M', then)}" if then[0] == today[0] else f"{day} {then.tm_year}"


def event_words(screen: Screen, event: dict[str, Any]) -> str:
    """What an event says beyond what, when, who and where."""
    news = [name for name in event if name not in (*_FRAME, "task_status") or _is_news(name, event)]
    said = [_said(name, event[name]) for name in news]
    if "task_status" in event:
        said.append(f"now {event['task_status']}")
    return screen.clean(f" {screen.glyphs.dot} ".join(" ".join(part.split()) for part in said))


def _is_news(name: str, event: dict[str, Any]) -> bool:
    """The plan of a new task is what the event says, not where it happened."""
    return name == "plan" and "task" in event


def _said(name: str, value: Any) -> str:
    if name in _BARE and isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return f"{name}: {', '.join(value)}"
    if name == "checkpoints" and isinstance(value, dict):
        return ", ".join(_mark(checkpoint, mark) for checkpoint, mark in value.items())
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return name if value is True else f"{name}: {shown}"


def _mark(checkpoint: str, mark: Any) -> str:
    if not isinstance(mark, dict):
        return checkpoint
    word = checkpoint if mark.get("confirmed", True) else f"{checkpoint} withdrawn"
    return f"{word} ({mark['note']})" if mark.get("note") else word


def _local(at: str) -> time.struct_time:
    return time.localtime(timegm(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S")))
