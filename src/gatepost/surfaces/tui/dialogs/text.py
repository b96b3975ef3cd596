"""Texts for a step or task: a note, or a reason for something. What is typed stays until it was sent."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, Keyed, TextField, drafts
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

Sending = tuple[str, dict[str, Any]]


class TextPrompt(NamedTuple):
    """What a text is for: words for it, and the call that it makes."""

    title: str
    verb: str
    about: str
    call: Callable[[DialogTarget, str], Sending]
    needed: bool = False


class TextDialog(Dialog):
    """A text, and Enter. Leaving the dialog keeps what was typed for the next time."""

    def __init__(self, source: Source, target: DialogTarget, kind: TextPrompt) -> None:
        super().__init__(source, target)
        self._kind = kind
        self._draft = (kind.title, target.task, target.step_id or "")

    def title_words(self) -> str:
        """What is asked."""
        return f"{self._kind.title} {self.target.name or self.target.task}"

    def words(self) -> list[TextLine]:
        """A hint, and what there is to know."""
        return text_lines(self._kind.about) if self._kind.about else []

    def field(self) -> TextField:
        """What was typed before, or nothing."""
        return TextField(drafts(self.app).get(self._draft, ""))

    def keys(self) -> Keyed:
        """How it is sent."""
        return (("enter", self._kind.verb), ("ctrl+j", "new line"), ("esc", "back, the text is kept"))

    def on_text_area_changed(self) -> None:
        """Keep what is typed."""
        drafts(self.app)[self._draft] = self.query_one(TextField).text

    def on_text_field_sent(self) -> None:
        """Send it."""
        text = self.query_one(TextField).text.strip()
        if not text and self._kind.needed:
            self.query_one("#no", TextView).show([TextLine("Nothing is typed yet.", "bad")])
            self.add_class("refused")
            return
        operation, arguments = self._kind.call(self.target, text)
        self.send(operation, **arguments)

    def accepted(self) -> None:
        """Sent: no draft any more."""
        drafts(self.app).pop(self._draft, None)


def unblocking(reason: object) -> TextPrompt:
    """Let a step go on, with a note if something is typed: unblocking itself has no words."""
    about = "It is blocked; no reason was given." if reason is True else f"It is blocked: {reason}"
    hint = "What has changed? It becomes a note; it may stay empty."
    return TextPrompt("Unblock", "unblock it", f"{about}\n{hint}", _unblock)


def _note(target: DialogTarget, text: str) -> Sending:
    return "tasks_note", {**target.arguments, "note": text, "expected_revision": target.revision}


def _block(target: DialogTarget, text: str) -> Sending:
    return "tasks_block", {**_named(target, text), "blocked": True}


def _unblock(target: DialogTarget, text: str) -> Sending:
    step = {**target.arguments, "blocked": False, "expected_revision": target.revision}
    if not text:
        return "tasks_block", step
    calls = [
        {"tool": "tasks_block", "arguments": step},
        {"tool": "tasks_note", "arguments": {**target.arguments, "note": text}},
    ]
    return "tasks_batch", {"operations": calls}


def _reopen(target: DialogTarget, text: str) -> Sending:
    return "tasks_progress", {**_named(target, text), "completed": False}


def _named(target: DialogTarget, reason: str) -> dict[str, Any]:
    said = {"reason": reason} if reason else {}
    return {**target.arguments, **said, "expected_revision": target.revision}


NOTE: Final = TextPrompt("Note on", "keep it", "", _note, needed=True)
BLOCK: Final = TextPrompt("Block", "block it", "What stands in the way?", _block)
REOPEN: Final = TextPrompt("Reopen", "reopen it", "Why? What stands on it is reopened as well.", _reopen)
