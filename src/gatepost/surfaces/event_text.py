"""Events as one line of text, for the command line and the terminal interface."""

import json
from typing import Any, Final

from gatepost.surfaces.terminal import Terminal

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
_SEEN_BY_NOTE: Final = ("asserted", "noted")
"""What a confirmation rests on, where its note, or that it has none, says as much."""


def event_words(terminal: Terminal, event: dict[str, Any]) -> str:
    """What an event says beyond what, when, who and where."""
    news = [name for name in event if name not in (*_FRAME, "task_status") or _is_news(name, event)]
    said = [text for name in news if (text := _said(name, event[name]))]
    if "task_status" in event:
        said.append(f"now {event['task_status']}")
    return terminal.clean(f" {terminal.glyphs.dot} ".join(" ".join(part.split()) for part in said))


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
    if name in ("provenance", "evidence") and isinstance(value, dict):
        found = [f"{checkpoint} {what}" for checkpoint, what in value.items() if what not in _SEEN_BY_NOTE]
        return f"{name}: {', '.join(found)}" if found else ""
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return name if value is True else f"{name}: {shown}"


def _mark(checkpoint: str, mark: Any) -> str:
    if not isinstance(mark, dict):
        return checkpoint
    word = checkpoint if mark.get("confirmed", True) else f"{checkpoint} withdrawn"
    return f"{word} ({mark['note']})" if mark.get("note") else word
