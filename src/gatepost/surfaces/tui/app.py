"""The application: one screen at a time, and updates that reach every screen once."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from textual.app import App
from textual.binding import BindingType
from textual.events import Event, Key, Paste
from textual.filter import Monochrome
from textual.message import Message
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.terminal import PLAIN, RICH, Glyphs
from gatepost.surfaces.tui.dialogs.dialog import Dialog
from gatepost.surfaces.tui.filters import AsciiFilter, ColorlessFilter
from gatepost.surfaces.tui.key_queue import KeyQueue
from gatepost.surfaces.tui.keys import GLOBAL, bindings
from gatepost.surfaces.tui.screens.home import HomeScreen
from gatepost.surfaces.tui.session import TuiSession
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.widgets.frame import TopBar

MERGED: Final = 0.05
"""Updates within this many seconds are drawn together."""
_NOTICE: Final = 10.0
_NEW_LOG: Final = "The log was replaced. The open dialog is closed; your text is kept."


class Updated(Message):
    """An update arrived."""


@runtime_checkable
class UpdateListener(Protocol):
    """A screen that wants updates."""

    def receive(self, update: Update) -> None:
        """Show what is new."""


class GatepostApp(App[None]):
    """The terminal interface of one workspace."""

    TITLE = "Gatepost"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = Path(__file__).with_name("styles.tcss")
    BINDINGS: ClassVar[list[BindingType]] = bindings(GLOBAL)

    def __init__(self, source: Source, *, glyphs: Glyphs = RICH, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self.session = TuiSession(source, glyphs, now)
        self._waiting: Update | None = None
        self._lock = threading.Lock()
        self._drawn_at = 0.0
        self._home = HomeScreen()
        self._keys = KeyQueue(self, super().on_event)
        self.no_color = bool(os.environ.get("NO_COLOR"))
        self._filters = [each for each in self._filters if not isinstance(each, Monochrome)]
        if self.no_color:
            self._filters.append(ColorlessFilter())
        if glyphs is PLAIN:
            self._filters.append(AsciiFilter())

    @property
    def fault(self) -> Exception | None:
        """The unexpected error that ended the application, if one did."""
        return self._exception

    @property
    def exiting(self) -> bool:
        """Whether the application is about to end: nothing new is started then."""
        return self._exit

    def _fatal_error(self) -> None:
        # Textual would print a traceback with every local value. The command line reports faults without them.
        self._close_messages_no_wait()

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._keys.press(event)
        else:
            await super().on_event(event)

    def get_default_screen(self) -> Screen[None]:
        return self._home

    def on_mount(self) -> None:
        self.session.source.start(self._receive)
        self.set_interval(1.0, self._tick)
        # After the shell has stopped and continued us, Textual redraws only what changes.
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))

    def on_unmount(self) -> None:
        self.session.source.stop()

    def leave(self, code: int = 0) -> None:
        """End with an exit code."""
        if not self.exiting:
            self.exit(return_code=code)

    def action_go(self, name: str) -> None:
        """Show a screen by its name, or quit."""
        if name == "quit":
            self.leave()
        elif self.exiting:
            return
        elif name == "tree":
            self.show_tree(None)
        else:
            self._show(_screen(name))

    def show_tree(self, task: str | None, path: str | None = None) -> None:
        """Show a task's step tree, at a step; without a task, that of the leading list."""
        from gatepost.surfaces.tui.screens.tree import TreeScreen

        shown = self._show(TreeScreen(task or self.session.lists.leading(), path))
        if task is not None and isinstance(shown, TreeScreen):
            shown.show(task, path)

    def show_reply(self, operation: str, text: str) -> None:
        """Show the reply to an operation."""
        from gatepost.surfaces.tui.screens.text import reply_screen

        self.push_screen(reply_screen(operation, text))

    def _show(self, screen: Screen[Any]) -> Screen[Any] | None:
        """Show a screen. If one of its kind is already open, go back to that one and return it, so that screens do
        not pile up."""
        there = next((each for each in self.screen_stack if type(each) is type(screen)), None)
        if there is None:
            self.push_screen(screen)
        while there is not None and self.screen is not there:
            self.screen.dismiss(None)
        return there

    def _receive(self, update: Update) -> None:
        """Called by the source's threads: keep the update for the next redraw."""
        with self._lock:
            first = self._waiting is None
            self._waiting = update if self._waiting is None else self._waiting + update
        if first:
            self.post_message(Updated())

    def on_updated(self) -> None:
        """Draw the first update of a burst at once, the rest together."""
        since = time.monotonic() - self._drawn_at
        if since >= MERGED:
            self._draw()
        else:
            self.set_timer(MERGED - since, self._draw)

    def _draw(self) -> None:
        with self._lock:
            update, self._waiting = self._waiting, None
        if update is None or not self.session.update(update):
            return
        self._drawn_at = time.monotonic()
        if update.new_log:
            self._close_dialogs()
        for screen in self.screen_stack:
            if isinstance(screen, UpdateListener):
                screen.receive(update)
            for bar in screen.query(TopBar):
                bar.renew()

    def _close_dialogs(self) -> None:
        """Close dialogs and what is above them: their task is in another log. Drafts are kept."""
        first = next((at for at, each in enumerate(self.screen_stack) if isinstance(each, Dialog)), None)
        if first is None:
            return
        for screen in reversed(self.screen_stack[first:]):
            if isinstance(screen, Dialog):
                screen.dismiss(None)
            else:
                self.pop_screen()
        self.notify(_NEW_LOG, severity="warning", timeout=_NOTICE, markup=False)

    def _tick(self) -> None:
        self._home.renew()
        if self.session.state != "live":  # show how long ago the connection was lost
            for bar in self.screen.query(TopBar):
                bar.renew()


def _screen(name: str) -> Screen[Any]:
    """A screen by its name. Each is imported when it is first wanted."""
    if name == "lists":
        from gatepost.surfaces.tui.screens.lists import ListsScreen

        return ListsScreen()
    if name == "docs":
        from gatepost.surfaces.tui.screens.taskdoc import TaskdocScreen

        return TaskdocScreen()
    if name == "radar":
        from gatepost.surfaces.tui.screens.radar import RadarScreen

        return RadarScreen()
    if name == "inbox":
        from gatepost.surfaces.tui.screens.inbox import InboxScreen

        return InboxScreen()
    if name == "log":
        from gatepost.surfaces.tui.screens.activity import ActivityScreen

        return ActivityScreen()
    from gatepost.surfaces.tui.screens.help import HelpScreen

    return HelpScreen()
