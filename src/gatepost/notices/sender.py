"""Sends notices, one after the other, in a thread of its own: no call waits for them or fails with them."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Full, Queue
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
from gatepost.notices.delivery import Delivery
from gatepost.notices.notice import NotDelivered, Notice
from gatepost.wire.credentials import redacted

AT_CLOSE: Final = 3.0
"""Seconds for what is on its way when the process ends."""
PAUSES: Final = (1.0, 4.0, 16.0, 60.0)
"""Seconds between the attempts to deliver a notice."""

_MOST: Final = 200
"""How many commits wait at once. News of further ones is dropped: the inbox has it."""
_PAUSE_AT_CLOSE: Final = 1.0
_READER: Final = Caller("gatepost")

Source = Callable[[], Sequence[Notice]]
"""Finds notices. Runs in the thread."""


class NoticeSender:
    """Tells people about an engine's commits. The thread starts with the first news."""

    def __init__(self, engine: Engine, settings: NotifySettings, root: str) -> None:
        self.settings: Final = settings
        self._engine = engine
        self._delivery = Delivery(settings, root)
        self._lock = Lock()
        self._thread: _SenderThread | None = None

    def announce(self, commit: Commit) -> None:
        """Take note of a commit."""
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
        """Give what is on its way a moment, and end. Later news starts another thread."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            atexit.unregister(self.close)
            thread.finish(AT_CLOSE)

    def _begun(self) -> _SenderThread | None:
        thread = _SenderThread(self._delivery)
        try:
            thread.start()
        except RuntimeError:  # no more threads: the call that has news must not fail with it
            return None
        atexit.register(self.close)  # for programs that end without closing what they opened
        return thread

    def _news(self, commit: Commit) -> list[Notice]:
        found = self._engine.read(commit.workspace, _READER, lambda reader: list(news.notices(reader, commit)))
        return [notice for notice in found if notice.kind in self.settings.events]


class _SenderThread(Thread):
    """One thread, and what waits for it."""

    def __init__(self, delivery: Delivery) -> None:
        super().__init__(name="notices", daemon=True)
        self._delivery = delivery
        self._waiting: Queue[Source | None] = Queue(_MOST)
        self._closing = Event()
        self._until: float | None = None

    def take(self, source: Source) -> None:
        """Send what a source finds, unless too much waits already."""
        with suppress(Full):
            self._waiting.put_nowait(source)

    def finish(self, seconds: float) -> None:
        """Send what waits, for so many seconds at most."""
        self._until = time.monotonic() + seconds
        self._closing.set()
        with suppress(Full):
            self._waiting.put_nowait(None)
        self.join(seconds)

    def run(self) -> None:
        """Send one after the other."""
        while (source := self._waiting.get()) is not None:
            try:
                for notice in source():
                    self._send(notice)
            except Refusal as refusal:
                _say(f"A notice could not be made. {refusal.message}")
            except Exception as error:  # noqa: BLE001 - the thread's edge: no call may suffer
                _say(f"A notice failed.\n{''.join(format_exception(error))}")

    def _send(self, notice: Notice) -> None:
        for _, attempt in self._delivery.ways(notice):
            for pause in (*PAUSES, None):
                try:
                    attempt(self._left())
                    break
                except NotDelivered as failed:
                    if pause is None or not failed.again or not self._paused(pause):
                        _say(f"{notice.text} Nobody was told: {failed}.")
                        break

    def _left(self) -> float:
        """How many seconds there are."""
        return float("inf") if self._until is None else max(0.1, self._until - time.monotonic())

    def _paused(self, seconds: float) -> bool:
        """Wait before another attempt. Whether there is time for one."""
        if not self._closing.is_set():
            self._closing.wait(seconds)
            return True
        if self._left() <= _PAUSE_AT_CLOSE:
            return False
        time.sleep(min(seconds, _PAUSE_AT_CLOSE))
        return True


def _say(words: str) -> None:
    with suppress(AttributeError, OSError, ValueError):  # stderr may be None, a broken pipe, or closed
        sys.stderr.write(f"gatepost: {redacted(words)[0]}\n")
        sys.stderr.flush()
