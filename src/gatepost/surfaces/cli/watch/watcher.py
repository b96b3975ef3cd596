"""Watching lists: in place on a terminal, line by line elsewhere, or as JSON."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from os import terminal_size
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Final, TypeVar

from gatepost.client.protocol import Client, Update
from gatepost.domain.refusals import Refusal
from gatepost.operations.inbox import Inbox
from gatepost.operations.overview import Overview
from gatepost.operations.radar import Radar
from gatepost.surfaces.cli.broken_pipe import while_read
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.watch.canvas import Canvas, size
from gatepost.surfaces.cli.watch.change_lines import changes, first_sight
from gatepost.surfaces.cli.watch.event_lines import event_line
from gatepost.surfaces.cli.watch.panel import panel
from gatepost.surfaces.terminal import Terminal, stdout
from gatepost.todo import TodoItem, TodoStore
from gatepost.todo.scopes import scope_key
from gatepost.wire import json_output

_PACE: Final = 0.05
"""Changes that come closer together are drawn as one."""

_SIGNALS: Final = 1.0

T = TypeVar("T")
Change = tuple[str, dict[str, Any]]
"""A list's key, and the `todo` that it took in, as the stream sends it."""


class Watch:
    """The todo lists of a workspace, or one of them, kept up to date by a subscription."""

    def __init__(self, client: Client, workspace: str, scope: str | None) -> None:
        start = client.do(Overview(workspace=workspace, limit=1))  # refuses what cannot be watched
        self._seq = start.seq
        self.workspace = workspace
        self.scope = scope
        self.todos = TodoStore()
        self.lost_since: str | None = None
        self.missing = ""
        """Says that the list that was asked for by name does not exist yet: the name may be mistyped."""
        self.ready = False
        """Whether the lists were received once."""
        self._client = client
        self._first = True
        self._reachable = True
        self._reasons: dict[str, dict[str | None, object]] = {}

    @contextmanager
    def listening(self, listener: Callable[[Update], None]) -> Iterator[None]:
        """Send updates to a listener, in another thread."""
        subscription = self._client.subscribe(self.workspace, listener, scope=self.scope, todos=self.todos)
        try:
            yield
        finally:
            subscription.close()

    def take(self, update: Update) -> list[Change]:
        """The changes of lists in an update. Raises what the subscription cannot recover from."""
        if update.fault is not None:
            raise update.fault
        if update.state == "refused":
            raise BadUsage(update.reason, "See gatepost watch --help")
        if update.state == "live":
            self.lost_since, self.ready = None, True
        elif (self.ready or not self._first) and self.lost_since is None:
            self.lost_since = time.strftime("%H:%M:%S")
        found = [change for change in map(_change, update.todo) if change is not None]
        # A list that arrives shows that the server answers, even while the other stream is still lost.
        self._reachable = update.state == "live" or bool(found)
        for key, _ in found:
            self._reasons.pop(key, None)
        if found:
            (_, todo), *_ = found
            unknown = (
                self._first and self.scope is not None and todo.get("op") == "clear" and not todo.get("revision")
            )
            self.missing = f"there is no list {self.scope} yet; waiting for it" if unknown else ""
            self._first = False
        return found

    def news(self, update: Update) -> list[dict[str, Any]]:
        """The events of an update that came since the watch began, each once."""
        fresh = [event for event in update.events if event["seq"] > self._seq]
        self._seq = max((event["seq"] for event in fresh), default=self._seq)
        return [event for event in fresh if self.scope in (None, event.get("task"))]

    def waiting(self) -> str:
        """How much waits for a person, in words; nothing if nothing does."""
        try:
            counts = self._client.do(Inbox(workspace=self.workspace, limit=1)).counts
        except Refusal:
            return ""
        sum_of = counts.question + counts.signoff + counts.approval + counts.package + counts.trust
        more = "+" if counts.at_least else ""
        return f"{sum_of}{more} for you: gatepost inbox" if sum_of else ""

    def why(self, scope: str, item: str) -> str:
        """Why an item is blocked. The stream does not say it: the radar is asked, once until the list changes."""
        if not scope.startswith("TASK-"):
            return ""
        if scope not in self._reasons:
            self._reasons[scope] = self._asked(scope) if self._reachable else {}
        reason = self._reasons[scope].get(item)
        return f" ({reason})" if reason else ""

    def _asked(self, task: str) -> dict[str | None, object]:
        try:
            blockers = self._client.do(Radar(workspace=self.workspace, task=task)).blockers
        except Refusal:
            return {}
        return {
            blocker.step_id: blocker.reason if blocker.question is None else blocker.question.ask
            for blocker in blockers
        }


def _change(event: dict[str, Any]) -> Change | None:
    payload = event.get("payload")
    todo = payload.get("todo") if isinstance(payload, dict) else None
    if not isinstance(todo, dict) or not isinstance(payload, dict):
        return None
    key = scope_key(todo, payload)
    return None if key is None else (key, todo)


