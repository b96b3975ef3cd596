"""MCP over HTTP, both eras, on the same dispatcher as stdio: one JSON message in, one JSON reply out.

A legacy client has a session from its `initialize` to its DELETE, or until it was silent for long; a modern one
sends all that matters with each request. Nothing here is streamed: what agents do is seen on `/v1/events`.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from gatepost.engine.engine import Engine
from gatepost.operations.catalog import BY_NAME
from gatepost.operations.registry import TOOLSETS
from gatepost.surfaces.http import bodies
from gatepost.surfaces.http.notes import Note, note_of
from gatepost.surfaces.http.problems import problem
from gatepost.surfaces.http.sessions import Session, Sessions
from gatepost.surfaces.http.toolbox import HttpTools
from gatepost.surfaces.http.workers import Workers
from gatepost.surfaces.mcp.protocol import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MODERN_VERSIONS,
    PARSE_ERROR,
    SUPPORTED_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Dispatcher,
    Peer,
    Reply,
    RpcError,
    read,
    refusal,
    usable_id,
)

HEADER_MISMATCH: Final = -32020
DEFAULT_SET: Final = "core"
SETS: Final = tuple(name for name in TOOLSETS if name != "files")
"""What `/mcp/{set}` can be. File tools are for servers that an agent starts itself."""
SESSION_HEADER: Final = "mcp-session-id"
VERSION_HEADER: Final = "mcp-protocol-version"

_NAMED_BY: Final = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
_LEGACY_STATUS: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400}
_MODERN_STATUS: Final = {
    **_LEGACY_STATUS,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}


class Mcp:
    """The endpoint of all tool sets."""

    def __init__(self, engine: Engine, workers: Workers, bound: str | None) -> None:
        self._engine = engine
        self._workers = workers
        self._bound = bound
        self.sessions = Sessions(engine)

    async def serve(self, request: Request) -> Response:
        """One message, or the end of a session."""
        note = note_of(request.scope)
        note.operation = "mcp"
        toolset = request.path_params.get("toolset", DEFAULT_SET)
        if toolset not in SETS:
            raise problem(
                404, "NOT_FOUND", f"There is no tool set {toolset[:40]!a}.", f"The sets are: {', '.join(SETS)}."
            )
        if request.method == "DELETE":
            return await self._end(request)
        body = await bodies.raw(request)
        try:
            message = await self._workers.run(lambda: read(body))
            return await self._answered(request, message, toolset)
        except RpcError as error:
            note.outcome = "rpc_error"
            return _sent(refusal(error), _MODERN_STATUS)

    async def _answered(self, request: Request, message: object, toolset: str) -> Response:
        if _is_modern(request, message):
            _check_headers(request, message)
            return await self._serve_modern(request, message, toolset)
        if isinstance(message, dict) and message.get("method") == "initialize":
            return await self._open(request, message, toolset)
        found = self.sessions.find(request.headers.get(SESSION_HEADER))
        if found is None:
            return _no_session(request)
        tools = HttpTools(self._engine, toolset, note_of(request.scope), self._bound, found)
        reply = await self._run(tools, message, found.peer, note_of(request.scope), modern=False)
        return _sent(reply, _LEGACY_STATUS)

    async def _serve_modern(self, request: Request, message: object, toolset: str) -> Response:
        note = note_of(request.scope)
        tools = HttpTools(self._engine, toolset, note, self._bound, None)
        return _sent(await self._run(tools, message, Peer(), note, modern=True), _MODERN_STATUS)

    async def _open(self, request: Request, message: object, toolset: str) -> Response:
        self.sessions.check_room()
        note, opened = note_of(request.scope), Session()
        tools = HttpTools(self._engine, toolset, note, self._bound, opened)
        reply = await self._run(tools, message, opened.peer, note, modern=False)
        sent = _sent(reply, _LEGACY_STATUS)
        if opened.peer.version is not None and reply is not None:
            expired = self.sessions.add(opened)
            await self._workers.run(lambda: self.sessions.clear(expired))
            sent.headers[SESSION_HEADER] = opened.id
        return sent

    async def _end(self, request: Request) -> Response:
        found = self.sessions.remove(request.headers.get(SESSION_HEADER))
        if found is None:
            return _no_session(request)
        await self._workers.run(lambda: self.sessions.clear([found]))
        return Response(status_code=204)

    async def _run(
        self, tools: HttpTools, message: object, peer: Peer, note: Note, *, modern: bool
    ) -> Reply | None:
        _note(note, message)
        dispatcher = Dispatcher(tools)
        reply = await self._workers.run(lambda: dispatcher.answer(message, peer, modern=modern))
        if reply is not None and reply.code is not None:
            note.outcome = "rpc_error"
        return reply


def _is_modern(request: Request, message: object) -> bool:
    version = request.headers.get(VERSION_HEADER)
    if version is not None and version not in SUPPORTED_VERSIONS:
        data = {"supported": SUPPORTED_VERSIONS, "requested": version[:40]}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data, request_id=_id(message))
    # Without the header, a request that says so itself is modern, and is told that its headers are missing.
    return version in MODERN_VERSIONS or VERSION_KEY in _meta(message)


def _check_headers(request: Request, message: object) -> None:
    """Let a modern request's headers say what its body says: whoever routes it reads only those."""
    if not isinstance(message, dict) or "id" not in message:
        return
    method, meta = message.get("method"), _meta(message)
    if VERSION_KEY not in meta:
        return  # the dispatcher says what is missing
    wanted = {VERSION_HEADER: meta[VERSION_KEY], "mcp-method": method}
    key = _NAMED_BY.get(method) if isinstance(method, str) else None
    if key is not None and (named := _params(message).get(key)) is not None:
        wanted["mcp-name"] = named
    for name, value in wanted.items():
        given = request.headers.getlist(name)
        if len(given) != 1 or _decoded(given[0]) != value:
            raise RpcError(
                HEADER_MISMATCH, f"the header {name} does not say what the body says", request_id=_id(message)
            )


def _decoded(value: str) -> str | None:
    """A header's value; what cannot stand in a header comes as `=?base64?…?=`."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _note(note: Note, message: object) -> None:
    params = _params(message)
    name, arguments = params.get("name"), params.get("arguments")
    if isinstance(name, str) and name in BY_NAME:
        note.operation = name
    workspace = arguments.get("workspace") if isinstance(arguments, dict) else None
    note.workspace = workspace[:128] if isinstance(workspace, str) else None


def _params(message: object) -> Mapping[str, Any]:
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


def _meta(message: object) -> Mapping[str, Any]:
    meta = _params(message).get("_meta")
    return meta if isinstance(meta, dict) else {}


def _id(message: object) -> str | int | None:
    return usable_id(message.get("id")) if isinstance(message, dict) else None


def _no_session(request: Request) -> Response:
    note_of(request.scope).outcome = "rpc_error"
    if SESSION_HEADER in request.headers:
        return _sent(refusal(RpcError(INVALID_REQUEST, "this session has ended: initialize again")), {}, 404)
    return _sent(refusal(RpcError(INVALID_REQUEST, "initialize first, then send Mcp-Session-Id")), {}, 400)


def _sent(reply: Reply | None, statuses: Mapping[int, int], status: int = 200) -> Response:
    if reply is None:
        return Response(status_code=202)
    found = status if reply.code is None else statuses.get(reply.code, status)
    return Response(reply.body, found, media_type="application/json")
