"""Whether the store accepts writes, checked at most once a second."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from gatepost.domain.refusals import Refusal
from gatepost.surfaces.http.workers import Workers

_FRESH: Final = 1.0


class Readiness:
    """Tries a write and caches the result briefly. Belongs to the event loop's thread."""

    def __init__(self, try_write: Callable[[], None], workers: Workers) -> None:
        self._try_write = try_write
        self._workers = workers
        self._turn = asyncio.Lock()
        self._until = 0.0
        self._refusal: Refusal | None = None

    async def check(self) -> None:
        """Raise what prevents a write, if anything does."""
        async with self._turn:
            if time.monotonic() >= self._until:
                await self._look()
        if self._refusal is not None:
            raise self._refusal

    async def _look(self) -> None:
        try:
            await self._workers.run(self._try_write)
            self._refusal = None
        except Refusal as no:
            self._refusal = no
        self._until = time.monotonic() + _FRESH
