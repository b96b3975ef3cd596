"""Which task: the workspace's tasks, open ones first, to choose one by its row."""

from typing import ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.replies.overview import OverviewRow
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.keys import TASKS, bindings, hints
from gatepost.surfaces.tui.screens.reader import ReadScreen
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.row_list import RowList

_MOST: Final = 200
_BAR: Final = 8


class TasksScreen(ReadScreen[str | None]):
    """Gives the id of the task that was chosen, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TASKS)

    def compose(self) -> ComposeResult:
        yield TopBar("tasks")
        yield RowList[OverviewRow](self._draw, lambda task: task.id)
        yield MessageLine()
        yield KeyBar(hints(TASKS))

    async def read(self) -> None:
        reply = await in_thread(calls_of(self).overview, limit=_MOST)
        rows: RowList[OverviewRow] = self.query_one(RowList)
        rows.renew(reply.tasks)
        more = f"Only the first {_MOST} tasks are shown." if reply.more.tasks else ""
        self.query_one(MessageLine).say(more or ("" if reply.tasks else "No tasks yet."))

    def _draw(self, task: OverviewRow, room: int) -> Text:
        glyphs, counts = glyphs_of(self), task.counts
        bar = f"{glyphs.bar(counts.done, counts.total, _BAR)} {counts.done}/{counts.total}"
        blocked = f" {glyphs.blocked}{counts.blocked}" if counts.blocked else ""
        line = f" {task.id.ljust(9)} {pad(task.status, 6)} {pad(bar + blocked, _BAR + 12)} {safe(task.title)}"
        return Text(clip(line, room, glyphs.ellipsis))

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        self.dismiss(cast("OverviewRow", message.row).id)
