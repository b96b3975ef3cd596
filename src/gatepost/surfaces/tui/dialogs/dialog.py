"""Dialogs that write. One closes only when its call was accepted or the person leaves; what was typed is kept.

A call that was sent cannot be recalled. A person who leaves meanwhile is notified of the reply on any screen, and
no dialog sends to the same task before it has come: nothing is sent twice.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from gatepost.client.refusals import rebuilt
from gatepost.client.workspaces import Tasks
from gatepost.domain.refusals import Refusal
from gatepost.replies.history import PastOperation
from gatepost.replies.reply import WriteReply
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.keys import CONFIRM, DIALOG, Hint, bindings, hints
from gatepost.surfaces.tui.session import TuiSession, ago, glyphs_of, session_of
from gatepost.surfaces.tui.source import words_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import LOW_SCREEN, KeyBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, refusal_lines, text_lines

CONFLICT: Final = "REVISION_MISMATCH"
BEING_SENT: Final = "being sent"
_REFUSED: Final = "refused"
_MOST_SHOWN: Final = 5
_SOON: Final = 0.3
"""A call that takes longer, in seconds, is announced."""
_NOTICE: Final = 10.0

Drafts = dict[tuple[str, ...], str]
TargetCall = Callable[[Tasks, "DialogTarget"], WriteReply]


def waiting_message(task: str) -> str:
    """Why nothing more is sent to a task now."""
    return f"A change to {task} is still being sent. You will be notified of the reply."


class DialogTarget(NamedTuple):
    """The task or step a dialog writes to, as it was when the person looked."""

    task: str
    revision: int
    step_id: str | None = None
    name: str = ""
    guard: str = "expected_revision"
    """Whose revision it is: the task's, or with `expected_step_revision` the step's own."""

    @property
    def arguments(self) -> dict[str, Any]:
        """How a call names it."""
        return {"task": self.task} if self.step_id is None else {"task": self.task, "step_id": self.step_id}

    @property
    def as_seen(self) -> dict[str, Any]:
        """The same, for a call that is refused if the task, or the step, has changed since."""
        return {**self.arguments, self.guard: self.revision}


class TextField(TextArea):
    """A few lines of text: Enter sends, Ctrl+J starts a new line. Pasted control characters are made visible."""

    class Sent(Message):
        """Enter was pressed."""

    def __init__(self, text: str = "", hint: str = "") -> None:
        super().__init__(text, tab_behavior="focus", show_line_numbers=False, placeholder=hint)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent())
        elif event.key in ("ctrl+j", "shift+enter", "alt+enter"):
            event.stop()
            event.prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert(safe(event.text, lines=True))


class Dialog(ModalScreen[WriteReply | None]):
    """A dialog's frame: title, text, perhaps a field, refusals, keys. Gives the reply, or `None` if it was left."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(DIALOG)
    VERTICAL_BREAKPOINTS = LOW_SCREEN

    def __init__(self, target: DialogTarget) -> None:
        super().__init__()
        self.target = target
        self.busy = False
        self.outcome: Callable[[WriteReply], str] = lambda _reply: f"{self.heading()}: done."
        """What a notification says of a late reply."""
        self._reply: WriteReply | None = None

    @property
    def session(self) -> TuiSession:
        """What all screens share."""
        return session_of(self)

    def compose(self) -> ComposeResult:
        """The frame, with the field in its middle if there is one."""
        with Vertical(id="frame"):
            yield Static(f"{glyphs_of(self).rule * 2} {safe(self.heading())}", id="title", markup=False)
            yield TextView(id="words")
            field = self.field()
            if field is not None:
                yield field
            yield TextView(id="refusal")
            yield KeyBar(self.keys())

    def on_mount(self) -> None:
        self.renew()
        field = self.query(TextField)
        if field:
            field.first().move_cursor(field.first().document.end)
            field.first().focus()

    def heading(self) -> str:
        raise NotImplementedError

    def words(self) -> list[TextLine]:
        """What to know before answering."""
        return []

    def field(self) -> TextField | None:
        """Something to type into."""
        return None

    def keys(self) -> tuple[Hint, ...]:
        """The dialog's own keys."""
        return hints(CONFIRM)

    def renew(self) -> None:
        """Show text and keys as they are now."""
        lines = self.words()
        words = self.query_one("#words", TextView)
        words.display = bool(lines)
        words.show(lines)
        sending = (("sending", glyphs_of(self).ellipsis), ("Esc", "leave; you will be notified of the reply"))
        self.query_one(KeyBar).name_keys(sending if self.busy else self.keys())

    def on_screen_resume(self) -> None:
        """Close the dialog if its reply came while another screen was above it."""
        if self._reply is not None:
            self.dismiss(self._reply)

    @property
    def tasks(self) -> Tasks:
        """The calls that a dialog makes. They block."""
        return calls_of(self).tasks

    def send(self, call: Callable[[], WriteReply]) -> None:
        """Make a call about the target, unless one to its task is being sent."""
        task, sending = self.target.task, self.session.sending
        if self.busy:
            return
        if task in sending:
            self.show_refusal([TextLine(waiting_message(task), "bad"), TextLine("Then press Enter again.")])
            return
        sending.add(task)
        self._hold(busy=True)
        self.set_timer(_SOON, self.renew)
        # The worker belongs to the application, since it outlives the dialog.
        self.app.run_worker(self._send(self.session, call, self._put_away()))

    def _put_away(self) -> Drafts:
        """Its drafts, renamed while they are sent: the next dialog of this kind starts empty."""
        kept = self.session.drafts
        before = dict(kept)
        self.discard_drafts()
        mine = {key: text for key, text in before.items() if key not in kept}
        kept.update({(*key, BEING_SENT): text for key, text in mine.items()})
        return mine

    def _hold(self, *, busy: bool) -> None:
        """Make the field read-only while its text is being sent."""
        self.busy = busy
        for field in self.query(TextField):
            field.read_only = busy

    async def _send(self, session: TuiSession, call: Callable[[], WriteReply], sent: Drafts) -> None:
        app = self.app
        try:
            reply = await in_thread(call)
        except Refusal as no:
            _restore_drafts(session.drafts, sent)
            if self in app.screen_stack:
                self._hold(busy=False)
                self.run_worker(self.refused(no))
            else:
                app.notify(
                    safe(f"{self.heading()}: {words_of(no)}"), severity="error", timeout=_NOTICE, markup=False
                )
        else:
            for key in sent:
                session.drafts.pop((*key, BEING_SENT), None)
            self._share_revision(reply)
            if self in app.screen_stack:
                self._finish(reply)
            else:
                app.notify(safe(self.outcome(reply)), timeout=_NOTICE, markup=False)
        finally:
            session.sending.discard(self.target.task)

    def _share_revision(self, reply: WriteReply) -> None:
        """Tell the next dialog on the same task the new revision, if nobody else changed the task meanwhile."""
        known, now = self.target.revision, getattr(reply, "revision", None)
        for other in self.app.screen_stack:
            if isinstance(other, Dialog) and other.target[:2] == self.target[:2] and now == known + 1:
                other.target = other.target._replace(revision=now)

    def _finish(self, reply: WriteReply) -> None:
        """Close, unless another screen is above: that one closes first."""
        self._reply = reply
        if self.is_active:
            self.dismiss(reply)

    def discard_drafts(self) -> None:
        """Forget the drafts: they are being sent."""

    async def refused(self, no: Refusal) -> None:
        """Show what is wrong and the next step. After a conflict, also show what happened, and use the new
        revision from now on."""
        no = inner_refusal(no)
        lines = refusal_lines(no)
        current = no.details.get("current_revision")
        if no.code == CONFLICT and isinstance(current, int):
            lines = await self._conflict(current)
            self.target = self.target._replace(revision=current)
        self.show_refusal(lines)
        self.renew()

    def show_refusal(self, lines: list[TextLine]) -> None:
        """Show why nothing was sent."""
        self.add_class("refused")
        self.query_one("#refusal", TextView).show(lines, reset=True)

    async def _conflict(self, current: int) -> list[TextLine]:
        changes = await self._changes(current)
        sign, seen = glyphs_of(self).blocked, self.target.revision
        return [
            TextLine(f"{sign} Not sent: someone else changed {self.target.task}.", "bad", 2),
            TextLine(f"  You saw revision {seen}; it is now at {current}:", "plain", 2),
            *changes,
            TextLine(f"  {await self.after_conflict(current)}", "title", 2),
        ]

    async def after_conflict(self, current: int) -> str:
        """How to continue after a conflict."""
        return f"Nothing is lost. Enter sends it again at revision {current}; Esc goes back."

    async def _changes(self, current: int) -> list[TextLine]:
        """What was done since the person looked, newest first: each operation is one revision."""
        count = max(1, current - self.target.revision)
        try:
            reply = await in_thread(self.tasks.history, task=self.target.task, limit=min(count, _MOST_SHOWN))
        except Refusal:
            return []
        dot = glyphs_of(self).dot
        lines = [
            TextLine(f"  {dot} {event_names(row)} by {safe(row.actor)}, {ago(self, row.at)}", "plain", 4)
            for row in reply.operations
        ]
        return lines if count <= _MOST_SHOWN else [*lines, TextLine(f"  and {count - _MOST_SHOWN} more", "dim", 4)]


