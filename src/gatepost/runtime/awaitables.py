"""Async code that a call set in motion: gathered while a session is locked, and awaited when it is free again."""

import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gatepost.runtime.failures import FailureHandler

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

Failed = Callable[[BaseException], None]
"""Hears that something awaited has failed, or that it was cancelled."""

_LOOK_EVERY_S: Final = 1.0
_in_background: "Final[set[Task[None]]]" = set()
"""A loop keeps only weak references to its tasks."""


def running_loop() -> "AbstractEventLoop | None":
    """The event loop that runs in this thread, if one does."""
    asyncio = sys.modules.get("asyncio")  # no loop runs before its module is loaded, which takes a while
    if asyncio is None:
        return None
    try:
        loop: AbstractEventLoop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop


def run(awaitable: Awaitable[Any]) -> Any:
    """Await something to its end from a thread in which no event loop runs, in a loop made for it."""
    import asyncio

    # With a factory of its own, the runner leaves alone which loop the thread calls its current one.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(_awaited(awaitable))


def discard(awaitable: Awaitable[Any]) -> None:
    """Let go of something that is not going to be awaited, without a warning."""
    if isinstance(awaitable, Coroutine):
        awaitable.close()


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


class Pending(NamedTuple):
    """Something to await, who hears of its failure, and the loop on which it belongs, if there is one."""

    awaitable: Awaitable[object]
    failed: Failed
    loop: "AbstractEventLoop | None" = None


class Awaitables:
    """What is still to be awaited, in order. A failure is told to its own listener and stops nothing."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[Pending] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, pending: Pending) -> None:
        """One more, at the end. May be called while the others are awaited."""
        self._waiting.append(pending)

    def absorb(self, others: "Awaitables") -> None:
        """Take over what others have, and will have."""
        self._waiting.extend(others._waiting)  # noqa: SLF001 - of its own class
        others._waiting = self._waiting  # noqa: SLF001 - of its own class

    def settle(self) -> None:
        """Await everything now. Where an event loop runs in this thread, that would block it: it does so next."""
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
        """Await everything, one after the other."""
        import asyncio

        try:
            while self._waiting:
                await _one(self._waiting.pop(0))
        except asyncio.CancelledError as cancelled:
            self.abandon(cancelled)
            raise

    def _over(self, task: "Task[None]") -> None:
        _in_background.discard(task)
        if self._waiting:  # the loop ended before the task began
            self.abandon(RuntimeError("the event loop ended first"))

    def abandon(self, why: BaseException) -> None:
        """Await nothing of it any more; every listener hears why."""
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
    """Have the loop of another thread await something, and wait for it; not longer than that loop runs."""
    import asyncio

    done = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop))
    while not done.done() and loop.is_running():
        await asyncio.wait({done}, timeout=_LOOK_EVERY_S)
    if done.cancelled() or not done.done():
        done.cancel()
        raise RuntimeError("the event loop on which it subscribed ended before it was done")
    done.result()
