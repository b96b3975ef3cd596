"""ActivityScreen: the log, live, until it is told to hold."""

import io
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen as TextualScreen

from gatepost.client.protocol import Update
from gatepost.surfaces.event_text import event_words
from gatepost.surfaces.terminal import Terminal
from gatepost.surfaces.tui.screens.text import event_screen
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

_KEYS: Final = (
    *(("Space", "hold"), ("s", "turn round"), ("j k", "move"), ("g G", "ends"), ("Enter", "detail")),
    ("Esc", "back"),
)
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


class ActivityScreen(TextualScreen[None]):
    """The end of the log. While nobody moves, the newest event is in view."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,p", "hold", show=False),
        Binding("s", "turn", show=False),
        Binding("escape", "back", show=False),
    ]

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source
        self._bar = TopBar("activity")
        self._rows: RowList[Event]
        self._newest_last = True
        self._follows = True
        self._held: int | None = None
        self._words: Callable[[Event], str] = _words()

    @property
    def gatepost(self) -> "GatepostApp":
        """The application, which keeps the log."""
        return cast("GatepostApp", self.app)

    def compose(self) -> ComposeResult:
        """The rows, from top to bottom."""
        self._rows = RowList(self._draw, lambda event: event.get("seq"), mark=self.gatepost.glyphs.cursor)
        yield self._bar
        yield self._rows
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Begin at the newest."""
        self._rows.focus()
        self._show()

    def heard(self, _batch: Update) -> None:
        """Show what is new, unless it is held."""
        self._show()

    def action_hold(self) -> None:
        """Let the log stand still; or go on, with all that came meanwhile."""
        log = self.gatepost.log_events
        self._held = None if self._held is not None else (log[-1]["seq"] if log else 0)
        self._show()

    def action_turn(self) -> None:
        """The newest last, or first."""
        self._newest_last = not self._newest_last
        self._follows = True
        self._show()

    def action_back(self) -> None:
        """Leave."""
        self.dismiss()

    def on_row_list_moved(self) -> None:
        """The newest stays in view only as long as the cursor is on it."""
        last = len(self._rows.rows) - 1
        self._follows = self._rows.cursor == (last if self._newest_last else 0)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """An event in full."""
        self.app.push_screen(event_screen(cast("Event", event.row)))

    def _show(self) -> None:
        log = list(self.gatepost.log_events)
        shown = [event for event in log if self._held is None or event["seq"] <= self._held]
        waiting = len(log) - len(shown)
        if self._held is not None:
            self._bar.rename(f"activity, on hold: {waiting} new")
        else:
            self._bar.rename("activity, newest last" if self._newest_last else "activity, newest first")
        self._rows.renew(shown if self._newest_last else shown[::-1])
        if self._follows:
            self._rows.go(-1 if self._newest_last else 0)

    def _draw(self, event: Event, room: int) -> Text:
        glyphs = self.gatepost.glyphs
        kind = str(event.get("type", ""))
        sign = getattr(glyphs, _SIGNS.get(kind, "dot"))
        where = safe(" ".join(str(event[name]) for name in _WHERE if event.get(name)))
        actor = safe(str(event.get("actor", ""))).removeprefix("agent:")
        wide = room >= _WIDE
        head = [clock(event.get("at")), sign, pad(safe(kind), 18), pad(actor, 18 if wide else 10)]
        rest = f"{where}  {safe(self._words(event))}".strip()
        return Text(clip(f" {' '.join(head)} {rest}", room, glyphs.ellipsis))


def clock(at: object) -> str:
    """The time of day of a moment of the log, in UTC as the log has it."""
    try:
        return f"{datetime.fromisoformat(str(at)):%H:%M:%S}"
    except ValueError:
        return " " * 8


def _words() -> Callable[[Event], str]:
    """How the plain command line puts an event into words."""
    terminal = Terminal(io.StringIO())
    return lambda event: event_words(terminal, event)
