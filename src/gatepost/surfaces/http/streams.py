"""Server-sent events as a response. It ends with its source, with the client, or when the client is stuck."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

import anyio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.request_record import RequestRecord, record_of

HEARTBEAT: Final = 10.0
"""The longest silence in seconds. A heartbeat then shows each side that the other is there."""
STUCK: Final = 20.0
"""Seconds for a client to read what was sent. Then it is cut off and can resume."""
MOST: Final = 2000


class EventStreamResponse(Response):
    """Sends what a source yields, as it comes. Holds at most one chunk and a socket's buffer per client."""

    media_type = "text/event-stream"
    charset = "utf-8"

    def __init__(
        self,
        source: Callable[[], AsyncGenerator[bytes, None]],
        metrics: Metrics,
        stuck: float,
        ended: Callable[[], None],
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._source = source
        self._metrics = metrics
        self._stuck = stuck
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the end."""
        self._metrics.open_streams += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, receive, group.cancel_scope)
                await self._send_all(send, record_of(scope))
                group.cancel_scope.cancel()
        finally:
            self._metrics.open_streams -= 1
            self._ended()

    async def _send_all(self, send: Send, record: RequestRecord) -> None:
        async with aclosing(self._source()) as chunks:
            async for chunk in chunks:
                with anyio.move_on_after(self._stuck) as patience:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if patience.cancelled_caught:
                    self._metrics.cut_streams += 1
                    record.outcome = "cut"
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _watch(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
