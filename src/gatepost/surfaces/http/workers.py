"""The bridge to the engine, which is synchronous: so many calls at once, so many waiting, and no more."""

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
    """Threads that run calls. A call that has begun goes on to its end, whether or not its client waits for it."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._limiter = anyio.CapacityLimiter(at_once)
        self._lock = Lock()
        self._running = 0

    async def run(self, work: Callable[[], R]) -> R:
        """What the work gives, run in a thread."""
        if self._limiter.statistics().tasks_waiting >= WAITING:
            raise busy(f"{WAITING} calls are waiting already.")
        # Abandoned, a thread is left to the process's end: a shutdown must not wait for a writer's patience.
        return await anyio.to_thread.run_sync(
            lambda: self._counted(work), limiter=self._limiter, abandon_on_cancel=True
        )

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
