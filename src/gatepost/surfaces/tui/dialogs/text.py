"""Text for a step or task: a note or a reason. What is typed is kept until it is sent."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from gatepost.operations.batch import Batch, BatchedCall
from gatepost.operations.registry import Command
from gatepost.operations.steps import Block, Progress, TakeNote
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, TextField
from gatepost.surfaces.tui.keys import TEXT_DIALOG, Hint, hints
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines

Sending = tuple[type[Command[Any]], dict[str, Any]]


class TextPrompt(NamedTuple):
    """What a text is for: words for it, and the call that it makes."""

    title: str
    verb: str
    about: str
    call: Callable[[DialogTarget, str], Sending]
    needed: bool = False


class TextDialog(Dialog):
    """A text, and Enter. Leaving the dialog keeps what was typed for the next time."""

    def __init__(self, target: DialogTarget, prompt: TextPrompt) -> None:
        super().__init__(target)
        self._prompt = prompt
        self._draft = (prompt.title, target.task, target.step_id or "")

    def heading(self) -> str:
        """What is asked."""
        return f"{self._prompt.title} {self.target.name or self.target.task}"

    def words(self) -> list[TextLine]:
        """A hint, and what there is to know."""
        return text_lines(self._prompt.about) if self._prompt.about else []

    def field(self) -> TextField:
        """What was typed before, or nothing."""
        return TextField(self.session.drafts.get(self._draft, ""))

    def keys(self) -> tuple[Hint, ...]:
        """How to send it."""
        return hints(TEXT_DIALOG, send=self._prompt.verb, dismiss="back, the text is kept")

    def on_text_area_changed(self) -> None:
        """Keep what is typed."""
        self.session.drafts[self._draft] = self.query_one(TextField).text

    def on_text_field_sent(self) -> None:
        """Send it."""
        text = self.query_one(TextField).text.strip()
        if not text and self._prompt.needed:
            self.show_refusal([TextLine("The text is empty.", "bad")])
            return
        command, fields = self._prompt.call(self.target, text)
        self.send(command, **fields)

    def discard_drafts(self) -> None:
        """Sent: no draft any more."""
        self.session.drafts.pop(self._draft, None)


def unblock_prompt(reason: object) -> TextPrompt:
    """Let a step go on, with a note if something is typed: unblocking itself has no words."""
    about = "Blocked, no reason given." if reason is True else f"Blocked: {reason}"
    hint = "What has changed? Optional; saved as a note."
    return TextPrompt("Unblock", "unblock", f"{about}\n{hint}", _unblock)


def _note(target: DialogTarget, text: str) -> Sending:
    return TakeNote, {**target.arguments, "note": text, "expected_revision": target.revision}


def _block(target: DialogTarget, text: str) -> Sending:
    return Block, {**_named(target, text), "blocked": True}


def _unblock(target: DialogTarget, text: str) -> Sending:
    step = {**target.arguments, "blocked": False, "expected_revision": target.revision}
    if not text:
        return Block, step
    note = {**target.arguments, "note": text}
    calls = BatchedCall(tool="tasks_block", arguments=step), BatchedCall(tool="tasks_note", arguments=note)
    return Batch, {"operations": calls}


def _reopen(target: DialogTarget, text: str) -> Sending:
    return Progress, {**_named(target, text), "completed": False}


def _named(target: DialogTarget, reason: str) -> dict[str, Any]:
    said = {"reason": reason} if reason else {}
    return {**target.arguments, **said, "expected_revision": target.revision}


NOTE: Final = TextPrompt("Note on", "save", "", _note, needed=True)
BLOCK: Final = TextPrompt("Block", "block", "What is blocking it?", _block)
REOPEN: Final = TextPrompt("Reopen", "reopen it", "Why? Steps that contain it are reopened too.", _reopen)
