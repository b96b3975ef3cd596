"""The ASGI app and its routes."""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Final, NamedTuple

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
from gatepost.surfaces.http.events import Events
from gatepost.surfaces.http.feeds import Feeds
from gatepost.surfaces.http.logs import Log
from gatepost.surfaces.http.markdown import Markdown
from gatepost.surfaces.http.mcp import Mcp
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.operation_calls import OperationCalls
from gatepost.surfaces.http.page import PageFiles
from gatepost.surfaces.http.problems import Problem, problem, quoted
from gatepost.surfaces.http.readiness import Readiness
from gatepost.surfaces.http.request_logger import RequestLogger
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.session_directory import SessionDirectory
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.surfaces.http.streams import HEARTBEAT, STUCK
from gatepost.surfaces.http.todo import TodoStreams
from gatepost.surfaces.http.workers import Workers
from gatepost.wire import json_output

JSON: Final = "application/json"

Handler = Callable[[Request], Awaitable[Response]]


class ServerSettings(NamedTuple):
    """A server's settings: its host name, who may call it, and how long it waits."""

    host: str = "127.0.0.1"
    token: str | None = None
    bound: str | None = None
    heartbeat: float = HEARTBEAT
    stuck: float = STUCK


class HttpApp:
    """One server's app with its threads, streams and metrics."""

    def __init__(self, engine: Engine, terms: ServerSettings, log: Log) -> None:
        self.engine = engine
        self.workers = Workers()
        self.feeds = Feeds(engine)
        self.metrics = Metrics()
        self.ground = StreamContext(
            engine, self.workers, self.feeds, self.metrics, terms.bound, terms.heartbeat, terms.stuck
        )
        self.mcp = Mcp(self.ground)
        self._terms = terms
        self._readiness = Readiness(engine.store.try_write, self.workers)
        inner = Starlette(
            routes=self._routes(),
            exception_handlers={
                Problem: _told,
                Refusal: _refused,
                HTTPException: _unserved,
                ClientDisconnect: _gone,
                Exception: _fault,
            },
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = RequestLogger(AccessControl(inner, terms.host, terms.token), self.metrics, log)

    def stop(self) -> None:
        """End all streams. Call it in the event loop's thread."""
        self.feeds.stop()
        self.mcp.stop()

    def _routes(self) -> list[Route]:
        terms = self._terms
        calls = OperationCalls(self.engine, self.workers, terms.bound)
        directory = SessionDirectory(self.ground)
        todo = TodoStreams(self.ground, directory)
        page = PageFiles()
        return [
            Route("/", page.serve, methods=["GET"]),
            Route("/page/{name:path}", page.serve, methods=["GET"]),
            Route("/v1/markdown", Markdown().serve, methods=["POST"]),
            Route("/v1/operations/{name}", calls.serve, methods=["POST"]),
            Route("/v1/events", Events(self.ground).serve, methods=["GET"]),
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
            if self._terms.token is None:
                raise
            # Anyone may call this without the token, and the message would name the store's file.
            raise problem(
                problems.status_of(type(no)),
                no.code,
                "The store does not accept writes.",
                "Any call with the token shows the reason.",
            ) from no
        return Response('{"status":"ready"}', media_type=JSON)

    async def _measured(self, request: Request) -> Response:
        record_of(request.scope).operation = "metrics"
        return Response(self.metrics.text(), media_type=numbers.MEDIA_TYPE)


@cache
def _openapi() -> str:
    return json_output.text(openapi.document())


async def _told(request: Request, error: Exception) -> Response:
    no = error if isinstance(error, Problem) else _internal(request, error)
    record_of(request.scope).outcome = no.code
    return problems.response(no)


async def _refused(request: Request, error: Exception) -> Response:
    """A refusal of the store outside of an operation: it is busy."""
    if not isinstance(error, Refusal):
        return await _fault(request, error)
    return await _told(request, problems.refused(error, json_output.refusal(error)))


async def _unserved(request: Request, error: Exception) -> Response:
    """A refusal of the router: an unknown path, or a method that a path does not allow."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
    if status == 405:
        no = problem(
            405, "INVALID_INPUT", f"{request.method} is not allowed here.", f"Use {allowed}.", {"allow": allowed}
        )
    else:
        no = problem(
            status, "NOT_FOUND", f"There is nothing at {quoted(request.url.path)}.", "See /v1/openapi.json."
        )
    return await _told(request, no)


async def _gone(request: Request, _error: Exception) -> Response:
    record_of(request.scope).outcome = "gone"
    return Response(status_code=400)


async def _fault(request: Request, error: Exception) -> Response:
    return await _told(request, _internal(request, error))


def _internal(request: Request, error: Exception) -> Problem:
    note = record_of(request.scope)
    note.fault = faults.report(f"in {note.operation or 'a request'} ({note.request_id})", error)
    return problem(
        500,
        "INTERNAL_ERROR",
        f"Internal error (fault {note.fault}). This is a bug in Gatepost, not in your request.",
        "The server's log has the details under this id.",
    )
