"""Feeds: one thread follows each watched log, however many clients watch it.

The newest frames are kept once for all clients of a feed, so a client only has a position and no queue. A client
further behind reads from the store.
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
    """The frames of a workspace as its log grows. Belongs to the event loop's thread, except for reading."""

    def __init__(self, engine: Engine, workspace: str, pages: Pages, head: int) -> None:
        self.workspace = workspace
        self.clients = 0
        self.cache = SnapshotCache()
        self._engine = engine
        self._pages = pages
        self._kept: list[Frame] = []
        self._bytes = 0
        self._floor = head
        self._ended = False
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._news = False
        self._waker: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._stopping = Event()
        self.thread = Thread(target=self._follow, args=(head,), name=f"feed {workspace}", daemon=True)
        self.thread.start()

    def since(self, seq: int) -> list[Frame] | None:
        """The kept frames after a `seq`, up to a limit; none if they are no longer kept."""
        if seq < self._floor:
            return None
        start = bisect_right(self._kept, seq, key=_seq)
        return self._kept[start : start + AT_ONCE]

    def read(self, seq: int) -> list[Frame]:
        """The frames after a `seq` from the store, up to a page. Blocks: call it in a thread."""
        return self._pages(self._engine, self.workspace, seq).frames

    async def wait(self, seconds: float) -> bool:
        """Wait for new frames, up to a limit. Returns whether they came. Check `since` first: only later frames
        count.
        """
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
        """Whether the feed has ended."""
        return self._ended

    def stop(self) -> None:
        """End the feed, its waits and its thread."""
        self._stopping.set()
        self._ended = True
        self.cache.clear()
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
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(what)

    def _publish(self, frames: Sequence[Frame]) -> None:
        self._kept.extend(frames)
        self._bytes += sum(len(frame.data) for frame in frames)
        if len(self._kept) > 2 * KEPT or self._bytes > 2 * KEPT_BYTES:
            self._forget()
        self._news = True
        if self._waker is None:
            self._waker = self._loop.create_task(self._wake_all())

    def _forget(self) -> None:
        """Drop the older half at once: removing single items from the start of a list is slow."""
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

    async def _wake_all(self) -> None:
        """Wake the waiters a few at a time, and pause for as long as that took.

        Waking hundreds at once would block every call until the last of them was served. So calls run in between,
        at least half of the time, and a client that is woken late gets more frames at once.
        """
        while self._news and not self._ended:
            self._news, begun = False, self._loop.time()
            waiting, self._waiting = list(self._waiting), {}
            for start in range(0, len(waiting), _FEW):
                _wake(waiting[start : start + _FEW])
                await asyncio.sleep(0)
            await asyncio.sleep(min(self._loop.time() - begun, _REST))
        self._waker = None


class Feeds:
    """The open feeds, each for as long as somebody watches it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._feeds: dict[tuple[str, str], Feed] = {}
        self._threads: list[Thread] = []
        self._stopped = False

    def watching(self, workspace: str, head: int, pages: Pages = log_pages, kind: str = "log") -> "FeedLease":
        """A workspace's feed of one kind, shared with its other watchers until it is released.

        `head` is the end of the log, now or earlier: nothing before it is kept. Refuses if there are too many
        feeds.
        """
        key = (workspace, kind)
        feed = self._feeds.get(key)
        if feed is None or feed.ended():
            self.check_room(workspace, kind)
            feed = self._begun(key, pages, head)
        feed.clients += 1
        return FeedLease(feed, lambda: self._left(key, feed))

    def check_room(self, workspace: str, kind: str = "log") -> None:
        """Refuse a new feed if there are too many."""
        if self._stopped:
            raise busy("The server is shutting down.")
        if (workspace, kind) not in self._feeds and len(self._feeds) >= MOST_FEEDS:
            raise busy(f"{MOST_FEEDS} feeds are already open.")

    def stop(self) -> None:
        """End every stream, and accept no more."""
        self._stopped = True
        for feed in self._feeds.values():
            feed.stop()

    def join(self, seconds: float) -> bool:
        """Whether every thread ended in time."""
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
        """Release the feed. Safe to repeat."""
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
