"""Calls on stdio that may take minutes: each in a thread, a few at once, while the main thread serves all others.

Loaded with the first such call.
"""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Final

AT_ONCE: Final = 2
"""How many run at the same time. Others wait for their turn."""

Serve = Callable[[object, Callable[[bytes], None], Event], bytes | None]
"""Serves a message: with a function that sends lines, and an event that ends the call. Returns the reply."""


class BackgroundCalls:
    """The calls in the background. Their threads leave lines here, and the main thread sends them."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self.wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self.wake_reader, False)
        os.set_blocking(self._wake_writer, False)
        self._threads = ThreadPoolExecutor(AT_ONCE, "call")
        self._calls: dict[Event, frozenset[str | int]] = {}
        self._lines: deque[bytes] = deque()

    def begin(self, message: object, ids: frozenset[str | int]) -> None:
        """Serve a message, as soon as it is its turn."""
        cancelled = Event()
        self._calls[cancelled] = ids
        self._threads.submit(self._run, message, cancelled)

    @property
    def ids(self) -> frozenset[str | int]:
        """The ids of the requests that are not answered yet."""
        return frozenset[str | int]().union(*list(self._calls.values()))

    def cancel(self, request_id: str | int) -> None:
        """End a call. It gets no reply."""
        for cancelled, ids in list(self._calls.items()):
            if request_id in ids:
                cancelled.set()

    def news(self) -> list[bytes]:
        """The lines to send."""
        with suppress(BlockingIOError):
            os.read(self.wake_reader, 4096)
        return [self._lines.popleft() for _ in range(len(self._lines))]

    def close(self) -> None:
        """End all calls. Comes back when nothing is left running."""
        for cancelled in list(self._calls):
            cancelled.set()
        self._threads.shutdown(cancel_futures=True)
        os.close(self.wake_reader)
        os.close(self._wake_writer)

    def _run(self, message: object, cancelled: Event) -> None:
        reply = None if cancelled.is_set() else self._serve(message, self._say, cancelled)
        del self._calls[cancelled]  # before the reply: with it, the client may use the id again
        if reply is not None:
            self._say(reply)

    def _say(self, line: bytes) -> None:
        self._lines.append(line)
        with suppress(BlockingIOError):  # the main thread is awake already
            os.write(self._wake_writer, b".")
