"""The Model Context Protocol in both eras: JSON in, JSON out, no transport.

A *legacy* client (2024-11-05 to 2025-11-25) opens with `initialize`; a *modern* one (2026-07-28) sends its
protocol version with every request. Each request decides for itself, so one process serves both.

Agents start one server per agent and subagent: at its start this file loads `json` and nothing beyond it.
"""

from __future__ import annotations

import json

from gatepost.surfaces import faults

TYPE_CHECKING = False  # typing itself costs more to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Protocol

    from gatepost.surfaces.mcp.resources import Resources

    class Toolbox(Protocol):
        """What a server offers. Exists for type checkers only: import it under `TYPE_CHECKING`.

        One that also lets things be read by their address has `resources`, a callable that takes the client's
        name and gives the `Resources`. Only then are they announced.
        """

        @property
        def name(self) -> str: ...
        @property
        def version(self) -> str: ...
        @property
        def instructions(self) -> str: ...

        def tools(self) -> list[dict[str, object]]:
            """Complete tool definitions, always in the same order."""

        def call(self, name: str, arguments: dict[str, object], caller: str | None) -> ToolAnswer:
            """Answer or refuse; a plain `LookupError` says that no tool has this name."""


LEGACY_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS: Final = ("2026-07-28",)
SUPPORTED_VERSIONS: Final = (*reversed(MODERN_VERSIONS), *reversed(LEGACY_VERSIONS))
BATCHING_VERSION: Final = "2025-03-26"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
UNSUPPORTED_VERSION: Final = -32022

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

RESOURCE_METHODS: Final = ("resources/list", "resources/templates/list", "resources/read")

# What may be listed can depend on the token, so no shared cache may keep it. Whoever reads a resource is to see
# what others have just changed, so that no cache may keep those at all; a call's result has no such members.
CACHE_MEMBERS: Final = '"ttlMs":300000,"cacheScope":"private",'
OTHER_CACHE_MEMBERS: Final = {
    "tools/call": "",
    "resources/list": '"ttlMs":0,"cacheScope":"private",',
    "resources/read": '"ttlMs":0,"cacheScope":"private",',
}


class ToolAnswer:
    """A tool's reply object as compact JSON text, and whether it is a refusal."""

    __slots__ = ("refused", "text")

    def __init__(self, text: str, *, refused: bool = False) -> None:
        self.text = text
        self.refused = refused


class Peer:
    """What is known of a client: on stdio for the process, on HTTP for a legacy session or one request."""

    __slots__ = ("name", "version")

    def __init__(self, name: str | None = None, version: str | None = None) -> None:
        self.name = name
        self.version = version


class Reply:
    """One JSON-RPC reply as a line of UTF-8; `code` is its error's, for transports that have a status."""

    __slots__ = ("body", "code")

    def __init__(self, text: str, code: int | None = None) -> None:
        self.body = _utf8(text)
        self.code = code


