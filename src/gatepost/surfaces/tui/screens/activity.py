"""The event log, live."""

import io
from datetime import datetime
from typing import Any, ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.event_text import event_words
from gatepost.surfaces.terminal import Terminal
from gatepost.surfaces.tui.keys import ACTIVITY, bindings, hints
from gatepost.surfaces.tui.screens.text import event_screen
from gatepost.surfaces.tui.session import session_of
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.row_list import RowList

_WIDE: Final = 100
_WHERE: Final = ("task", "plan", "session", "section_key", "taskdoc", "selector", "path")
_SIGNS: Final = {
    "step_done": "done",
    "task_completed": "done",
    "step_blocked": "blocked",
    "step_reopened": "open",
    "step_unblocked": "open",
}

Event = dict[str, Any]


class ActivityScreen(Screen[None]):
    """The end of the log. The newest event stays in view until the cursor moves."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(ACTIVITY)

    def __init__(self) -> None:
        super().__init__()
        self._bar = TopBar("activity")
        self._rows: RowList[Event]
        self._newest_last = True
        self._follows = True
        self._held: int | None = None
        self._terminal = Terminal(io.StringIO())

    def compose(self) -> ComposeResult:
        self._rows = RowList(self._draw, lambda event: event.get("seq"), mark=session_of(self).glyphs.cursor)
        yield self._bar
        yield self._rows
        yield KeyBar(hints(ACTIVITY))

    def on_mount(self) -> None:
        self._rows.focus()
        self._show()

    def receive(self, _update: Update) -> None:
        """Show what is new, unless it is held."""
        self._show()

    def action_hold(self) -> None:
        """Pause the log, or continue with everything that came meanwhile."""
        log = session_of(self).log
        self._held = None if self._held is not None else (log[-1]["seq"] if log else 0)
        self._show()

    def action_turn(self) -> None:
        self._newest_last = not self._newest_last
        self._follows = True
        self._show()

    def on_row_list_cursor_moved(self) -> None:
        """The newest stays in view only as long as the cursor is on it."""
        last = len(self._rows.rows) - 1
        self._follows = self._rows.cursor == (last if self._newest_last else 0)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        self.app.push_screen(event_screen(cast("Event", event.row)))

    def _show(self) -> None:
        log = list(session_of(self).log)
        shown = [event for event in log if self._held is None or event["seq"] <= self._held]
        waiting = len(log) - len(shown)
        if self._held is not None:
            self._bar.rename(f"activity, paused: {waiting} new")
        else:
            self._bar.rename("activity, newest last" if self._newest_last else "activity, newest first")
        self._rows.renew(shown if self._newest_last else shown[::-1])
        if self._follows:
            self._rows.go(-1 if self._newest_last else 0)

    def _draw(self, event: Event, room: int) -> Text:
        glyphs = session_of(self).glyphs
        kind = str(event.get("type", ""))
        sign = getattr(glyphs, _SIGNS.get(kind, "dot"))
        where = safe(" ".join(str(event[name]) for name in _WHERE if event.get(name)))
        actor = safe(str(event.get("actor", ""))).removeprefix("agent:")
        wide = room >= _WIDE
        head = [clock(event.get("at")), sign, pad(safe(kind), 18), pad(actor, 18 if wide else 10)]
        rest = f"{where}  {safe(event_words(self._terminal, event))}".strip()
        return Text(clip(f" {' '.join(head)} {rest}", room, glyphs.ellipsis))


def clock(at: object) -> str:
    """The time of day of a moment of the log, in UTC as the log has it."""
    try:
        return f"{datetime.fromisoformat(str(at)):%H:%M:%S}"
    except ValueError:
        return " " * 8
