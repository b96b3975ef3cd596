"""MCP over HTTP in both eras, with the same dispatcher as stdio: one JSON message in, one reply or stream out.

A legacy client has a session from `initialize` to DELETE, or until it has been silent for long; a modern one sends
everything with each request. To follow what agents do, use `/v1/events`: streams here only notify about changed
resources.
"""

import base64
import binascii
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import nullcontext
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from gatepost.engine.checks import CheckCancelled
from gatepost.operations.catalog import BY_NAME
from gatepost.operations.registry import TOOLSETS
from gatepost.surfaces.http import bodies
from gatepost.surfaces.http.mcp_exchange import McpExchange, Outcome, Say
from gatepost.surfaces.http.mcp_notifications import McpNotifications
from gatepost.surfaces.http.mcp_sessions import McpSession, McpSessions
from gatepost.surfaces.http.problems import Problem, busy, problem
from gatepost.surfaces.http.request_record import RequestRecord, record_of
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.surfaces.http.streams import MOST, EventStreamResponse
from gatepost.surfaces.http.toolbox import HttpTools
from gatepost.surfaces.mcp.answers import CallToolResult, PendingQuestions
from gatepost.surfaces.mcp.exchange import ClientAnswers
from gatepost.surfaces.mcp.message_ids import HEAD
from gatepost.surfaces.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    MODERN_VERSIONS,
    PARSE_ERROR,
    SUPPORTED_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Peer,
    RpcError,
    RpcReply,
    encode,
    id_of_unreadable,
    read,
    refusal,
    usable_id,
)
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.resources import Resources
from gatepost.surfaces.mcp.subscriptions import SubscriptionStream

if TYPE_CHECKING:
    from gatepost.surfaces.mcp.protocol import Toolbox

HEADER_MISMATCH: Final = -32020
DEFAULT_SET: Final = "core"
SETS: Final = tuple(name for name in TOOLSETS if not name.startswith("files"))
"""The values of `/mcp/{set}`. File tools are only for servers that an agent starts itself."""
SESSION_HEADER: Final = "mcp-session-id"
VERSION_HEADER: Final = "mcp-protocol-version"

_NAMED_BY: Final = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_LEGACY_STATUS: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400}
_MODERN_STATUS: Final = {
    **_LEGACY_STATUS,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}

BUSY: Final = "BUSY"
_SMALL: Final = 64 * 1024
"""Shorter messages are decoded directly: a thread would take longer to reach."""
_CALL: Final = re.compile(rb'"method"\s*:\s*"tools/call"')

Source = Callable[[], AsyncGenerator[bytes, None]]