class RpcError(Exception):
    """Why a message cannot be served; `id` is known where the message had a usable one."""

    def __init__(
        self, code: int, message: str, data: object = None, *, request_id: str | int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = request_id


class Request:
    """A well-formed request; `params` and `meta` are empty where the client left them out."""

    __slots__ = ("id", "meta", "method", "params")

    def __init__(self, request_id: str | int, method: str, params: dict[str, object]) -> None:
        meta = params.get("_meta")
        self.id = request_id
        self.method = method
        self.params = params
        self.meta: dict[str, object] = meta if isinstance(meta, dict) else {}


class Dispatcher:
    """Serves a toolbox to any number of peers; it keeps no state of its own."""

    __slots__ = ("_legacy", "_modern", "_resources", "_stamp", "_toolbox")

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._stamp = f'"resultType":"complete","_meta":{_encode({SERVER_KEY: self._server()})},'
        self._resources: Callable[[str | None], Resources] | None = getattr(toolbox, "resources", None)
        both = {"tools/list": self._list_tools, "tools/call": self._call_tool}
        both |= dict.fromkeys(RESOURCE_METHODS, self._show_resources)
        self._legacy = {"initialize": self._initialize, "ping": self._ping, **both}
        self._modern = {"server/discover": self._discover, **both}

    def answer(self, message: object, peer: Peer, *, modern: bool | None = None) -> Reply | None:
        """Serve one message that `read` gave; None where the protocol wants silence.

        `modern` overrules what the message says of its era, for transports that learn it from a header.
        """
        if isinstance(message, list):
            return self._answer_batch(message, peer)
        try:
            request = _request(message)
        except RpcError as error:
            return refusal(error)
        if request is None:
            return None
        return self._serve(request, peer, _is_modern(request) if modern is None else modern)

    def _answer_batch(self, messages: list[object], peer: Peer) -> Reply | None:
        # One revision obliged servers to take JSON-RPC batches; the one before was silent and all later ones
        # took them out again. So only clients that settled on that revision get them.
        if peer.version != BATCHING_VERSION or not messages:
            return refusal(RpcError(INVALID_REQUEST, "a message must be a single JSON object"))
        replies = [
            refusal(RpcError(INVALID_REQUEST, "a batch must not hold a batch"))
            if isinstance(message, list)
            else self.answer(message, peer)
            for message in messages
        ]
        texts = [reply.body.decode() for reply in replies if reply is not None]
        return Reply(f"[{','.join(texts)}]") if texts else None

    def _serve(self, request: Request, peer: Peer, modern: bool) -> Reply:  # noqa: FBT001 - an era, not a switch
        try:
            result = self._modern_result(request) if modern else self._legacy_result(request, peer)
        except RpcError as error:
            error.id = request.id
            return refusal(error)
        # The surface's edge. SystemExit too: a tool's sys.exit() must not end its neighbours' server.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            fault = faults.report(f"in {_short(request.method)}", error)
            words = f"internal error (fault {fault}; the server's stderr has the details)"
            return refusal(RpcError(INTERNAL_ERROR, words, {"fault": fault}, request_id=request.id))
        return Reply(f'{{"jsonrpc":"2.0","id":{_encode(request.id)},"result":{result}}}')

    def _modern_result(self, request: Request) -> str:
        peer = _modern_peer(request)
        handler = self._modern.get(request.method)
        if handler is None:
            raise _unknown_method(request)
        cache = OTHER_CACHE_MEMBERS.get(request.method, CACHE_MEMBERS)
        return f"{{{self._stamp}{cache}{handler(request, peer)}}}"

    def _legacy_result(self, request: Request, peer: Peer) -> str:
        handler = self._legacy.get(request.method)
        if handler is None:
            raise _unknown_method(request)
        # As strict as the SDK's server: only ping may come first. In the modern era the same request
        # would lack its envelope, which is the same code: the words serve both clients.
        if peer.version is None and request.method not in ("initialize", "ping"):
            raise RpcError(
                INVALID_PARAMS,
                f"{request.method} needs an earlier initialize, or {VERSION_KEY} in params._meta",
            )
        return f"{{{handler(request, peer)}}}"

    def _initialize(self, request: Request, peer: Peer) -> str:
        wanted = request.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, "initialize needs protocolVersion, a string")
        peer.version = wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[-1]
        peer.name = _client_name(request.params.get("clientInfo"))
        version, server = _encode(peer.version), _encode(self._server())
        return f'"protocolVersion":{version},{self._offer()},"serverInfo":{server}'

    def _discover(self, _request: Request, _peer: Peer) -> str:
        return f'"supportedVersions":{_encode(SUPPORTED_VERSIONS)},{self._offer()}'

    def _ping(self, _request: Request, _peer: Peer) -> str:
        return ""

    def _list_tools(self, request: Request, _peer: Peer) -> str:
        # There is one page, so no cursor can be one of ours.
        cursor = request.params.get("cursor")
        if cursor is not None:
            raise RpcError(INVALID_PARAMS, f"unknown cursor {_short(cursor)}: tools/list has a single page")
        return f'"tools":{_encode(self._toolbox.tools())}'

    def _call_tool(self, request: Request, peer: Peer) -> str:
        name = request.params.get("name")
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, "tools/call needs name, a string")
        arguments = request.params.get("arguments")
        if arguments is None:  # or null, as clients write it that cannot tell an empty map from none
            arguments = {}
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, f"arguments of {_short(name)} must be an object")
        try:
            answer = self._toolbox.call(name, arguments, peer.name)
        except LookupError as error:
            if type(error) is not LookupError:  # a KeyError or IndexError is a bug in the tool, not a name
                raise
            raise self._unknown_tool(name) from error
        # The reply is spliced in as it stands. Line breaks in JSON are either escaped or mere white space.
        content = answer.text.replace("\n", " ").replace("\r", " ")
        text, refused = _encode(answer.text), "true" if answer.refused else "false"
        return f'"content":[{{"type":"text","text":{text}}}],"structuredContent":{content},"isError":{refused}'

    def _show_resources(self, request: Request, peer: Peer) -> str:
        if self._resources is None:
            raise _unknown_method(request)
        from gatepost.surfaces.mcp import resources

        modern = peer.version in MODERN_VERSIONS
        return _encode(resources.members(self._resources(peer.name), request, modern=modern))[1:-1]

    def _unknown_tool(self, name: str) -> RpcError:
        from difflib import get_close_matches

        names = [str(tool.get("name")) for tool in self._toolbox.tools()]
        near = get_close_matches(name[:80], names, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "tools/list names them all"
        return RpcError(INVALID_PARAMS, f"unknown tool {_short(name)}: {hint}")

    def _offer(self) -> str:
        resources = "" if self._resources is None else ',"resources":{}'
        words = _encode(self._toolbox.instructions)
        return f'"capabilities":{{"tools":{{}}{resources}}},"instructions":{words}'

    def _server(self) -> dict[str, str]:
        return {"name": self._toolbox.name, "version": self._toolbox.version}


def read(line: bytes) -> object:
    """The message in one JSON text, or an `RpcError` that can be answered with `refusal`."""
    try:
        message: object = _DECODER.decode(line.decode())
        if rb"\ud" in line or rb"\uD" in line:
            _refuse_lone_surrogates(message)
    except RecursionError:
        raise RpcError(PARSE_ERROR, "the JSON is nested too deeply") from None
    except ValueError as error:
        raise RpcError(PARSE_ERROR, f"not JSON in UTF-8: {str(error)[:120]}") from None
    return message


def refusal(error: RpcError) -> Reply:
    """The JSON-RPC error reply that tells a client about `error`."""
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return Reply(f'{{"jsonrpc":"2.0","id":{_encode(error.id)},"error":{_encode(body)}}}', error.code)


def usable_id(value: object) -> str | int | None:
    """A request id as MCP allows it: a string or an integer; None for anything else."""
    if isinstance(value, str):
        return None if _lone_surrogate(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _request(message: object) -> Request | None:
    """None for notifications and responses: we never ask, and nothing we offer hangs on a notification."""
    if not isinstance(message, dict):
        raise RpcError(INVALID_REQUEST, "a message must be a single JSON object")
    request_id = usable_id(message.get("id"))
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'jsonrpc must be "2.0"', request_id=request_id)
    method = message.get("method")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "method must be a string", request_id=request_id)
    if "id" not in message:
        return None
    if request_id is None:
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params must be an object", request_id=request_id)
    return Request(request_id, method, params or {})


