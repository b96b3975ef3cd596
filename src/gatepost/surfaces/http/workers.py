"""The bridge to the synchronous engine: a limited number of running and waiting calls."""

from collections.abc import Callable
from threading import Lock
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from gatepost.surfaces.http.problems import busy

R = TypeVar("R")

AT_ONCE: Final = 8
WAITING: Final = 512


class Workers:
    """Threads that run calls. A started call runs to its end, whether or not its client waits."""

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING, kind: str = "calls") -> None:
        self._most = at_once + waiting
        self._full = f"{waiting} {kind} are already waiting."
        self._held = 0
        self._limiter = anyio.CapacityLimiter(at_once)
        self._lock = Lock()
        self._running = 0

    async def run(self, work: Callable[[], R]) -> R:
        """Run the work in a thread and return its result."""
        # Counted here: a call that has just come is not in the limiter's own statistics yet.
        if self._held >= self._most:
            raise busy(self._full)
        self._held += 1
        try:
            # An abandoned thread ends with the process: a shutdown must not wait for a blocked writer.
            return await anyio.to_thread.run_sync(
                lambda: self._counted(work), limiter=self._limiter, abandon_on_cancel=True
            )
        finally:
            self._held -= 1

    @property
    def idle(self) -> bool:
        """Whether no call is running."""
        return self._running == 0

    def _counted(self, work: Callable[[], R]) -> R:
        with self._lock:
            self._running += 1
        try:
            return work()
        finally:
            with self._lock:
                self._running -= 1
