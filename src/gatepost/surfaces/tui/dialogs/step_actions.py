"""The actions on a step: the dialog for each, or why there is none."""

from collections.abc import Callable
from functools import partial
from typing import Final, cast

from msgspec import Struct, convert
from textual.screen import Screen

from gatepost.client.workspaces import Tasks
from gatepost.domain.roots import Status
from gatepost.domain.value import prepared
from gatepost.replies.batch import Batched
from gatepost.replies.claims import WorkClaimed
from gatepost.replies.events import BriefEvent
from gatepost.replies.history import Reversed
from gatepost.replies.reply import WriteReply
from gatepost.replies.roots import RootRow
from gatepost.replies.step_details import StepDetail, StepRow
from gatepost.replies.step_writes import NodeChanged, Noted, StepChanged
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.tui.dialogs.close_step import CloseStepDialog
from gatepost.surfaces.tui.dialogs.dialog import (
    ConfirmDialog,
    Dialog,
    DialogTarget,
    waiting_message,
)
from gatepost.surfaces.tui.dialogs.sign_off import SignOffDialog
from gatepost.surfaces.tui.dialogs.text import BLOCK, NOTE, REOPEN, TAKE, TextDialog, answer_prompt, unblock_prompt
from gatepost.surfaces.tui.dialogs.undo import UndoDialog
from gatepost.surfaces.tui.session import session_of
from gatepost.surfaces.tui.widgets.message_line import MessageLine

UNREAD: Final = "Still loading. Press the key again in a moment."
NO_STEP: Final = "This task has no steps yet."
IS_DONE: Final = "This step is done. Press x to reopen it."
IS_OPEN: Final = "This step is open."

Row = StepRow | TreeRow


class StepActions:
    """Opens the dialogs of step actions on a screen, and shows the outcome there."""

    def __init__(self, screen: Screen[None], renew: Callable[[], None]) -> None:
        self._screen = screen
        self._renew = renew

    def do(self, action: str, root: RootRow, row: Row | None) -> None:
        """Open the dialog of an action for a task, or for one of its steps; or say why there is none."""
        line = self._screen.query_one(MessageLine)
        dialog = dialog_for(action, root, row)
        if root.id in session_of(self._screen).sending and not isinstance(dialog, TextDialog):
            # A dialog with a text field opens anyway: otherwise the text typed next would act as keys.
            dialog = waiting_message(root.id)
        if isinstance(dialog, str):
            line.say(dialog)
            return
        outcome = dialog.outcome = partial(outcome_message, action, row)

        def done(reply: WriteReply | None) -> None:
            if reply is not None:
                line.say(outcome(reply))
                self._renew()

        line.say("")
        self._screen.app.push_screen(dialog, done)


def dialog_for(action: str, root: RootRow, row: Row | None) -> Dialog | str:
    """The dialog of an action for a task, or for one of its steps; or why there is none."""
    task = DialogTarget(root.id, root.revision, name=root.id)
    if action in ("undo", "redo"):
        return UndoDialog(task, redo=action == "redo")
    if row is None:
        return TextDialog(task, NOTE) if action == "note" else NO_STEP
    target = DialogTarget(root.id, root.revision, row.step_id, f"{row.path} {row.title}")
    if action == "note":
        return TextDialog(target, NOTE)
    return _for_step(action, target, row) if row.status is None else _for_nested_task(action, target, row)


def _for_step(action: str, target: DialogTarget, row: Row) -> Dialog | str:
    if action == "reopen":
        return TextDialog(target, REOPEN) if row.done else IS_OPEN
    if row.done:
        return IS_DONE
    if action == "close":
        return CloseStepDialog(target)
    if action == "sign":
        return SignOffDialog(target)
    if action == "take":
        return TextDialog(target, TAKE)
    if isinstance(row, StepDetail) and row.question is not None:
        return TextDialog(target, answer_prompt(row.question.ask, row.question.options))
    return TextDialog(target, unblock_prompt(row.blocked) if row.blocked else BLOCK)


def _for_nested_task(action: str, target: DialogTarget, row: Row) -> Dialog | str:
    """A task inside a step has no checkpoints; it is done when everything below it is."""
    if action == "block":
        return "A task inside a step cannot be blocked. Block one of its steps."
    if action == "sign":
        return "A task inside a step has no checkpoints. Sign off its steps."
    if action == "take":
        return "A task inside a step is not claimed itself. Take over one of its steps."
    if (action == "reopen") != row.done:
        return IS_DONE if row.done else IS_OPEN
    status: Status = "ACTIVE" if row.done else "DONE"
    verb = "reopen it" if row.done else "close it"
    about = "Steps that contain it are reopened too." if row.done else "Everything below it must be done."

    def define(tasks: Tasks, target: DialogTarget) -> WriteReply:
        return tasks.task_define(**target.as_seen, status=status)

    return ConfirmDialog(target, f"{action.capitalize()} {target.name}", about, verb, define)


class _Result(Struct):
    """What is read of the reply of one call in a batch."""

    events: tuple[BriefEvent, ...] = ()


def outcome_message(action: str, row: Row | None, reply: WriteReply) -> str:
    """What was done."""
    warnings = " ".join(getattr(reply, "warnings", None) or ())
    if isinstance(reply, Reversed):
        done = "Undid" if action == "undo" else "Redid"
        return f"{done} operation {reply.operation}. {warnings}".strip()
    where = "the task" if row is None else row.path
    if isinstance(reply, Batched):
        changed = reply.changed
        logged = {event.type for one in reply.results for event in convert(one, prepared(_Result)).events}
    else:
        reply = cast("StepChanged | Noted | NodeChanged | WorkClaimed", reply)
        changed, logged = reply.changed, {event.type for event in reply.events}
    if not changed:
        return f"No change: {where} was already in that state."
    words = {
        "note": "Added a note to",
        "close": "Closed" if "step_done" in logged else "Confirmed checkpoints of",
        "reopen": "Reopened",
        "sign": "Signed off",
        "take": "You hold",
        "block": "Unblocked" if "step_unblocked" in logged else "Blocked",
    }
    return f"{words[action]} {where}. {warnings}".strip()