class Mcp:
    """The endpoint of all tool sets."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context
        self._listeners = McpNotifications(context)
        self.sessions = McpSessions(context.engine)
        self.toolbox: Callable[[str, RequestRecord, McpSession | None], Toolbox] = partial(_tools, context)
        """The tools for one request. The conformance suite replaces it."""

    def stop(self) -> None:
        """End all streams. Call it in the event loop's thread."""
        self._listeners.stop()

    async def serve(self, request: Request) -> Response:
        """One message, a session's stream, or the end of a session."""
        record = record_of(request.scope)
        record.operation = "mcp"
        toolset = request.path_params.get("toolset", DEFAULT_SET)
        if toolset not in SETS:
            raise problem(
                404, "NOT_FOUND", f"Unknown tool set {toolset[:40]!a}.", f"The sets are: {', '.join(SETS)}."
            )
        if request.method == "DELETE":
            return await self._end(request)
        if request.method != "POST":
            return self._stream(request, toolset)
        try:
            body = await bodies.raw(request)
            message = read(body) if len(body) <= _SMALL else await self._read(body)
            return await self._answered(request, message, toolset)
        except RpcError as error:
            record.outcome = "rpc_error"
            return _sent(refusal(error), _MODERN_STATUS)
        except Problem as no:
            if not no.begun:
                raise
            return self._untaken(request, no, toolset)

    async def _read(self, body: bytes) -> object:
        """Decode a long message in a thread."""
        try:
            return await self._context.workers.run(lambda: read(body))
        except Problem as no:
            no.begun = body
            raise

    def _untaken(self, request: Request, no: Problem, toolset: str) -> Response:
        """The reply to a message that was not read to its end: with its id, and as a tool result for a call."""
        record, request_id = record_of(request.scope), id_of_unreadable(no.begun)
        record.outcome = no.code
        if no.code == BUSY and _CALL.search(no.begun[:HEAD]):
            dispatcher = McpDispatcher(self.toolbox(toolset, record, None))
            modern = request.headers.get(VERSION_HEADER) in MODERN_VERSIONS
            return _sent(dispatcher.refuse_call(request_id, _busy_answer(no), modern=modern), {})
        reply = refusal(RpcError(INVALID_REQUEST, str(no.error["message"]), dict(no.error), request_id=request_id))
        return Response(reply.body, no.status, dict(no.headers), "application/json")

    async def _answered(self, request: Request, message: object, toolset: str) -> Response:
        if _is_modern(request, message):
            _check_headers(request, message)
            return await self._run(request, message, toolset, None)
        if isinstance(message, dict) and message.get("method") == "initialize":
            return await self._open(request, message, toolset)
        found = self.sessions.find(request.headers.get(SESSION_HEADER))
        if found is None:
            return _no_session(request)
        if isinstance(message, dict) and "method" not in message:
            found.questions.answer(message)
        if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            found.cancel(usable_id(_params(message).get("requestId")))
        return await self._run(request, message, toolset, found)

    async def _open(self, request: Request, message: object, toolset: str) -> Response:
        opened = McpSession()
        sent = await self._run(request, message, toolset, opened)
        if opened.peer.version is not None:
            self.sessions.add(opened)
            sent.headers[SESSION_HEADER] = opened.id
        return sent

    async def _end(self, request: Request) -> Response:
        found = self.sessions.remove(request.headers.get(SESSION_HEADER))
        if found is None:
            return _no_session(request)
        await self._context.unless_busy(lambda: self.sessions.clear(found))  # otherwise the cleaner does it later
        return Response(status_code=204)

    async def _run(self, request: Request, message: object, toolset: str, session: McpSession | None) -> Response:
        """Serve a message of a legacy session, or a modern one without a session."""
        record, streams = record_of(request.scope), "text/event-stream" in request.headers.get("accept", "")
        _describe(record, message)
        dispatcher = McpDispatcher(self.toolbox(toolset, record, session), listens=True)
        peer = Peer() if session is None else session.peer
        cancelled = Event() if dispatcher.takes_long(message) else None

        def answered(answers: ClientAnswers | None, say: Say | None) -> Outcome:
            with nullcontext() if session is None else session.serving():
                return dispatcher.answer(
                    message, peer, modern=session is None, send=say, answers=answers, cancelled=cancelled
                )

        async def work(answers: ClientAnswers | None, say: Say) -> Outcome:
            call = partial(answered, answers, say if streams else None)
            try:
                if cancelled is None:
                    return await self._context.workers.run(call)
                return await self._checked(request, session, _id(message), cancelled, call)
            except Problem as no:
                record.outcome = no.code
                return _too_busy(dispatcher, message, no, modern=session is None)

        conversation = McpExchange(work, _id(message), self._context.heartbeat)
        if streams and not await conversation.at_once():
            return self._streamed(request, session, partial(conversation.frames, session))
        outcome = await conversation.outcome()
        if isinstance(outcome, RpcReply | None):
            if outcome is not None and outcome.code is not None:
                record.outcome = "rpc_error"
            return _sent(outcome, _MODERN_STATUS if session is None else _LEGACY_STATUS)
        if not streams:
            words = "accept text/event-stream as well: the answer is a stream"
            raise RpcError(INVALID_REQUEST, words, request_id=_id(message))
        if isinstance(outcome, PendingQuestions):
            return self._streamed(request, session, partial(conversation.frames, session))
        return self._listen(request, toolset, outcome)

    async def _checked(
        self,
        request: Request,
        session: McpSession | None,
        request_id: str | int | None,
        cancelled: Event,
        call: Callable[[], Outcome],
    ) -> Outcome:
        """The outcome of a call that may run checks; none if it was cancelled."""
        with nullcontext() if session is None else session.cancellable(request_id, cancelled):
            try:
                return await self._context.checks.run(request, cancelled, call)
            except CheckCancelled:
                return None

    def _listen(self, request: Request, toolset: str, listening: SubscriptionStream) -> Response:
        """A modern client's stream of notifications."""
        self._check_room()
        resources = self._readable(request, toolset, None)
        return self._streamed(request, None, lambda: self._listeners.modern(listening, resources))

    def _stream(self, request: Request, toolset: str) -> Response:
        """A legacy session's stream of notifications."""
        if SESSION_HEADER not in request.headers or request.headers.get(VERSION_HEADER) in MODERN_VERSIONS:
            raise problem(
                405,
                "INVALID_INPUT",
                f"{request.method} needs a session, and this request has none.",
                "Use POST. To receive notifications, send subscriptions/listen, or initialize first.",
                {"allow": "POST, DELETE"},
            )
        found = self.sessions.find(request.headers[SESSION_HEADER])
        if found is None:
            return _no_session(request)
        if request.method == "HEAD":
            return Response(media_type=EventStreamResponse.media_type)
        self._check_room()
        resources = self._readable(request, toolset, found)
        return self._streamed(request, found, lambda: self._listeners.legacy(found, resources))

    def _streamed(self, request: Request, session: McpSession | None, source: Source) -> Response:
        """A source as a response. Its session is in use meanwhile."""
        return self._context.stream(request, source if session is None else partial(session.streaming, source))

    def _readable(self, request: Request, toolset: str, session: McpSession | None) -> Resources:
        toolbox = self.toolbox(toolset, record_of(request.scope), session)
        resources: Callable[[str | None], Resources] = getattr(toolbox, "resources")  # noqa: B009 - asked before
        return resources(None if session is None else session.peer.name)

    def _check_room(self) -> None:
        if self._context.metrics.open_streams >= MOST:
            raise busy(f"{MOST} streams are already open.")


