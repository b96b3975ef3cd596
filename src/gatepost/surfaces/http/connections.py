"""Connections: how many there may be, and how long one may stay that asks for nothing."""

import asyncio
import resource
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST_DESCRIPTORS: Final = 65_536
_HEADERS: Final = 15.0
"""Seconds that a client has for the headers of each request, from its first byte; for the first, from the start."""


def most() -> int:
    """How many connections can be had: as many as the system lets this process open, less what else it needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted) // 2


def protocol(limit: int, patience: float = _HEADERS) -> type[H11Protocol]:
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
                self._patience = self.loop.call_later(patience, transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self._relax()
            super().connection_lost(exc)

        def handle_events(self) -> None:
            super().handle_events()
            if not self._headers_are_due():
                self._relax()
            elif self._patience is None:  # once for all headers: more of them buy no more time
                self._patience = self.loop.call_later(patience, self.transport.abort)

        def _headers_are_due(self) -> bool:
            """Whether a request has begun that is not there yet; on a new connection, whether nothing has come."""
            asked_before = getattr(self, "cycle", None) is not None
            return self.conn.their_state is h11.IDLE and (not asked_before or bool(self.conn.trailing_data[0]))

        def _relax(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Bounded
