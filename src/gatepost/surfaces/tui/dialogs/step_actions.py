"""What can be done to a step by a key: the dialog for it, or why there is none."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from textual.screen import Screen

from gatepost.surfaces.tui.dialogs.close_step import CloseStepDialog
from gatepost.surfaces.tui.dialogs.dialog import (
    ConfirmDialog,
    Dialog,
    DialogCall,
    DialogTarget,
    Done,
    sendings,
    under_way,
)
from gatepost.surfaces.tui.dialogs.text import BLOCK, NOTE, REOPEN, TextDialog, unblocking
from gatepost.surfaces.tui.dialogs.undo import UndoDialog
from gatepost.surfaces.tui.session import MessageLine
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.widgets.text_view import text_lines

STEP_ACTIONS: Final = {"c": "close", "b": "block", "n": "note", "x": "reopen", "u": "undo", "U": "redo"}
UNREAD: Final = "That was not read yet. Press it again once it is here."
NO_STEP: Final = "There is no step here yet."

Row = dict[str, Any]


class StepActions:
    """Does deeds on a screen: opens their dialogs, and says there what came of them."""

    def __init__(self, screen: Screen[None], source: Source, renew: Callable[[], None]) -> None:
        self._screen = screen
        self._source = source
        self._renew = renew

    def do(self, deed: str, root: Row, row: Row | None) -> None:
        """Open the dialog of a deed for a task, or for one of its steps; or say why there is none."""
        app, saying = self._screen.app, self._screen.query_one(MessageLine)
        asked = dialog(deed, self._source, root, row)
        if root["id"] in sendings(app) and not isinstance(asked, TextDialog):
            # Where one types, the dialog opens all the same: else the words that follow were commands.
            asked = under_way(root["id"])
        if isinstance(asked, str):
            saying.say(asked)
            return
        outcome = asked.outcome = partial(outcome_message, deed, row)

        def done(reply: Done | None) -> None:
            if reply is not None:
                saying.say(outcome(reply))
                self._renew()

        saying.say("")
        app.push_screen(asked, done)


def dialog(deed: str, source: Source, root: dict[str, Any], row: dict[str, Any] | None) -> Dialog | str:
    """The dialog of a deed for a task, or for one of its steps."""
    whole = DialogTarget(root["id"], root["revision"], name=root["id"])
    if deed in ("undo", "redo"):
        return UndoDialog(source, whole, back=deed == "redo")
    if row is None:
        return TextDialog(source, whole, NOTE) if deed == "note" else NO_STEP
    target = DialogTarget(root["id"], root["revision"], row["step_id"], f"{row['path']} {row['title']}")
    if deed == "note":
        return TextDialog(source, target, NOTE)
    if "status" in row:
        return _of_node(deed, source, target, row)
    return _of_step(deed, source, target, row)


def _of_step(deed: str, source: Source, target: DialogTarget, row: dict[str, Any]) -> Dialog | str:
    if deed == "reopen":
        return TextDialog(source, target, REOPEN) if row["done"] else "It is open."
    if row["done"]:
        return "It is done; x reopens it."
    if deed == "close":
        return CloseStepDialog(source, target)
    return TextDialog(source, target, unblocking(row["blocked"]) if row.get("blocked") else BLOCK)


def _of_node(deed: str, source: Source, target: DialogTarget, row: dict[str, Any]) -> Dialog | str:
    """A task inside a step has no checkpoints; it is done when all below it is."""
    if deed == "block":
        return "A task inside a step cannot be blocked; block a step of it."
    if (deed == "reopen") != row["done"]:
        return "It is done; x reopens it." if row["done"] else "It is open."
    status, verb = ("ACTIVE", "reopen it") if row["done"] else ("DONE", "close it")
    about = text_lines(
        "What stands on it is reopened as well." if row["done"] else "Everything below it must be done."
    )
    call = DialogCall("tasks_task_define", {**target.arguments, "status": status}, verb)
    return ConfirmDialog(source, target, f"{deed.capitalize()} {target.name}", about, call)


def outcome_message(deed: str, row: dict[str, Any] | None, reply: dict[str, Any]) -> str:
    """What was done, once it was."""
    warnings = " ".join(reply.get("warnings") or ())
    if deed in ("undo", "redo"):
        done = "Took back" if deed == "undo" else "Brought back"
        return f"{done} operation {reply['operation']} ({reply['tool']}). {warnings}".strip()
    where = "the task" if row is None else row["path"]
    if not reply.get("changed", True):
        return f"{where} was so already."
    closed = any(event["type"] == "step_done" for event in _events(reply))
    said = {"note": "Noted on", "close": "Closed" if closed else "Confirmed checkpoints of", "reopen": "Reopened"}
    return f"{said.get(deed, 'Changed')} {where}. {warnings}".strip()


def _events(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """What a call, or every call of a batch, has logged."""
    return [event for one in reply.get("results", [reply]) for event in one.get("events", ())]
