"""Async work that a call started: collected while a session is locked, awaited after the lock is released."""

import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gatepost.runtime.failures import FailureHandler

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

Failed = Callable[[BaseException], None]
"""Called when an awaitable fails or is cancelled."""

_LOOK_EVERY_S: Final = 1.0
_in_background: "Final[set[Task[None]]]" = set()
"""A loop keeps only weak references to its tasks."""


def running_loop() -> "AbstractEventLoop | None":
    """The event loop that runs in this thread, if any."""
    asyncio = sys.modules.get("asyncio")  # no loop can run before asyncio is loaded, and loading it is slow
    if asyncio is None:
        return None
    try:
        loop: AbstractEventLoop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop


def run(awaitable: Awaitable[Any]) -> Any:
    """Await something to completion in a new event loop. No loop may be running in this thread."""
    import asyncio

    # With a loop factory, the runner does not change the thread's current event loop.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(_awaited(awaitable))


def discard(awaitable: Awaitable[Any]) -> None:
    """Close an awaitable that will not be awaited, without a warning."""
    if isinstance(awaitable, Coroutine):
        awaitable.close()


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


class Pending(NamedTuple):
    """An awaitable, its failure handler, and the event loop that it belongs to, if any."""

    awaitable: Awaitable[object]
    failed: Failed
    loop: "AbstractEventLoop | None" = None


class Awaitables:
    """Awaitables in order. A failure goes to its own handler and stops nothing else."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Pending] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, pending: Pending) -> None:
        """Add one at the end. Also works while the others are being awaited."""
        self._waiting.append(pending)

    def absorb(self, others: "Awaitables") -> None:
        """Take over the awaitables of another collection, also those added to it later."""
        self._waiting.extend(others._waiting)  # noqa: SLF001 - of its own class
        others._waiting = self._waiting  # noqa: SLF001 - of its own class

    def settle(self) -> None:
        """Await everything now. If an event loop runs in this thread, schedule it there instead of blocking."""
        if not self._waiting:
            return
        loop = running_loop()
        if loop is None:
            run(self.settled())
        else:
            task = loop.create_task(self.settled())
            _in_background.add(task)
            task.add_done_callback(self._over)

    async def settled(self) -> None:
        """Await everything in order."""
        import asyncio

        try:
            while self._waiting:
                await _one(self._waiting.pop(0))
        except asyncio.CancelledError as cancelled:
            self.abandon(cancelled)
            raise

    def _over(self, task: "Task[None]") -> None:
        _in_background.discard(task)
        if self._waiting:  # the loop stopped before the task started
            self.abandon(RuntimeError("the event loop stopped first"))

    def abandon(self, why: BaseException) -> None:
        """Drop everything and tell every failure handler why."""
        while self._waiting:
            left = self._waiting.pop(0)
            discard(left.awaitable)
            left.failed(why)


async def _one(pending: Pending) -> None:
    import asyncio

    try:
        with FailureHandler(pending.failed):
            if pending.loop is None or pending.loop is asyncio.get_running_loop() or not pending.loop.is_running():
                await pending.awaitable
            else:
                await _on(pending.loop, pending.awaitable)
    except asyncio.CancelledError as cancelled:
        pending.failed(cancelled)
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise


async def _on(loop: "AbstractEventLoop", awaitable: Awaitable[object]) -> None:
    """Await something on another thread's event loop, and wait for it as long as that loop runs."""
    import asyncio

    done = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop))
    while not done.done() and loop.is_running():
        await asyncio.wait({done}, timeout=_LOOK_EVERY_S)
    if done.cancelled() or not done.done():
        done.cancel()
        raise RuntimeError("the event loop on which it subscribed stopped before it was done")
    done.result()
