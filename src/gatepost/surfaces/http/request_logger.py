"""The outermost layer: every request gets an id, a place in the metrics and, if asked for, a log line."""

from time import perf_counter
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gatepost.surfaces.http.logs import Log
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.request_record import REQUEST_ID_HEADER, RequestRecord

_SAFE: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


class RequestLogger:
    """An ASGI app that counts requests, and logs them if it has a log. Errors were already answered before."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Log | None) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record, begun = RequestRecord(scope), perf_counter()

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                known = {name for name, _ in message["headers"]}
                ours = (*_SAFE, (REQUEST_ID_HEADER, record.request_id.encode()))
                message["headers"] = [*message["headers"], *(pair for pair in ours if pair[0] not in known)]
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception:
            if record.fault is None:
                raise
        finally:
            self._ended(scope, record, perf_counter() - begun)

    def _ended(self, scope: Scope, record: RequestRecord, seconds: float) -> None:
        if not record.streamed:
            self._metrics.served(record.operation or "other", record.outcome, seconds)
        if self._log is None:
            return
        entry: dict[str, Any] = {
            "request_id": record.request_id,
            "method": scope["method"],
            "path": scope["path"],
            "status": record.status,
            "actor": record.actor,
            "operation": record.operation,
            "workspace": record.workspace,
            "outcome": record.outcome,
            "milliseconds": round(seconds * 1000, 3),
            "fault": record.fault,
        }
        self._log({name: value for name, value in entry.items() if value is not None})
