"""Sends notices one by one in its own thread, so that no call waits for them or fails because of them."""

from __future__ import annotations

import atexit
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from traceback import format_exception
from typing import Final

from msgspec.structs import replace

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.commits import Commit
from gatepost.engine.engine import Engine
from gatepost.notices import news
from gatepost.notices.configuration import NotifySettings
from gatepost.notices.delivery import COMMAND, Attempt, NoticeDelivery
from gatepost.notices.notice import NotDelivered, Notice
from gatepost.wire.credentials import redacted

AT_CLOSE: Final = 3.0
"""How long a process that ends waits for pending notices, in seconds."""
PAUSES: Final = (1.0, 4.0, 16.0, 60.0)
"""Seconds between the attempts to deliver a notice."""

_MOST: Final = 200
"""How many commits can be queued. Notices about further ones are dropped; the inbox still has the items."""
_PAUSE_AT_CLOSE: Final = 1.0
_READER: Final = Caller("gatepost")

Source = Callable[[], Sequence[Notice]]
"""Finds notices. Runs in the thread."""


class NoticeSender:
    """Sends notices about an engine's commits. The thread starts with the first news."""

    def __init__(self, engine: Engine, settings: NotifySettings, root: str) -> None:
        self.settings: Final = settings
        self._engine = engine
        self._delivery = NoticeDelivery(settings, root)
        self._lock = Lock()
        self._thread: _SenderThread | None = None

    def announce(self, commit: Commit) -> None:
        """Queue a commit that has news."""
        found = news.news_in(commit.changes)
        if found:
            kept = replace(commit, changes=found)
            self.send(lambda: self._news(kept))

    def send(self, source: Source) -> None:
        """Send what a source finds."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = self._begun()
            if self._thread is not None:
                self._thread.take(source)

    def close(self) -> None:
        """Wait briefly for pending notices, then end. Later news starts another thread."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            atexit.unregister(self.close)
            thread.finish(AT_CLOSE)

    def _begun(self) -> _SenderThread | None:
        thread = _SenderThread(self._delivery)
        try:
            thread.start()
        except RuntimeError:  # no more threads: the call that has news must not fail
            return None
        atexit.register(self.close)  # for programs that end without closing what they opened
        return thread

    def _news(self, commit: Commit) -> list[Notice]:
        found = self._engine.read(commit.workspace, _READER, lambda reader: list(news.notices(reader, commit)))
        return [notice for notice in found if notice.kind in self.settings.events]


class _SenderThread(Thread):
    """One thread and its queue. A receiver that does not answer delays no command."""

    def __init__(self, delivery: NoticeDelivery) -> None:
        super().__init__(name="notices", daemon=True)
        self._delivery = delivery
        self._waiting: Queue[Source | None] = Queue(_MOST)
        self._posts: deque[tuple[Notice, Attempt]] = deque()
        self._closing = Event()
        self._ended = False
        self._until: float | None = None

    def take(self, source: Source) -> None:
        """Queue a source, unless the queue is full."""
        try:
            self._waiting.put_nowait(source)
        except Full:
            _say("Too many notices are queued. This one was dropped; what it was about is in the inbox.")

    def finish(self, seconds: float) -> None:
        """Send what is queued, for at most the given seconds."""
        self._until = time.monotonic() + seconds
        self._closing.set()
        with suppress(Full):
            self._waiting.put_nowait(None)
        self.join(seconds)

    def run(self) -> None:
        """Send one after the other: commands as soon as there is news, posts in their order."""
        while not self._ended or self._posts:
            self._find_news(0.0 if self._posts else None)
            if self._posts:
                self._send(*self._posts.popleft())

    def _find_news(self, seconds: float | None) -> None:
        """Wait for news so long, or until it comes, and take all that there is."""
        with suppress(Empty):
            while not self._ended:
                source = self._waiting.get(seconds != 0.0, seconds)
                if source is None:
                    self._ended = True
                else:
                    self._tell(source)
                seconds = 0.0

    def _tell(self, source: Source) -> None:
        """Run the command for what a source finds, and keep the posts."""
        try:
            for notice in source():
                for way, attempt in self._delivery.ways(notice):
                    if way == COMMAND:
                        self._send(notice, attempt)
                    elif len(self._posts) < _MOST:
                        self._posts.append((notice, attempt))
                    else:
                        _say(f"{notice.text} This notice was not delivered: too many are queued.")
        except Refusal as refusal:
            _say(f"A notice could not be written. {refusal.message}")
        except Exception as error:  # noqa: BLE001 - the thread's edge: no call may suffer
            _say(f"A notice failed.\n{''.join(format_exception(error))}")

    def _send(self, notice: Notice, attempt: Attempt) -> None:
        for pause in (*PAUSES, None):
            try:
                attempt(self._left())
                break
            except NotDelivered as failed:
                if pause is None or not failed.again or not self._paused(pause):
                    _say(f"{notice.text} This notice was not delivered: {failed}.")
                    break

    def _left(self) -> float:
        """How many seconds are left."""
        return float("inf") if self._until is None else max(0.1, self._until - time.monotonic())

    def _paused(self, seconds: float) -> bool:
        """Wait before another attempt. Returns whether there is time for one."""
        if not self._closing.is_set():
            until = time.monotonic() + seconds
            while not self._closing.is_set() and (left := until - time.monotonic()) > 0:
                self._find_news(left)
            return True
        if self._left() <= _PAUSE_AT_CLOSE:
            return False
        time.sleep(min(seconds, _PAUSE_AT_CLOSE))
        return True


def _say(words: str) -> None:
    with suppress(AttributeError, OSError, ValueError):  # stderr may be None, a broken pipe, or closed
        sys.stderr.write(f"gatepost: {redacted(words)[0]}\n")
        sys.stderr.flush()
