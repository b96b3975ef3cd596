"""Which task: the workspace's tasks, open ones first, to choose one by its row."""

from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.read_errors import ReadErrors
from gatepost.surfaces.tui.session import MessageLine, Reader, ask, glyphs_of
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.row_list import RowList

_MOST: Final = 200
_BAR: Final = 8
_KEYS: Final = (("enter", "its tree"), ("j/k", "move"), ("esc", "back"))

Task = dict[str, Any]


class TasksScreen(Screen[str | None]):
    """Gives the id of the task that was chosen, or nothing."""

    DEFAULT_CSS = "TasksScreen { background: $surface; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Back")]

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._reading = Reader(self, self._read)
        self._trouble = ReadErrors(self, self._reading.soon)

    def compose(self) -> ComposeResult:
        """A list in its frame."""
        yield TopBar("tasks")
        yield RowList[Task](self._draw, lambda task: str(task["id"]), id="tasks")
        yield MessageLine(id="said")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Read them."""
        self.query_one(RowList).focus()
        self._reading.soon()

    @property
    def ready(self) -> bool:
        """Whether there is something to do things to, or a refusal."""
        return self._reading.answered

    def heard(self, batch: Update) -> None:
        """Any event may be about one of them."""
        if self.is_mounted and (batch.gap or batch.events):
            self._reading.soon()

    async def _read(self) -> None:
        try:
            reply = await ask(self._source, "workspace_overview", limit=_MOST)
        except Refused as no:
            self._trouble.met(no)
            return
        self._trouble.over()
        rows: RowList[Task] = self.query_one(RowList)
        rows.renew(reply["tasks"])
        more = f"Only the first {_MOST} are listed." if reply["more"]["tasks"] else ""
        self.query_one(MessageLine).say(more or ("" if reply["tasks"] else "There is no task yet."))

    def _draw(self, task: Task, room: int) -> Text:
        glyphs, counts = glyphs_of(self), task["counts"]
        bar = f"{glyphs.bar(counts['done'], counts['total'], _BAR)} {counts['done']}/{counts['total']}"
        blocked = f" {glyphs.blocked}{counts['blocked']}" if counts["blocked"] else ""
        line = (
            f" {task['id'].ljust(9)} {pad(task['status'], 6)} {pad(bar + blocked, _BAR + 12)} {safe(task['title'])}"
        )
        return Text(clip(line, room, glyphs.ellipsis))

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """This one."""
        row: Any = message.row
        self.dismiss(row["id"])

    def action_leave(self) -> None:
        """None of them."""
        self.dismiss(None)
