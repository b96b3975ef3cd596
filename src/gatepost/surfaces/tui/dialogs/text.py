"""Text for a step or task: a note or a reason. What is typed is kept until it is sent."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from gatepost.client.workspaces import Tasks
from gatepost.replies.reply import WriteReply
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, TextField
from gatepost.surfaces.tui.keys import TEXT_DIALOG, Hint, hints
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines


class TextPrompt(NamedTuple):
    """The purpose of a text: its words on the screen, and the call it makes."""

    title: str
    verb: str
    about: str
    call: Callable[[Tasks, DialogTarget, str], WriteReply]
    needed: bool = False


class TextDialog(Dialog):
    """A text to send with Enter. Leaving the dialog keeps it for the next time."""

    def __init__(self, target: DialogTarget, prompt: TextPrompt) -> None:
        super().__init__(target)
        self._prompt = prompt
        self._draft = (prompt.title, target.task, target.step_id or "")

    def heading(self) -> str:
        return f"{self._prompt.title} {self.target.name or self.target.task}"

    def words(self) -> list[TextLine]:
        return text_lines(self._prompt.about) if self._prompt.about else []

    def field(self) -> TextField:
        """The field, with the draft if there is one."""
        return TextField(self.session.drafts.get(self._draft, ""))

    def keys(self) -> tuple[Hint, ...]:
        return hints(TEXT_DIALOG, send=self._prompt.verb, dismiss="back, the text is kept")

    def on_text_area_changed(self) -> None:
        self.session.drafts[self._draft] = self.query_one(TextField).text

    def on_text_field_sent(self) -> None:
        text = self.query_one(TextField).text.strip()
        if not text and self._prompt.needed:
            self.show_refusal([TextLine("The text is empty.", "bad")])
            return
        self.send(partial(self._prompt.call, self.tasks, self.target, text))

    def discard_drafts(self) -> None:
        """Forget the draft: it is being sent."""
        self.session.drafts.pop(self._draft, None)


def unblock_prompt(reason: object) -> TextPrompt:
    """Unblock a step. The text, if there is one, is stored as the answer."""
    about = "Blocked, no reason given." if reason is True else f"Blocked: {reason}"
    hint = "What has changed? Optional; it stays with the step for the next worker."
    return TextPrompt("Unblock", "unblock", f"{about}\n{hint}", _unblock)


def answer_prompt(ask: str, options: Sequence[str]) -> TextPrompt:
    """Answer a question: type the number of an option, or any text."""
    listed = "".join(f"\n{line.text}" for line in option_lines(options))
    hint = "Type a number, or your own words." if options else "Your answer:"

    def answer(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
        return tasks.block(**target.as_seen, blocked=False, answer=_chosen(text, options))

    return TextPrompt("Answer", "answer", f"{ask}{listed}\n{hint}", answer, needed=True)


def option_lines(options: Sequence[str]) -> list[TextLine]:
    """The answers to choose from, numbered."""
    return [line for at, text in enumerate(options, 1) for line in text_lines(text, indent=f"  {at}. ")]


def _chosen(text: str, options: Sequence[str]) -> str:
    """The option with this number, or else the text as it is."""
    if text in options or not (text.isascii() and text.isdecimal() and len(text) < 3):
        return text
    return options[int(text) - 1] if 0 < int(text) <= len(options) else text


def _note(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.note(**target.as_seen, note=text)


def _block(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.block(**target.as_seen, reason=text or None)


def _unblock(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.block(**target.as_seen, blocked=False, answer=text or None)


def _approve(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.approve(target.task, note=text or None, expected_revision=target.revision)


def _take(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.claim(**target.arguments, take_over=text)


def _reopen(tasks: Tasks, target: DialogTarget, text: str) -> WriteReply:
    return tasks.progress(**target.as_seen, completed=False, reason=text or None)


NOTE: Final = TextPrompt("Note on", "save", "", _note, needed=True)
BLOCK: Final = TextPrompt("Block", "block", "What is blocking it?", _block)
APPROVE: Final = TextPrompt(
    "Approve", "approve", "Agents can then work on its tasks. Your name is recorded. Remarks, if any:", _approve
)
TAKE: Final = TextPrompt(
    "Take over", "take over", "Why? Its holder can no longer change it, and the log says why.", _take, needed=True
)
REOPEN: Final = TextPrompt("Reopen", "reopen it", "Why? Steps that contain it are reopened too.", _reopen)
