"""Events as one line of text, for the command line and the terminal interface."""

import json
from typing import Any, Final

from gatepost.surfaces.proof_text import confirmation_words
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
_SAID_AT_ONCE: Final = ("checkpoints", "provenance", "evidence", "signed")
"""What a verification says in one sentence."""


def event_words(terminal: Terminal, event: dict[str, Any]) -> str:
    """What an event says beyond what, when, who and where."""
    unsaid: tuple[str, ...] = (*_FRAME, "task_status")
    said = []
    if event["type"] == "step_verified":
        unsaid += _SAID_AT_ONCE
        said = _verified(event)
    said += [_said(name, event[name]) for name in event if name not in unsaid or _is_news(name, event)]
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
    shown = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return name if value is True else f"{name}: {shown}"


def _verified(event: dict[str, Any]) -> list[str]:
    """What was confirmed and how, and the notes."""
    marks = {name: mark for name, mark in event.get("checkpoints", {}).items() if isinstance(mark, dict)}
    confirmed = {name: mark.get("confirmed", True) for name, mark in marks.items()}
    notes = [f"{name}: {mark['note']}" for name, mark in marks.items() if mark.get("note")]
    words = confirmation_words(confirmed, event.get("provenance", {}), event.get("signed", ()))
    return [*([words] if words else []), *notes]
