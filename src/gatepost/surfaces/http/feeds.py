"""The log, followed: one thread for each workspace that somebody watches, however many watch it.

The newest events are kept once for all clients of a workspace, so that a client costs a position and no queue.
Whoever is further behind reads from the store until it has caught up.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final, NamedTuple

from gatepost.domain.refusals import Refusal
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.surfaces import faults
from gatepost.surfaces.http.problems import busy
from gatepost.wire import rendering

PAGE: Final = 256
KEPT: Final = 1024
MOST_FEEDS: Final = 128
_WAIT: Final = 0.5
_PAUSE: Final = 0.25
_FEW: Final = 8
_REST: Final = 0.25


class Frame(NamedTuple):
    """One event as it goes over the wire."""

    seq: int
    data: bytes


class Feed:
    """A workspace's log as it grows. But for the reading, all of it belongs to the event loop's thread."""

    def __init__(self, engine: Engine, workspace: str, head: int) -> None:
        self.workspace = workspace
        self.clients = 0
        self._engine = engine
        self._kept: list[Frame] = []
        self._head = head
        self._ended = False
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._news = False
        self._herald: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._stopping = Event()
        self.thread = Thread(target=self._follow, args=(head,), name=f"feed {workspace}", daemon=True)
        self.thread.start()

    def since(self, seq: int) -> list[Frame] | None:
        """What is kept after a `seq`; none if that is too long ago to be kept."""
        missing = self._head - seq
        if missing > len(self._kept):
            return None
        start = len(self._kept) - max(missing, 0)  # `seq` has no gaps: a difference is a number of events
        return self._kept[start : start + PAGE]

    def read(self, seq: int) -> list[Frame]:
        """What the store has after a `seq`, up to a page. Blocks: call it in a thread."""
        return _frames(self._page(seq))

    async def wait(self, seconds: float) -> bool:
        """Wait for something new, but not for ever; whether it came. Look before: only what comes later counts."""
        turn: asyncio.Future[None] = self._loop.create_future()
        self._waiting[turn] = None
        try:
            async with asyncio.timeout(seconds):
                await turn
        except TimeoutError:
            return False
        finally:
            self._waiting.pop(turn, None)
        return True

    def ended(self) -> bool:
        """Whether nothing comes any more."""
        return self._ended

    def stop(self) -> None:
        """Let everyone go who follows, and the thread."""
        self._stopping.set()
        self._ended = True
        _wake(self._waiting)

    def _page(self, after: int) -> list[EventRow]:
        with self._engine.store.reading(self.workspace) as snapshot:
            return snapshot.events(after, PAGE, None)

    def _follow(self, after: int) -> None:
        try:
            while not self._stopping.is_set():
                after = self._step(after)
        except Exception as error:  # noqa: BLE001 - the thread's edge: nobody above could tell
            faults.report(f"while following {self.workspace}", error)
            self._tell(self.stop)

    def _step(self, after: int) -> int:
        try:
            page = self._page(after)
            if not page:
                self._engine.store.wait(self.workspace, after, _WAIT)
                return after
        except Refusal:  # busy, which passes
            self._stopping.wait(_PAUSE)
            return after
        frames = _frames(page)
        self._tell(lambda: self._publish(frames))
        return page[-1].seq

    def _tell(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile, and everyone with it
            self._loop.call_soon_threadsafe(what)

    def _publish(self, frames: Sequence[Frame]) -> None:
        self._kept.extend(frames)
        if len(self._kept) > 2 * KEPT:  # by half, and not one for one: a list gives way at its end only
            del self._kept[:-KEPT]
        self._head = frames[-1].seq
        self._news = True
        if self._herald is None:
            self._herald = self._loop.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        """Wake those who wait, a few at a time, and rest as long as that took.

        Hundreds woken at once would keep the loop from every call until the last of them was served. So calls get
        their turn between the few, and at least half of the time; whoever is told late is told more at once.
        """
        while self._news and not self._ended:
            self._news, begun = False, self._loop.time()
            told, self._waiting = list(self._waiting), {}
            for start in range(0, len(told), _FEW):
                _wake(told[start : start + _FEW])
                await asyncio.sleep(0)
            await asyncio.sleep(min(self._loop.time() - begun, _REST))
        self._herald = None


class Feeds:
    """The feeds that are watched, each for as long as somebody watches."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._feeds: dict[str, Feed] = {}
        self._threads: list[Thread] = []
        self._stopped = False

    @contextmanager
    def watching(self, workspace: str, head: int) -> Iterator[Feed]:
        """A workspace's feed, shared with all others who watch it. `head` is where its log is now, or was."""
        feed = self._feeds.get(workspace)
        if feed is None or feed.ended():
            feed = self._begun(workspace, head)
        feed.clients += 1
        try:
            yield feed
        finally:
            feed.clients -= 1
            if not feed.clients:
                self._end(feed)

    def check_room(self, workspace: str) -> None:
        """Refuse a workspace that nobody watches yet where too many are watched already."""
        if self._stopped:
            raise busy("The server is shutting down.")
        if workspace not in self._feeds and len(self._feeds) >= MOST_FEEDS:
            raise busy(f"{MOST_FEEDS} workspaces are watched already.")

    def stop(self) -> None:
        """End every stream, now and from now on."""
        self._stopped = True
        for feed in self._feeds.values():
            feed.stop()

    def join(self, seconds: float) -> bool:
        """Whether every thread came to its end in time."""
        for thread in self._threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

    def _begun(self, workspace: str, head: int) -> Feed:
        feed = self._feeds[workspace] = Feed(self._engine, workspace, head)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(feed.thread)
        if self._stopped:
            feed.stop()
        return feed

    def _end(self, feed: Feed) -> None:
        feed.stop()
        if self._feeds.get(feed.workspace) is feed:
            del self._feeds[feed.workspace]


def _wake(waiting: Iterable["asyncio.Future[None]"]) -> None:
    for turn in waiting:
        if not turn.done():
            turn.set_result(None)


def _frames(page: Sequence[EventRow]) -> list[Frame]:
    return [Frame(row.seq, f"id: {row.seq}\ndata: {rendering.text(shown(row))}\n\n".encode()) for row in page]
