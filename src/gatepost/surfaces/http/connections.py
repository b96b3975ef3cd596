"""Limits for connections: how many, and how long an idle one may stay."""

import asyncio
import resource
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_MOST_DESCRIPTORS: Final = 65_536
_HEADERS: Final = 15.0
"""Seconds for the headers of each request from their first byte; for the first request, from the connection."""


def most() -> int:
    """The largest number of connections: what the system allows this process, minus what else it needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted) // 2


def protocol(limit: int, patience: float = _HEADERS) -> type[H11Protocol]:
    """An HTTP protocol with a connection limit. Excess connections are dropped at once.

    Otherwise a process out of file descriptors would spin on the next connection forever.
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
            elif self._patience is None:  # once for all headers: more of them get no more time
                self._patience = self.loop.call_later(patience, self.transport.abort)

        def _headers_are_due(self) -> bool:
            """Whether a request has begun but is not complete; on a new connection, whether nothing has come."""
            asked_before = getattr(self, "cycle", None) is not None
            return self.conn.their_state is h11.IDLE and (not asked_before or bool(self.conn.trailing_data[0]))

        def _relax(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Bounded