def print_events(watch: Watch) -> None:
    """Print what each list takes in, as the stream has it, a line each."""
    for found, _ in _changes(watch, lambda: None):
        for _, todo in found:
            print_json(json_output.text(todo))
            sys.stdout.flush()


def print_changes(watch: Watch) -> None:
    """Print each change of each list, and each question, answer and claim."""
    printer = _Printer(watch)
    for found, update in _changes(watch, lambda: complain("connection lost; trying again")):
        for key, todo in found:
            printer.print(key, todo)
        printer.tell(watch.news(update))


def _changes(watch: Watch, lost: Callable[[], None]) -> Iterator[tuple[list[Change], Update]]:
    """The changes of each update as it comes. Says on stderr what is missing, and calls `lost` when the connection
    is."""
    queue: SimpleQueue[Update] = SimpleQueue()
    with while_read(), watch.listening(queue.put):
        while True:
            update, was_lost = _next_of(queue), watch.lost_since
            found = watch.take(update)
            if watch.lost_since is not None and was_lost is None:
                lost()
            if found and watch.missing:
                complain(watch.missing)
            yield found, update


def _next_of(queue: SimpleQueue[T]) -> T:
    """Wait for the next one.

    Not in one go: a signal that arrives just before a wait begins is looked at only when the wait ends.
    """
    while True:
        try:
            return queue.get(timeout=_SIGNALS)
        except Empty:
            continue


class _Printer:
    """Prints what is new in each list."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._terminal = stdout()
        self._seen: dict[str, tuple[TodoItem, ...]] = {}

    def print(self, key: str, todo: dict[str, Any]) -> None:
        """Print what has changed; nothing where the list looks as it did."""
        after = self._watch.todos.items(key)
        if key in self._seen:
            lines = changes(self._terminal, key, self._seen[key], after, self._watch.why)
        elif after:
            lines = [first_sight(self._terminal, key, str(todo.get("scopeLabel", key)), after)]
        else:
            return  # it was empty, and still is
        self._seen[key] = after
        self._say(lines)

    def tell(self, events: list[dict[str, Any]]) -> None:
        """Print the events that no list shows."""
        self._say([line for event in events if (line := event_line(self._terminal, event)) is not None])

    def _say(self, lines: list[str]) -> None:
        for line in lines:
            self._terminal.say(line)
        if lines:
            sys.stdout.flush()


def complain(words: str) -> None:
    """Say something on stderr."""
    if sys.stderr is not None:
        print(f"gatepost: {words}", file=sys.stderr)


class Drawing:
    """The lists, drawn in place by this thread as updates come in another."""

    def __init__(self, watch: Watch, lines: int) -> None:
        self._watch = watch
        self._lines = lines
        self._canvas = Canvas(sys.stdout)
        # The one queue into which a signal's handler may put something while this thread takes something out.
        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._order: dict[str, None] = {}
        self._waiting = ""

    def run(self) -> None:
        """Draw until interrupted, or until the subscription fails."""
        with self._signals(), self._watch.listening(lambda update: self._queue.put(partial(self._take, update))):
            try:
                while True:
                    self._draw_after(_PACE)
                    _next_of(self._queue)()
            finally:
                self._canvas.leave()

    def _draw_after(self, seconds: float) -> None:
        """Take in what comes within a moment, then draw it all."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._queue.get(timeout=left)()
            except Empty:
                break
        self._draw()

    def _draw(self) -> None:
        if not self._watch.ready:
            return
        columns, lines = size(sys.stdout)
        room = terminal_size((max(1, columns - 1), max(2, min(self._lines, lines - 1))))
        terminal = Terminal(sys.stdout)
        since = self._watch.lost_since
        state = f"lost at {since}, trying again" if since is not None else "live"
        newest_first = list(reversed(self._order))
        footer = f" {terminal.glyphs.dot} ".join(
            filter(None, (terminal.clean(self._watch.workspace), state, self._waiting, self._watch.missing))
        )
        self._canvas.draw(panel(terminal, self._watch.todos, newest_first, room, footer, self._watch.why))

    def _take(self, update: Update) -> None:
        if self._watch.news(update) or not self._watch.ready:
            self._waiting = self._watch.waiting()
        for key, _ in self._watch.take(update):
            self._order.pop(key, None)
            self._order[key] = None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Draw again when the window changes; below everything else when we were stopped and go on."""

        def resized(_signum: int, _frame: FrameType | None) -> None:
            self._queue.put(lambda: None)

        def resumed(_signum: int, _frame: FrameType | None) -> None:
            self._queue.put(self._canvas.restart_below)

        before = [
            (signum, signal.signal(signum, handler))
            for signum, handler in ((signal.SIGWINCH, resized), (signal.SIGCONT, resumed))
        ]
        try:
            yield
        finally:
            for signum, handler in before:
                signal.signal(signum, handler)
