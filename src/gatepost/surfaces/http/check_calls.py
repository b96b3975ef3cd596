"""Calls that run checks: a few at once, apart from all other calls, and only for as long as their client waits."""

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Final, TypeVar

from starlette.requests import ClientDisconnect, Request

from gatepost.engine.checks import CheckCancelled
from gatepost.surfaces.http.workers import Workers

R = TypeVar("R")

AT_ONCE: Final = 2
"""How many such calls run at the same time."""
WAITING: Final = 16
"""How many more may wait for their turn."""


class CheckCalls:
    """Threads of their own for these calls, so that others never wait for a test suite."""

    def __init__(self) -> None:
        self._workers = Workers(AT_ONCE, WAITING, "calls that run checks")

    async def run(self, request: Request, cancelled: Event, work: Callable[[], R]) -> R:
        """Run the work in a thread. It is cancelled if its client goes, and raises `CheckCancelled` then."""
        # Never cancelled itself: it is one of a few until the check and all its processes have ended.
        running = asyncio.ensure_future(self._workers.run(lambda: _begun(cancelled, work)))
        gone = asyncio.ensure_future(_disconnected(request))
        try:
            await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise ClientDisconnect
            return running.result()
        finally:
            cancelled.set()
            gone.cancel()
            running.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def idle(self) -> bool:
        """Whether no such call is running."""
        return self._workers.idle


def _begun(cancelled: Event, work: Callable[[], R]) -> R:
    if cancelled.is_set():
        raise CheckCancelled
    return work()


async def _disconnected(request: Request) -> None:
    """Come back when the client has gone. Its body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
