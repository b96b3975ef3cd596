"""The state that all screens of one running terminal interface share, and what they may ask of the application."""

from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Protocol, cast

from textual.widget import Widget

from gatepost.client.protocol import State, Update
from gatepost.surfaces.terminal import Glyphs
from gatepost.surfaces.tui.editor import UnsentText
from gatepost.surfaces.tui.models.composer_target import ComposerContext
from gatepost.surfaces.tui.models.outbox import Outbox
from gatepost.surfaces.tui.models.todo_lists import TodoLists
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.texts import elapsed, safe

LOG_KEPT: Final = 2_000
"""The number of log events kept."""


class TuiSession:
    """One workspace as it is known here: connection, todo lists, log; and what was typed but not sent."""

    def __init__(self, source: Source, glyphs: Glyphs, now: Callable[[], float]) -> None:
        self.source = source
        self.glyphs = glyphs
        self.now = now
        self.state: State = "lost"
        self.reason = "connecting"
        self.last_live: float | None = None
        """When the screen last showed the current state; `None` before the first connection."""
        self.waiting = 0
        """How many things wait for a person."""
        self.lists = TodoLists(source.todos)
        self.log: deque[dict[str, Any]] = deque(maxlen=LOG_KEPT)
        self.drafts: dict[tuple[str, ...], str] = {}
        """Texts of dialogs, by what they are for."""
        self.sending: set[str] = set()
        """The tasks for which a dialog waits for a reply."""
        self.unsent: dict[tuple[str, str], UnsentText] = {}
        """Texts from the editor, by taskdoc and section."""
        self.outbox = Outbox()
        self.line = ""
        """What the composer shows."""
        self.set_aside: dict[str, tuple[str, ComposerContext | None]] = {}
        """What was typed in the composer and is not shown now, by kind: a note or a command."""

    def update(self, update: Update) -> bool:
        """Take in an update, and return whether anything changed."""
        known = (self.state, self.reason) == (update.state, update.reason)
        if known and not (update.events or update.todo or update.gap or update.new_log):
            return False
        if "live" in (self.state, update.state):
            self.last_live = self.now()
        self.state, self.reason = update.state, update.reason
        if update.new_log:
            self.log.clear()
            self.lists = TodoLists(self.source.todos)
        self._keep(update)
        self.lists.take(update)
        return True

    def _keep(self, update: Update) -> None:
        """Keep the events. After a reconnect some may arrive twice."""
        last = self.log[-1]["seq"] if self.log else 0
        for event in update.events:
            if event["seq"] > last:
                last = event["seq"]
                self.log.append(event)


class Host(Protocol):
    """What screens, dialogs and widgets may ask of the application."""

    session: TuiSession

    @property
    def exiting(self) -> bool:
        """Whether the application is about to end: nothing new is started then."""

    def action_go(self, name: str) -> None:
        """Show a screen by its name, or quit."""

    def show_tree(self, task: str | None, path: str | None = None) -> None:
        """Show a task's step tree, at a step; without a task, that of the leading list."""

    def show_reply(self, operation: str, text: str) -> None:
        """Show the reply to an operation."""


def host_of(widget: Widget) -> Host:
    """The application that a widget belongs to."""
    return cast("Host", widget.app)


def session_of(widget: Widget) -> TuiSession:
    """The session that a widget belongs to."""
    return host_of(widget).session


def glyphs_of(widget: Widget) -> Glyphs:
    """The signs the application was started with."""
    return host_of(widget).session.glyphs


def ago(widget: Widget, at: str) -> str:
    """How long ago a moment was, by the application's clock."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return safe(at)
    return f"{elapsed(session_of(widget).now() - moment.timestamp())} ago"
