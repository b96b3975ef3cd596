"""A section's history: who changed it when, and how."""

from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.replies.taskdocs import SectionRevision
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.review import ReviewDialog
from gatepost.surfaces.tui.keys import SECTION_HISTORY, Key, bindings, hints
from gatepost.surfaces.tui.screens.reader import ReadScreen, ScreenReader
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.source import words_of
from gatepost.surfaces.tui.texts import clip, safe
from gatepost.surfaces.tui.widgets.frame import LOW_SCREEN, KeyBar, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.row_list import RowList
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, diff_lines, refusal_lines, text_lines

_PAGE: Final = 50
_HOW: Final = {
    "change_mind": "rewrote it",
    "taskdoc_adopt": "adopted it from disk",
    "taskdoc_restore": "restored it",
    "tasks_undo": "undid a change",
    "tasks_redo": "redid a change",
}


class SectionHistoryScreen(ReadScreen[None]):
    """Revisions, newest first, and what the one under the cursor changed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(SECTION_HISTORY)
    VERTICAL_BREAKPOINTS = LOW_SCREEN

    def __init__(self, taskdoc: str, selector: str) -> None:
        super().__init__()
        self._named: dict[str, Any] = {"taskdoc": taskdoc, "selector": selector}
        self._shown = _PAGE
        self._more = False
        self._with_now = False
        self._diff_reader = ScreenReader(self, self._compare, self._refused_diff)

    def compose(self) -> ComposeResult:
        yield TopBar(f"{self._named['taskdoc']} {self._named['selector']}: history")
        yield RowList[SectionRevision](self._draw, lambda item: item.revision)
        yield TextView(id="diff")
        yield MessageLine()
        yield KeyBar(hints(SECTION_HISTORY))

    @property
    def _rows(self) -> RowList[SectionRevision]:
        found: RowList[SectionRevision] = self.query_one(RowList)
        return found

    def is_about(self, update: Update) -> bool:
        """Whether the taskdoc changed."""
        return update.gap or any(event.get("taskdoc") == self._named["taskdoc"] for event in update.events)

    async def read(self) -> None:
        items: list[SectionRevision] = []
        asked: dict[str, Any] = {}
        while len(items) < self._shown:
            reply = await in_thread(calls_of(self).taskdocs.history, **self._named, **asked, limit=_PAGE)
            items += reply.items
            self._more, asked = reply.has_more, {"cursor": reply.cursor}
            if not self._more:
                break
        self._rows.renew(items)
        self._diff_reader.soon()

    def refused(self, no: Refusal) -> None:
        if not self._rows.rows:
            self.query_one("#diff", TextView).show(refusal_lines(no))

    def _refused_diff(self, no: Refusal) -> None:
        self.query_one("#diff", TextView).show(refusal_lines(no), reset=True)

    def on_row_list_cursor_moved(self) -> None:
        self._diff_reader.soon()

    async def _compare(self) -> None:
        item = self._rows.row
        diff = self.query_one("#diff", TextView)
        if item is None:
            diff.show([TextLine("No revisions yet.", "dim")])
            return
        revision = item.revision
        since, to = (revision, self._rows.rows[0].revision) if self._with_now else (self._before(), revision)
        reply = await in_thread(calls_of(self).taskdocs.diff, **self._named, since=since, to=to)
        if item is not self._rows.row:
            return
        head = (
            f"Changes from revision {since} to {to} (current)"
            if self._with_now
            else f"Changes in revision {revision}"
        )
        lines = diff_lines(reply.diff) if reply.diff else [TextLine("No changes.", "dim")]
        outside = text_lines(item.outside, "dim", "  ") if item.outside else []
        over = [TextLine("The text on disk that was replaced:", "title"), *outside] if outside else []
        diff.show([TextLine(head, "title"), *lines, *over], reset=True)

    def _before(self) -> int:
        """The revision before the one under the cursor; 0 is the empty beginning."""
        rows, at = self._rows.rows, self._rows.cursor
        if at + 1 < len(rows):
            return rows[at + 1].revision
        return rows[at].revision - 1 if self._more else 0

    def _draw(self, item: SectionRevision, room: int) -> Text:
        glyphs = glyphs_of(self)
        now = "  now" if item is self._rows.rows[0] else ""
        how = _HOW.get(item.tool, "changed it")
        size = f"{item.bytes} bytes" if item.bytes else "empty"
        text = f" r{item.revision}{now}  {safe(item.actor)} {how}, {ago(self, item.at)} {glyphs.dot} {size}"
        return Text(clip(text, room, glyphs.ellipsis))

    def action_compare(self) -> None:
        self._with_now = not self._with_now
        self._diff_reader.soon()

    def action_older(self) -> None:
        if self._more:
            self._shown += _PAGE
            self.reader.soon()
        else:
            self.query_one(MessageLine).say("No older revisions.")

    def action_restore(self) -> None:
        """Restore a text after the person has seen the difference."""
        self.run_worker(self._restore())

    async def _restore(self) -> None:
        item, saying = self._rows.row, self.query_one(MessageLine)
        if item is None or item is self._rows.rows[0]:
            saying.say("This is the current text.")
            return
        now, revision = self._rows.rows[0].revision, item.revision
        try:
            reply = await in_thread(calls_of(self).taskdocs.diff, **self._named, since=now, to=revision)
            words = f"Restore {self._named['selector']} from revision {revision}? It is now at {now}."
            look = ReviewDialog(words, diff_lines(reply.diff), [Key("enter", "", "restore it")])
            if await self.app.push_screen_wait(look) is None:
                return
            named = {**self._named, "revision": revision, "expected_revision": now}
            done = await in_thread(calls_of(self).taskdocs.restore, **named)
        except Refusal as no:
            saying.say(words_of(no))
        else:
            saying.say(" ".join([f"Restored as revision {done.revision}.", *(done.warnings or ())]))
            self.reader.soon()
