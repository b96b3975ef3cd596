"""Questions, answers and claims, a line each: todo lists do not show them."""

from typing import Any, Final

from gatepost.surfaces.cli.watch.change_lines import line
from gatepost.surfaces.terminal import Terminal

_LONGEST: Final = 200


def event_line(terminal: Terminal, event: dict[str, Any]) -> str | None:
    """A line for an event that no list shows. None for most events."""
    said = _said(event)
    if said is None:
        return None
    mark, word, text = said
    actor = str(event.get("actor", ""))
    words = " ".join(text.split())[:_LONGEST]
    return line(terminal, str(event.get("task", "")), mark, word, f"{words} ({actor})" if actor else words)


def _said(event: dict[str, Any]) -> tuple[str, str, str] | None:
    where = str(event.get("path") or "the whole task")
    kind = event.get("type")
    if kind == "step_blocked" and event.get("ask"):
        options = event.get("options") or ()
        choice = f" [{' | '.join(map(str, options))}]" if options else ""
        return "?", "asked", f"{where} {event['ask']}{choice}"
    if kind == "step_unblocked" and event.get("answer"):
        return "=", "answered", f"{where} {event['answer']}"
    if kind == "step_claimed":
        over = event.get("taken_over")
        return ">", "claimed", f"{where}, taken over from {over}: {event.get('reason', '')}" if over else where
    if kind == "step_released":
        return "<", "released", where
    return None
