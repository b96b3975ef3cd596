"""The application: one source, a screen at a time, and news that reach every screen once."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Event, Key, Paste
from textual.filter import Monochrome
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from gatepost.client.protocol import State, Update
from gatepost.surfaces.tui.filters import AsciiFilter, ColorlessFilter
from gatepost.surfaces.tui.key_queue import KeyQueue
from gatepost.surfaces.tui.models.outbox import Outbox
from gatepost.surfaces.tui.models.todo_lists import TodoLists
from gatepost.surfaces.tui.screens.home import HomeScreen
from gatepost.surfaces.tui.session import Reader, ask
from gatepost.surfaces.tui.source import STORE_FAULTS, Refused, Source
from gatepost.surfaces.tui.texts import Glyphs
from gatepost.surfaces.tui.widgets.composer import Composer
from gatepost.surfaces.tui.widgets.frame import TopBar
from gatepost.todo import Scope

MERGED: Final = 0.05
"""News within so many seconds are one redraw."""
KEPT: Final = 2_000
"""So many events of the log are kept."""
_TOLD: Final = 10.0
_PASSING: Final = frozenset({"BUSY", "RATE_LIMITED", "INTERNAL", "UNAUTHORIZED", *STORE_FAULTS})
_OPEN: Final = frozenset({"TODO", "ACTIVE"})
_ANOTHER: Final = "Another log is there now. The dialog on the one before is closed; what was typed in it is kept."


class News(Message):
    """Something was heard."""


@runtime_checkable
class UpdateListener(Protocol):
    """A screen that wants to know what was heard."""

    def heard(self, batch: Update) -> None:
        """Show what is new."""


class GatepostApp(App[None]):
    """Everything that is shown of one workspace."""

    TITLE = "Gatepost"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "go('tree')", "tree"),
        Binding("o", "go('lists')", "lists"),
        Binding("d", "go('docs')", "docs"),
        Binding("r", "go('radar')", "radar"),
        Binding("a", "go('log')", "log"),
        Binding("question_mark", "go('help')", "help"),
        Binding("q,ctrl+c", "go('quit')", "quit"),
        Binding("ctrl+z", "suspend_process", "to the shell"),
    ]

    def __init__(
        self, source: Source, *, glyphs: Glyphs | None = None, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self.source = source
        self.glyphs = glyphs or Glyphs()
        self.now = now
        self.state: State = "lost"
        self.reason = "connecting"
        self.heard_at: float | None = None
        """When what is shown was last what is; nothing before it ever was."""
        self.lists = TodoLists(source.todos)
        self.log_events: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._waiting: Update | None = None
        self._lock = threading.Lock()
        self._last = 0.0
        self._home = HomeScreen()
        self._leading = Reader(self._home, self._find_lead)
        self._keys = KeyQueue(self, super().on_event)
        self.line = ""
        """What stands in the composer."""
        self.no_color = bool(os.environ.get("NO_COLOR"))
        self._filters = [each for each in self._filters if not isinstance(each, Monochrome)]
        if self.no_color:
            self._filters.append(ColorlessFilter())
        if self.glyphs.ascii:
            self._filters.append(AsciiFilter())

    @property
    def fault(self) -> Exception | None:
        """What ended it, if it was no person."""
        return self._exception

    @property
    def outbox(self) -> Outbox:
        """The lines that were sent and not answered, or that came back."""
        return self._home.outbox

    @property
    def set_aside(self) -> list[str]:
        """What was typed in the composer and is not shown there just now."""
        return self._home.set_aside

    @property
    def ending(self) -> bool:
        """Whether somebody has left: nothing more is begun then."""
        return self._exit

    def _fatal_error(self) -> None:
        # What Textual would print has everybody's values in it. The command line tells of faults, without them.
        self._close_messages_no_wait()

    async def on_event(self, event: Event) -> None:
        """Keys go their way one after another."""
        if isinstance(event, Key | Paste) and not event.is_forwarded:
            await self._keys.press(event)
        else:
            await super().on_event(event)

    def get_default_screen(self) -> Screen[None]:
        """The first screen."""
        return self._home

    def on_mount(self) -> None:
        """Begin to listen."""
        self.source.start(self._hear)
        self.set_interval(1.0, self._tick)
        # After a stop by the shell, Textual draws again only what changes.
        self.app_resume_signal.subscribe(self, lambda _app: self.refresh(layout=True))

    def on_unmount(self) -> None:
        """Stop listening."""
        self.source.stop()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Know what would be lost."""
        if isinstance(event.input, Composer):
            self.line = event.value

    def leave(self, code: int = 0) -> None:
        """End, with an exit code."""
        if not self.ending:
            self.exit(return_code=code)

    def action_go(self, name: str) -> None:
        """Show a screen by its name."""
        self.go(name)

    def go(self, name: str) -> None:
        """Show a screen by its name, if it is not the one that is shown; or end."""
        if name == "quit":
            self.leave()
        elif self.ending:
            return
        elif name == "tree":
            self.show_tree(None)
        else:
            self._push(_made(name, self.source))

    def show_tree(self, task: str | None) -> None:
        """Show a task's tree; without a task, that of the list that leads, or whatever the radar speaks of."""
        from gatepost.surfaces.tui.screens.tree import TreeScreen

        self._push(TreeScreen(self.source, task or self.lists.leading()))

    def show_reply(self, operation: str, reply: dict[str, Any]) -> None:
        """Show what an operation answered."""
        from gatepost.surfaces.tui.screens.text import reply_screen

        self.push_screen(reply_screen(operation, reply))

    def wonder(self, scopes: Sequence[Scope]) -> None:
        """Ask for what the lists that are shown do not say themselves: reasons, and since when."""
        unknown = self.lists.unknown(scopes)
        if unknown:
            self.run_worker(self._learn(unknown), group="learning")
        bare = self.lists.bare()
        if bare:
            self.run_worker(self._learn_bare(self.lists, bare), group="learning")

    async def _learn_bare(self, lists: TodoLists, bare: Iterable[Scope]) -> None:
        for scope in bare:
            try:
                radar = await ask(self.source, "tasks_radar", task=scope.key)
            except Refused as no:
                lists.learn_bare(scope.key, is_open=None if no.code in _PASSING else False)
            else:
                lists.learn_bare(scope.key, is_open=(radar.get("target") or {}).get("status") in _OPEN)
        self._home.renew()

    async def _learn(self, tasks: Iterable[str]) -> None:
        for task in tasks:
            try:
                radar = await ask(self.source, "tasks_radar", task=task)
                resumed = await ask(self.source, "tasks_resume", task=task, events_limit=50, limit=1)
            except Refused:
                continue  # it is gone, or the connection is: what is shown says less, and nothing wrong
            self.lists.learn(task, radar, resumed)
        self._home.renew()

    async def _find_lead(self) -> None:
        try:
            radar = await ask(self.source, "tasks_radar")
        except Refused:
            return
        lead = (radar.get("now") or {}).get("task") or (radar.get("target") or {}).get("id")
        if lead != self.lists.lead:
            self.lists.lead = lead
            self._home.renew()

    def _push(self, screen: Screen[Any]) -> None:
        """Show a screen. One of its kind that stands below others comes up again instead: so they never pile up."""
        kinds = [type(each) for each in self.screen_stack]
        if type(screen) not in kinds:
            self.push_screen(screen)
            return
        for _ in range(len(kinds) - 1 - kinds.index(type(screen))):
            self.pop_screen()

    def _hear(self, batch: Update) -> None:
        """Called by the source's threads: what came is kept for the next redraw."""
        with self._lock:
            first = self._waiting is None
            self._waiting = batch if self._waiting is None else self._waiting + batch
        if first:
            self.post_message(News())

    def on_news(self) -> None:
        """The first news of a burst are shown at once, the rest together."""
        since = time.monotonic() - self._last
        if since >= MERGED:
            self._tell()
        else:
            self.set_timer(MERGED - since, self._tell)

    def _tell(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, None
        if batch is None or not self._is_news(batch):
            return
        self._last = time.monotonic()
        self._take(batch)
        if batch.new_log:
            self._close_dialogs()
        for screen in self.screen_stack:
            if isinstance(screen, UpdateListener):
                screen.heard(batch)
        self._freshen()

    def _close_dialogs(self) -> None:
        """What a dialog would write to is in another log: it goes, with what stands above it. Its draft is kept."""
        from gatepost.surfaces.tui.dialogs.dialog import Dialog

        first = next((at for at, each in enumerate(self.screen_stack) if isinstance(each, Dialog)), None)
        if first is None:
            return
        for screen in reversed(self.screen_stack[first:]):
            if isinstance(screen, Dialog):
                screen.action_leave()
            else:
                self.pop_screen()
        self.notify(_ANOTHER, severity="warning", timeout=_TOLD, markup=False)

    def _is_news(self, batch: Update) -> bool:
        known = (self.state, self.reason) == (batch.state, batch.reason)
        return bool(batch.events or batch.todo or batch.gap or batch.new_log) or not known

    def _take(self, batch: Update) -> None:
        if "live" in (self.state, batch.state):
            self.heard_at = self.now()
        self.state, self.reason = batch.state, batch.reason
        if batch.new_log:
            self.log_events.clear()
            self.lists = TodoLists(self.source.todos)
        self._keep(batch)
        self.lists.take(batch)
        if batch.events or batch.gap:
            self._leading.soon()

    def _keep(self, batch: Update) -> None:
        """Keep the events. After a break some may come again."""
        last = self.log_events[-1]["seq"] if self.log_events else 0
        for event in batch.events:
            if event["seq"] > last:
                last = event["seq"]
                self.log_events.append(event)

    def _freshen(self) -> None:
        for screen in self.screen_stack:
            for bar in screen.query(TopBar):
                bar.renew()

    def _tick(self) -> None:
        self._home.renew()
        if self.state != "live":  # how long ago that was, on the screen that is seen
            for bar in self.screen.query(TopBar):
                bar.renew()


def _made(name: str, source: Source) -> Screen[Any]:
    """A screen by its name. Each is imported when it is wanted."""
    if name == "lists":
        from gatepost.surfaces.tui.screens.lists import ListsScreen

        return ListsScreen(source)
    if name == "docs":
        from gatepost.surfaces.tui.screens.taskdoc import TaskdocScreen

        return TaskdocScreen(source)
    if name == "radar":
        from gatepost.surfaces.tui.screens.radar import RadarScreen

        return RadarScreen(source)
    if name == "log":
        from gatepost.surfaces.tui.screens.activity import ActivityScreen

        return ActivityScreen(source)
    from gatepost.surfaces.tui.screens.help import help_pages

    return help_pages()
