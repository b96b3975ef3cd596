"""The ASGI app and its routes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gatepost.domain.refusals import Refusal
from gatepost.engine.engine import Engine
from gatepost.surfaces import faults
from gatepost.surfaces.http import metrics as numbers
from gatepost.surfaces.http import openapi, problems
from gatepost.surfaces.http.access import AccessControl
from gatepost.surfaces.http.check_calls import CheckCalls
from gatepost.surfaces.http.events import Events
from gatepost.surfaces.http.feeds import Feeds
from gatepost.surfaces.http.logs import Log
from gatepost.surfaces.http.markdown import Markdown
from gatepost.surfaces.http.mcp import Mcp
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.operation_calls import OperationCalls
from gatepost.surfaces.http.page import PageFiles
from gatepost.surfaces.http.page_session import PageSession
from gatepost.surfaces.http.problems import Problem, problem, quoted
from gatepost.surfaces.http.request_logger import RequestLogger
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.session_directory import SessionDirectory
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.surfaces.http.streams import HEARTBEAT, STUCK
from gatepost.surfaces.http.todo import TodoStreams
from gatepost.surfaces.http.workers import Workers
from gatepost.wire import json_output

JSON: Final = "application/json"
_READINESS_SECONDS: Final = 1.0


class ServerSettings(NamedTuple):
    """A server's settings: its host name, who may call it, and how long it waits."""

    host: str = "127.0.0.1"
    token: str | None = None
    bound: str | None = None
    heartbeat: float = HEARTBEAT
    stuck: float = STUCK
    default: str | None = None
    """The workspace of a call that names none."""
    access_log: bool = False
    """Whether to log every request. Faults are always logged."""


class HttpApp:
    """One server's app with its threads, streams and metrics."""

    def __init__(self, engine: Engine, settings: ServerSettings, log: Log) -> None:
        self.engine = engine
        self.workers = Workers()
        self.checks = CheckCalls()
        self.feeds = Feeds(engine)
        self.metrics = Metrics()
        self.context = StreamContext(
            engine,
            self.workers,
            self.checks,
            self.feeds,
            self.metrics,
            settings.bound,
            settings.heartbeat,
            settings.stuck,
            settings.default,
        )
        self.mcp = Mcp(self.context)
        self._settings = settings
        self._readiness = _Readiness(engine.store.try_write, self.workers)
        inner = Starlette(
            routes=self._routes(),
            exception_handlers=_HANDLERS,
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = RequestLogger(
            AccessControl(inner, settings.host, settings.token),
            self.metrics,
            log if settings.access_log else None,
        )

    def stop(self) -> None:
        """End all streams. Call it in the event loop's thread."""
        self.feeds.stop()
        self.mcp.stop()

    @property
    def idle(self) -> bool:
        """Whether no call is running."""
        return self.workers.idle and self.checks.idle

    def _routes(self) -> list[Route]:
        session = PageSession()
        calls = OperationCalls(self.context, session)
        directory = SessionDirectory(self.context)
        todo = TodoStreams(self.context, directory)
        page = PageFiles(session)
        return [
            Route("/", page.serve, methods=["GET"]),
            Route("/page/{name:path}", page.serve, methods=["GET"]),
            Route("/v1/markdown", Markdown().serve, methods=["POST"]),
            Route("/v1/operations/{name}", calls.serve, methods=["POST"]),
            Route("/v1/events", Events(self.context).serve, methods=["GET"]),
            Route("/v1/todo", todo.serve, methods=["GET"]),
            Route("/v1/sessions/{id:path}/events", todo.serve_session, methods=["GET"]),
            Route("/v1/sessions", directory.serve, methods=["GET"]),
            Route("/v1/sessions/{id:path}", directory.serve_one, methods=["GET"]),
            Route("/health", directory.health, methods=["GET"]),
            Route("/mcp", self.mcp.serve, methods=["GET", "POST", "DELETE"]),
            Route("/mcp/{toolset}", self.mcp.serve, methods=["GET", "POST", "DELETE"]),
            Route("/v1/openapi.json", self._described, methods=["GET"]),
            Route("/healthz", self._alive, methods=["GET"]),
            Route("/readyz", self._ready, methods=["GET"]),
            Route("/metrics", self._measured, methods=["GET"]),
        ]

    async def _described(self, request: Request) -> Response:
        record_of(request.scope).operation = "openapi"
        # Built on first use, which takes a moment: most servers never need it.
        return Response(await self.workers.run(_openapi), media_type=JSON)

    async def _alive(self, request: Request) -> Response:
        record_of(request.scope).operation = "healthz"
        return Response('{"status":"alive"}', media_type=JSON)

    async def _ready(self, request: Request) -> Response:
        record_of(request.scope).operation = "readyz"
        try:
            await self._readiness.check()
        except Refusal as no:
            if self._settings.token is None:
                raise
            # Anyone may call this without the token, and the message would name the store's file.
            status, recovery = problems.status_of(type(no)), "Any call with the token shows the reason."
            raise problem(status, no.code, "The store does not accept writes.", recovery) from no
        return Response('{"status":"ready"}', media_type=JSON)

    async def _measured(self, request: Request) -> Response:
        record_of(request.scope).operation = "metrics"
        return Response(self.metrics.text(), media_type=numbers.MEDIA_TYPE)


class _Readiness:
    """Whether the store accepts writes, checked at most once a second. Belongs to the event loop's thread."""

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
        self._until = time.monotonic() + _READINESS_SECONDS


@cache
def _openapi() -> str:
    return json_output.text(openapi.document())


async def _problem(request: Request, error: Problem) -> Response:
    record_of(request.scope).outcome = error.code
    return problems.response(error)


async def _refused(request: Request, error: Refusal) -> Response:
    """A refusal of the store outside of an operation: it is busy."""
    return await _problem(request, problems.refused(error, json_output.refusal(error)))


async def _unserved(request: Request, error: HTTPException) -> Response:
    """A refusal of the router: an unknown path, or a method that a path does not allow."""
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        message = f"{request.method} is not allowed here."
        return await _problem(
            request, problem(405, "INVALID_INPUT", message, f"Use {allowed}.", {"allow": allowed})
        )
    message = f"There is nothing at {quoted(request.url.path)}."
    return await _problem(request, problem(error.status_code, "NOT_FOUND", message, "See /v1/openapi.json."))


async def _gone(request: Request, _error: Exception) -> Response:
    record_of(request.scope).outcome = "gone"
    return Response(status_code=400)


async def _fault(request: Request, error: Exception) -> Response:
    record = record_of(request.scope)
    record.fault = faults.report(f"in {record.operation or 'a request'} ({record.request_id})", error)
    message = f"Internal error (fault {record.fault}). This is a bug in Gatepost, not in your request."
    recovery = "The server's log has the details under this id."
    return await _problem(request, problem(500, "INTERNAL_ERROR", message, recovery))


_HANDLERS: Final[dict[Any, Callable[..., Awaitable[Response]]]] = {
    Problem: _problem,
    Refusal: _refused,
    HTTPException: _unserved,
    ClientDisconnect: _gone,
    Exception: _fault,
}