def _is_modern(request: Request) -> bool:
    # The version key alone tells: legacy clients put progress tokens into _meta, never this reserved key.
    if request.method == "initialize":
        return False
    return VERSION_KEY in request.meta or request.method == "server/discover"


def _modern_peer(request: Request) -> Peer:
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in request.meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}")
    version = request.meta[VERSION_KEY]
    if not isinstance(version, str) or not isinstance(request.meta[CAPABILITIES_KEY], dict):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} must be a string and {CAPABILITIES_KEY} an object")
    if version not in MODERN_VERSIONS:
        data = {"supported": SUPPORTED_VERSIONS, "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    return Peer(_client_name(request.meta.get(CLIENT_KEY)), version)


def _client_name(info: object) -> str | None:
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) else None


def _unknown_method(request: Request) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, f"unknown method {_short(request.method)}")


def _refuse_lone_surrogates(message: object) -> None:
    # Half a surrogate pair is legal in a JSON escape and is not Unicode: no store could keep it, and strict
    # clients could not read our reply. Refused with the request's id, so that nobody waits for an answer.
    if _lone_surrogate(_encode(message)):
        request_id = usable_id(message.get("id")) if isinstance(message, dict) else None
        raise RpcError(
            INVALID_PARAMS, r"the text holds half a surrogate pair (\ud800 to \udfff)", request_id=request_id
        )


def _lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # a tool answered with half a surrogate pair: U+FFFD instead of no reply
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _short(value: object) -> str:
    return repr(value)[:80] if isinstance(value, str) else f"of type {type(value).__name__}"


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