def _tools(context: StreamContext, toolset: str, record: RequestRecord, session: McpSession | None) -> "Toolbox":
    return HttpTools(context.engine, toolset, record, session, bound=context.bound, default=context.default)


def _too_busy(dispatcher: McpDispatcher, message: object, no: Problem, *, modern: bool) -> RpcReply:
    """Report a busy server to a model as a tool result, and to a client's own request as an error."""
    if isinstance(message, dict) and message.get("method") == "tools/call":
        return dispatcher.refuse_call(_id(message), _busy_answer(no), modern=modern)
    return refusal(RpcError(INTERNAL_ERROR, str(no.error["message"]), dict(no.error), request_id=_id(message)))


def _busy_answer(no: Problem) -> CallToolResult:
    return CallToolResult(encode({"error": dict(no.error)}), refused=True)


def _is_modern(request: Request, message: object) -> bool:
    """Whether a request follows the modern protocol. Refuses a version that is not supported."""
    version = request.headers.get(VERSION_HEADER)
    if version is not None and version not in SUPPORTED_VERSIONS:
        data = {"supported": SUPPORTED_VERSIONS, "requested": version[:40]}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data, request_id=_id(message))
    # Without the header, a request that declares itself modern is modern, and gets an error about its headers.
    return version in MODERN_VERSIONS or VERSION_KEY in _meta(message)


def _check_headers(request: Request, message: object) -> None:
    """Check that a modern request's headers match its body: proxies read only the headers."""
    if not isinstance(message, dict) or "id" not in message:
        return
    method, meta = message.get("method"), _meta(message)
    if VERSION_KEY not in meta:
        return  # the dispatcher reports what is missing
    wanted = {VERSION_HEADER: meta[VERSION_KEY], "mcp-method": method}
    key = _NAMED_BY.get(method) if isinstance(method, str) else None
    if key is not None and (named := _params(message).get(key)) is not None:
        wanted["mcp-name"] = named
    for name, value in wanted.items():
        given = request.headers.getlist(name)
        if len(given) != 1 or _decoded(given[0]) != value:
            raise RpcError(HEADER_MISMATCH, f"the header {name} contradicts the body", request_id=_id(message))


def _decoded(value: str) -> str | None:
    """A header's value. Other characters come encoded as `=?base64?…?=`."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _describe(record: RequestRecord, message: object) -> None:
    params = _params(message)
    name, arguments = params.get("name"), params.get("arguments")
    if isinstance(name, str) and name in BY_NAME:
        record.operation = name
    workspace = arguments.get("workspace") if isinstance(arguments, dict) else None
    record.workspace = workspace[:128] if isinstance(workspace, str) else None


def _params(message: object) -> Mapping[str, Any]:
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


def _meta(message: object) -> Mapping[str, Any]:
    meta = _params(message).get("_meta")
    return meta if isinstance(meta, dict) else {}


def _id(message: object) -> str | int | None:
    return usable_id(message.get("id")) if isinstance(message, dict) else None


def _no_session(request: Request) -> Response:
    record_of(request.scope).outcome = "rpc_error"
    if SESSION_HEADER in request.headers:
        return _sent(refusal(RpcError(INVALID_REQUEST, "this session has ended: initialize again")), {}, 404)
    return _sent(refusal(RpcError(INVALID_REQUEST, "initialize first, then send Mcp-Session-Id")), {}, 400)


def _sent(reply: RpcReply | None, statuses: Mapping[int, int], status: int = 200) -> Response:
    if reply is None:
        return Response(status_code=202)
    found = status if reply.code is None else statuses.get(reply.code, status)
    return Response(reply.body, found, media_type="application/json")
