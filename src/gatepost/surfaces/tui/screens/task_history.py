"""A task's history: who did what and when, newest first, and undo of any change."""

from typing import ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.client.protocol import Update
from gatepost.replies.history import PastOperation
from gatepost.replies.reply import WriteReply
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.dialog import DialogTarget, event_names
from gatepost.surfaces.tui.dialogs.step_actions import UNREAD, outcome_message
from gatepost.surfaces.tui.dialogs.undo import UndoDialog
from gatepost.surfaces.tui.keys import TASK_HISTORY, bindings, hints
from gatepost.surfaces.tui.screens.reader import ReadScreen, touches
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.row_list import RowList

_PAGE: Final = 100
_MOST: Final = 1_000_000


class TaskHistoryScreen(ReadScreen[None]):
    """The operations of one task."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TASK_HISTORY)

    def __init__(self, task: str) -> None:
        super().__init__()
        self._task_id = task
        self._wanted = _PAGE
        self._revision: int | None = None

    def compose(self) -> ComposeResult:
        yield TopBar(f"{self._task_id} history")
        yield RowList[PastOperation](self._draw, lambda row: row.operation, mark=glyphs_of(self).cursor)
        yield MessageLine()
        yield KeyBar(hints(TASK_HISTORY))

    def is_about(self, update: Update) -> bool:
        """Whether its task changed."""
        return touches(update, self._task_id)

    async def read(self) -> None:
        """The revision first: what is undone is refused if it is not the newest that was listed."""
        tasks = calls_of(self).tasks
        target = (await in_thread(tasks.resume, task=self._task_id, limit=1)).target
        found: list[PastOperation] = []
        cursor: str | None = None
        while len(found) < self._wanted:
            page = await in_thread(tasks.history, task=self._task_id, limit=_PAGE, cursor=cursor, max_chars=_MOST)
            found += page.operations
            cursor = page.cursor
            if not page.has_more:
                break
        self._revision = None if target is None else target.revision
        rows: RowList[PastOperation] = self.query_one(RowList)
        rows.renew(found)

    def _draw(self, row: PastOperation, room: int) -> Text:
        glyphs = glyphs_of(self)
        kinds = {"undo": f"undid {row.of}", "redo": f"redid {row.of}"}
        said = kinds.get(row.kind) or event_names(row)
        state = "undone" if row.undone_by is not None else "stays" if row.kind == "record" else ""
        head = f" {str(row.operation).rjust(5)} {pad(ago(self, row.at), 10)} {pad(safe(row.actor), 22)}"
        return Text(clip(f"{head} {pad(state, 6)} {safe(said)}", room, glyphs.ellipsis))

    def action_older(self) -> None:
        self._wanted += _PAGE
        self.reader.soon()

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        row = cast("PastOperation", message.row)
        line = self.query_one(MessageLine)
        if self._revision is None:
            line.say(UNREAD)
        elif row.undone_by is not None:
            line.say(f"{row.operation} was undone already.")
        elif row.kind != "change":
            line.say(
                f"{row.operation} is a record and cannot be undone."
                if row.kind == "record"
                else "Undo or redo with u and U."
            )
        else:
            self._undo(row, self._revision)

    def _undo(self, row: PastOperation, revision: int) -> None:
        target = DialogTarget(self._task_id, revision, name=self._task_id)
        line = self.query_one(MessageLine)
        dialog = UndoDialog(target, operation=row)

        def outcome(reply: WriteReply) -> str:
            return outcome_message("undo", None, reply)

        def done(reply: WriteReply | None) -> None:
            if reply is not None:
                line.say(outcome(reply))
                self.reader.soon()

        dialog.outcome = outcome
        line.say("")
        self.app.push_screen(dialog, done)
