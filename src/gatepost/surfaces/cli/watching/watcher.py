"""Watching lists: in place on a terminal, line by line elsewhere, or as JSON."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Final

from gatepost.surfaces.cli.broken_pipe import while_read
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.watch.block_reasons import Reasons
from gatepost.surfaces.cli.watch.canvas import Canvas, size
from gatepost.surfaces.cli.watch.change_lines import changes, first_sight
from gatepost.surfaces.cli.watch.panel import Room, panel
from gatepost.surfaces.cli.watching.lists import Lists, News
from gatepost.surfaces.terminal import Terminal, stdout
from gatepost.todo import TodoItem
from gatepost.wire import json_output

_PACE: Final = 0.05
"""What comes closer together is drawn as one."""
_PATIENCE: Final = 2.0


class Lost:
    """Whether a connection is cut just now, since when, and whom to tell."""

    def __init__(self) -> None:
        self.since: str | None = None
        self.tell: Callable[[], None] = lambda: None

    def __call__(self) -> None:
        """It is cut."""
        if self.since is None:
            self.since = time.strftime("%H:%M:%S")
            self.tell()


def print_events(lists: Lists, missing: "Missing") -> None:
    """Print what each list takes in, as the stream has it, a line each."""
    with while_read():
        for news in lists.news():
            missing.look(news)
            print_json(json_output.text(news.todo))
            sys.stdout.flush()


def print_changes(lists: Lists, lost: Lost, missing: "Missing") -> None:
    """Print each change of each list."""
    lost.tell = lambda: complain("the connection is lost; trying again")
    teller = _Teller(lists)
    with while_read():
        for news in lists.news():
            lost.since = None
            missing.look(news)
            teller.tell(news)


class _Teller:
    """Tells each list by what is new in it."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._terminal = stdout()
        self._reasons = Reasons(lists)
        self._seen: dict[str, tuple[TodoItem, ...]] = {}

    def tell(self, news: News) -> None:
        """Print what has changed; nothing where the list looks as it did."""
        key, after = news.scope, self._lists.todos.items(news.scope)
        self._reasons.forget(key)
        if key in self._seen:
            told = changes(self._terminal, key, self._seen[key], after, self._reasons)
        elif after:
            told = [first_sight(self._terminal, key, str(news.todo.get("scopeLabel", key)), after)]
        else:
            return  # nothing was ever there to be seen
        self._seen[key] = after
        for line in told:
            self._terminal.say(line)
        if told:
            sys.stdout.flush()


class Missing:
    """A list that was asked for by name and that nobody has written to yet: that is said once, for it may be
    a mistyped one."""

    def __init__(self, scope: str | None, tell: Callable[[str], None]) -> None:
        self._scope = scope
        self._tell = tell

    def look(self, news: News) -> None:
        """See whether the first that is heard is that there is nothing."""
        if self._scope is not None and news.todo.get("op") == "clear" and not news.todo.get("revision"):
            self._tell(f"there is no list {self._scope} yet; it is waited for")
        self._scope = None


def complain(words: str) -> None:
    """Say something beside what is watched."""
    if sys.stderr is not None:
        print(f"gatepost: {words}", file=sys.stderr)


class Drawing:
    """The lists, drawn in place by this thread as another one hears of changes."""

    def __init__(self, lists: Lists, lost: Lost, lines: int, scope: str | None) -> None:
        self._lists = lists
        self._reasons = Reasons(lists)
        self._missing = Missing(scope, self._miss)
        self._missed = ""
        self._lost = lost
        self._lines = lines
        self._canvas = Canvas(sys.stdout)
        # The one queue into which a signal's handler may put something while this thread takes something out.
        self._heard: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._order: dict[str, None] = {}
        self._waiting: dict[str, None] = {}

    def run(self) -> None:
        """Draw until interrupted, or until the news end for a reason, which is raised."""
        thread = threading.Thread(target=self._listen, name="gatepost watch", daemon=True)
        self._lost.tell = lambda: self._heard.put(lambda: None)
        with self._signals():
            thread.start()
            try:
                while True:
                    self._draw_after(_PACE)
                    self._heard.get()()
            finally:
                self._lists.stop()
                self._canvas.leave()
                thread.join(_PATIENCE)

    def _listen(self) -> None:
        """In the other thread: pass on which lists changed, each once until it is drawn."""
        try:
            for news in self._lists.news():
                self._lost.since = None
                self._missed = ""
                self._missing.look(news)
                if news.scope not in self._waiting:
                    self._waiting[news.scope] = None
                    self._heard.put(partial(self._touch, news.scope))
        except BaseException as error:  # noqa: BLE001 - handed over: it is the drawing thread that ends
            self._heard.put(partial(_raise, error))

    def _draw_after(self, seconds: float) -> None:
        """Take in what comes within a moment, then draw it all."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._heard.get(timeout=left)()
            except Empty:
                break
        self._draw()

    def _draw(self) -> None:
        columns, rows = size(sys.stdout)
        room = Room(max(1, columns - 1), max(2, min(self._lines, rows - 1)))
        terminal = Terminal(sys.stdout)
        where = terminal.clean(self._lists.where)
        state = f"lost at {self._lost.since}, trying again" if self._lost.since is not None else "live"
        newest_first = list(reversed(self._order))
        footer = f" {terminal.glyphs.dot} ".join(filter(None, (where, state, self._missed)))
        self._canvas.draw(panel(terminal, self._lists.todos, newest_first, room, footer, self._reasons))

    def _miss(self, words: str) -> None:
        self._missed = words

    def _touch(self, scope: str) -> None:
        self._waiting.pop(scope, None)
        self._reasons.forget(scope)
        self._order.pop(scope, None)
        self._order[scope] = None

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Draw again when the window changes; below everything else when we were stopped and go on."""

        def resized(_signum: int, _frame: FrameType | None) -> None:
            self._heard.put(lambda: None)

        def resumed(_signum: int, _frame: FrameType | None) -> None:
            self._heard.put(self._canvas.begin_anew)

        before = [
            (signum, signal.signal(signum, handler))
            for signum, handler in ((signal.SIGWINCH, resized), (signal.SIGCONT, resumed))
        ]
        try:
            yield
        finally:
            for signum, handler in before:
                signal.signal(signum, handler)


def _raise(error: BaseException) -> None:
    raise error
