"""Connections: how many there may be, and how long one may stay that asks for nothing."""

import asyncio
import resource
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST_DESCRIPTORS: Final = 65_536
_FIRST_WORDS: Final = 15.0
"""So many seconds a client has for its first request."""


def most() -> int:
    """How many connections can be had: as many as the system lets this process open, less what else it needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted) // 2


def protocol(limit: int, patience: float = _FIRST_WORDS) -> type[H11Protocol]:
    """HTTP for so many connections. One too many is dropped at once: refused, it would find room next time.

    Without that, a process that can open no more files would be told of the next connection for ever.
    """

    class Bounded(H11Protocol):
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limit:
                transport.abort()
            else:
                self._patience = self.loop.call_later(patience, self._lose_patience)

        def connection_lost(self, exc: Exception | None) -> None:
            if self._patience is not None:
                self._patience.cancel()
            super().connection_lost(exc)

        def _lose_patience(self) -> None:
            if not getattr(self, "cycle", None):  # nothing was asked yet
                self.transport.abort()

    return Bounded
