"""A section's history: who changed it when, and how."""

from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.dialogs.dialog import refusal
from gatepost.surfaces.tui.dialogs.review import ReviewDialog
from gatepost.surfaces.tui.read_errors import ReadErrors
from gatepost.surfaces.tui.session import HEIGHTS, MessageLine, Reader, ago, ask, glyphs_of
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.texts import clip, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.row_list import RowList
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, diff_lines, text_lines

_PAGE: Final = 50
_HOW: Final = {
    "change_mind": "rewrote it",
    "taskdoc_adopt": "took it from disk",
    "taskdoc_restore": "restored it",
    "tasks_undo": "undid a change",
    "tasks_redo": "redid a change",
}
_KEYS: Final = (
    ("j/k", "revision"),
    ("v", "against now"),
    ("R", "restore"),
    ("m", "older"),
    ("tab", "scroll the text"),
    ("esc", "back"),
)

Item = dict[str, Any]


class SectionHistoryScreen(Screen[None]):
    """Revisions, newest first, and what the one under the cursor changed."""

    DEFAULT_CSS = """
    SectionHistoryScreen RowList { height: 2fr; }
    SectionHistoryScreen #diff { height: 3fr; background: $panel; }
    SectionHistoryScreen.-low RowList { height: 1fr; }
    SectionHistoryScreen.-low #diff { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("v", "against", "Against now/before"),
        Binding("R", "restore", "Restore"),
        Binding("m", "older", "Older"),
    ]
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, source: Source, taskdoc: str, selector: str) -> None:
        super().__init__()
        self._source = source
        self._named = {"taskdoc": taskdoc, "selector": selector}
        self._shown = _PAGE
        self._more = False
        self._with_now = False
        self._reading = Reader(self, self._read)
        self._comparing = Reader(self, self._compare)
        self._trouble = ReadErrors(self, self._reading.soon)

    def compose(self) -> ComposeResult:
        """The list above, the difference below."""
        yield TopBar(f"{self._named['taskdoc']} {self._named['selector']}: history")
        yield RowList[Item](self._draw, lambda item: item["revision"], id="revisions")
        yield TextView(id="diff")
        yield MessageLine(id="said")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Read it."""
        self._rows.focus()
        self._reading.soon()

    @property
    def ready(self) -> bool:
        """Whether there is something to do things to, or a refusal."""
        return self._reading.answered

    @property
    def _rows(self) -> RowList[Item]:
        found: RowList[Item] = self.query_one(RowList)
        return found

    def heard(self, batch: Update) -> None:
        """Read it again if the taskdoc changed."""
        mine = any(event.get("taskdoc") == self._named["taskdoc"] for event in batch.events)
        if self.is_mounted and (batch.gap or mine):
            self._reading.soon()

    async def _read(self) -> None:
        items: list[Item] = []
        asked: dict[str, Any] = {}
        try:
            while len(items) < self._shown:
                reply = await ask(self._source, "taskdoc_history", **self._named, **asked, limit=_PAGE)
                items += reply["items"]
                self._more, asked = reply["has_more"], {"cursor": reply.get("cursor")}
                if not self._more:
                    break
        except Refused as no:
            self._trouble.met(no)
            if not self._rows.rows:
                self.query_one("#diff", TextView).show(refusal(no))
            return
        self._trouble.over()
        self._rows.renew(items)
        self._comparing.soon()

    def on_row_list_moved(self) -> None:
        """Another revision: another difference."""
        self._comparing.soon()

    async def _compare(self) -> None:
        item = self._rows.row
        diff = self.query_one("#diff", TextView)
        if item is None:
            diff.show([TextLine("Nobody has written anything here yet.", "dim")])
            return
        revision = int(item["revision"])
        since, to = (
            (revision, int(self._rows.rows[0]["revision"])) if self._with_now else (self._before(), revision)
        )
        try:
            reply = await ask(self._source, "taskdoc_diff", **self._named, **{"from": since}, to=to)
        except Refused as no:
            self._trouble.met(no)
            diff.show(refusal(no), anew=True)
            return
        if item is not self._rows.row:
            return
        head = (
            f"From revision {since} to {to}, which is now"
            if self._with_now
            else f"What revision {revision} changed"
        )
        lines = diff_lines(reply["diff"]) if reply["diff"] else [TextLine("Nothing.", "dim")]
        outside = text_lines(item["outside"], "dim", "  ") if item.get("outside") else []
        over = [TextLine("The text from outside that was written over:", "title"), *outside] if outside else []
        diff.show([TextLine(head, "title"), *lines, *over], anew=True)

    def _before(self) -> int:
        """The revision before the one under the cursor; 0 is the empty beginning."""
        rows, at = self._rows.rows, self._rows.cursor
        if at + 1 < len(rows):
            return int(rows[at + 1]["revision"])
        return int(rows[at]["revision"]) - 1 if self._more else 0

    def _draw(self, item: Item, room: int) -> Text:
        glyphs = glyphs_of(self)
        now = "  now" if item is self._rows.rows[0] else ""
        how = _HOW.get(item["tool"], "changed it")
        size = f"{item['bytes']} bytes" if item["bytes"] else "empty"
        text = (
            f" r{item['revision']}{now}  {safe(item['actor'])} {how}, {ago(self, item['at'])} {glyphs.dot} {size}"
        )
        return Text(clip(text, room, glyphs.ellipsis))

    def action_against(self) -> None:
        """Compare with the revision before, or with the present one."""
        self._with_now = not self._with_now
        self._comparing.soon()

    def action_older(self) -> None:
        """Read further back."""
        if self._more:
            self._shown += _PAGE
            self._reading.soon()
        else:
            self.query_one(MessageLine).say("That is all of it.")

    def action_restore(self) -> None:
        """Bring a text back, after one look more."""
        self.run_worker(self._restore())

    async def _restore(self) -> None:
        item, saying = self._rows.row, self.query_one(MessageLine)
        if item is None or item is self._rows.rows[0]:
            saying.say("That is the present text.")
            return
        now, revision = int(self._rows.rows[0]["revision"]), int(item["revision"])
        try:
            reply = await ask(self._source, "taskdoc_diff", **self._named, **{"from": now}, to=revision)
            words = f"Restore {self._named['selector']} as it was at revision {revision}? It is at {now}."
            look = ReviewDialog(words, diff_lines(reply["diff"]), (("enter", "restore it"),))
            if await self.app.push_screen_wait(look) is None:
                return
            named = {**self._named, "revision": revision, "expected_revision": now}
            done = await ask(self._source, "taskdoc_restore", **named)
        except Refused as no:
            saying.say(f"{no.message} {no.recovery}")
        else:
            saying.say(" ".join([f"Restored; it is revision {done['revision']} now.", *done.get("warnings", ())]))
            self._reading.soon()