def _restore_drafts(kept: Drafts, sent: Drafts) -> None:
    """Make refused texts drafts again. Where a new draft was begun, keep the old one beside it until the end."""
    for key, text in sent.items():
        kept.pop((*key, BEING_SENT), None)
        beside = (*key, _REFUSED)
        if not kept.get(key):
            kept[key] = text
        else:
            kept[beside] = f"{kept[beside]}\n\n{text}" if beside in kept else text


def event_names(row: PastOperation) -> str:
    """What an operation of the history did, in words."""
    return ", ".join(event.replace("_", " ") for event in row.events)


def inner_refusal(no: Refusal) -> Refusal:
    """The refusal inside a failed batch, as if that call had been sent alone."""
    error = no.details.get("error") if no.code == "BATCH_FAILED" else None
    return rebuilt(error, 0) if isinstance(error, dict) else no


class ConfirmDialog(Dialog):
    """One call to confirm: Enter sends it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CONFIRM)

    def __init__(self, target: DialogTarget, title: str, about: str, verb: str, call: TargetCall) -> None:
        super().__init__(target)
        self._heading = title
        self._about = about
        self._verb = verb
        self._call = call

    def heading(self) -> str:
        return self._heading

    def words(self) -> list[TextLine]:
        return text_lines(self._about)

    def keys(self) -> tuple[Hint, ...]:
        return hints(CONFIRM, send=self._verb)

    def action_send(self) -> None:
        self.send(partial(self._call, self.tasks, self.target))
