"""The log, followed: one thread for each thing that somebody watches, however many watch it.

The newest frames are kept once for all clients of a feed, so that a client costs a position and no queue.
Whoever is further behind asks the store.
"""

import asyncio
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Final

from gatepost.domain.refusals import Refusal
from gatepost.engine.engine import Engine
from gatepost.surfaces import faults
from gatepost.surfaces.http.frames import Frame, Pages, log_pages
from gatepost.surfaces.http.problems import busy
from gatepost.surfaces.http.snapshot_cache import SnapshotCache

AT_ONCE: Final = 256
KEPT: Final = 1024
KEPT_BYTES: Final = 2 * 1024 * 1024
MOST_FEEDS: Final = 128
_WAIT: Final = 5.0
_PAUSE: Final = 0.25
_FEW: Final = 8
_REST: Final = 0.25


class Feed:
    """What is told of a workspace as its log grows. But for the reading, it belongs to the event loop's thread."""

    def __init__(self, engine: Engine, workspace: str, pages: Pages, head: int) -> None:
        self.workspace = workspace
        self.clients = 0
        self.shelf = SnapshotCache()
        self._engine = engine
        self._pages = pages
        self._kept: list[Frame] = []
        self._bytes = 0
        self._floor = head
        self._ended = False
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._news = False
        self._herald: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._stopping = Event()
        self.thread = Thread(target=self._follow, args=(head,), name=f"feed {workspace}", daemon=True)
        self.thread.start()

    def since(self, seq: int) -> list[Frame] | None:
        """What is kept after a `seq`, up to a number; none if that is too long ago to be kept."""
        if seq < self._floor:
            return None
        start = bisect_right(self._kept, seq, key=_seq)
        return self._kept[start : start + AT_ONCE]

    def read(self, seq: int) -> list[Frame]:
        """What the store has after a `seq`, up to a page. Blocks: call it in a thread."""
        return self._pages(self._engine, self.workspace, seq).frames

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
        self.shelf.clear()
        self._engine.store.release(self.workspace)
        _wake(self._waiting)

    def _follow(self, after: int) -> None:
        try:
            while not self._stopping.is_set():
                after = self._step(after)
        except Exception as error:  # noqa: BLE001 - the thread's edge: nobody above could tell
            faults.report(f"while following {self.workspace}", error)
            self._tell(self.stop)

    def _step(self, after: int) -> int:
        try:
            if not self._engine.store.wait(self.workspace, after, _WAIT):
                return after
            page = self._pages(self._engine, self.workspace, after)
        except Refusal:  # busy, which passes
            self._stopping.wait(_PAUSE)
            return after
        if page.frames:
            self._tell(lambda: self._publish(page.frames))
        return page.upto

    def _tell(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile, and everyone with it
            self._loop.call_soon_threadsafe(what)

    def _publish(self, frames: Sequence[Frame]) -> None:
        self._kept.extend(frames)
        self._bytes += sum(len(frame.data) for frame in frames)
        if len(self._kept) > 2 * KEPT or self._bytes > 2 * KEPT_BYTES:
            self._forget()
        self._news = True
        if self._herald is None:
            self._herald = self._loop.create_task(self._tell_all())

    def _forget(self) -> None:
        """Let the older half go, and not one for one: a list gives way at its end only."""
        kept = size = 0
        for frame in reversed(self._kept):
            size += len(frame.data)
            if kept == KEPT or size > KEPT_BYTES:
                break
            kept += 1
        gone = len(self._kept) - kept
        self._floor = self._kept[gone - 1].seq
        self._bytes -= sum(len(frame.data) for frame in self._kept[:gone])
        del self._kept[:gone]

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
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._threads: list[Thread] = []
        self._stopped = False

    def watching(self, workspace: str, head: int, pages: Pages = log_pages, kind: str = "log") -> "FeedLease":
        """A workspace's feed of one kind, shared with all others who watch it, from now until it is released.

        `head` is where the log is now, or was: nothing before it is kept. Refuses where too much is watched.
        """
        key = (workspace, kind)
        feed = self._feeds.get(key)
        if feed is None or feed.ended():
            self.check_room(workspace, kind)
            feed = self._begun(key, pages, head)
        feed.clients += 1
        return FeedLease(feed, lambda: self._left(key, feed))

    def check_room(self, workspace: str, kind: str = "log") -> None:
        """Refuse what nobody watches yet where too much is watched already."""
        if self._stopped:
            raise busy("The server is shutting down.")
        if (workspace, kind) not in self._feeds and len(self._feeds) >= MOST_FEEDS:
            raise busy(f"{MOST_FEEDS} feeds are watched already.")

    def stop(self) -> None:
        """End every stream, now and from now on."""
        self._stopped = True
        for feed in self._feeds.values():
            feed.stop()

    def join(self, seconds: float) -> bool:
        """Whether every thread came to its end in time."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))
        return not any(thread.is_alive() for thread in self._threads)

    def _begun(self, key: tuple[str, str], pages: Pages, head: int) -> Feed:
        feed = self._feeds[key] = Feed(self._engine, key[0], pages, head)
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(feed.thread)
        return feed

    def _left(self, key: tuple[str, str], feed: Feed) -> None:
        feed.clients -= 1
        if feed.clients:
            return
        feed.stop()
        if self._feeds.get(key) is feed:
            del self._feeds[key]


class FeedLease:
    """One client's share in a feed."""

    def __init__(self, feed: Feed, leave: Callable[[], None]) -> None:
        self.feed = feed
        self._leave: Callable[[], None] | None = leave

    def release(self) -> None:
        """Watch no longer. Once is enough."""
        if self._leave is not None:
            leave, self._leave = self._leave, None
            leave()

    def __enter__(self) -> Feed:
        return self.feed

    def __exit__(self, *_trouble: object) -> None:
        self.release()


def _wake(waiting: Iterable["asyncio.Future[None]"]) -> None:
    for turn in waiting:
        if not turn.done():
            turn.set_result(None)


def _seq(frame: Frame) -> int:
    return frame.seq
