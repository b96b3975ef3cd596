"""The Model Context Protocol in both eras: JSON in, JSON out, no transport.

A *legacy* client (2024-11-05 to 2025-11-25) opens with `initialize`; a *modern* one (2026-07-28) sends its
protocol version with every request. Each request decides for itself, so one process serves both.

What a server offers beside tools is loaded when it is first asked for: a start must cost next to nothing.
"""

from __future__ import annotations

from gatepost.surfaces import faults
from gatepost.surfaces.mcp.answers import PendingQuestions
from gatepost.surfaces.mcp.exchange import LEVELS, Exchange, InputRequired, askable
from gatepost.surfaces.mcp.messages import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEGACY_VERSIONS,
    METHOD_NOT_FOUND,
    MODERN_VERSIONS,
    SERVER_KEY,
    SUPPORTED_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Cancelled,
    McpRequest,
    Peer,
    RpcError,
    RpcReply,
    UnknownName,
    encode,
    refusal,
    request_in,
    short,
)

TYPE_CHECKING = False  # typing itself costs more to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Protocol

    from gatepost.engine.checks import Cancellation
    from gatepost.surfaces.mcp.answers import Blocks, CallToolResult
    from gatepost.surfaces.mcp.completion import Completions
    from gatepost.surfaces.mcp.exchange import ClientAnswers
    from gatepost.surfaces.mcp.prompts import Prompts
    from gatepost.surfaces.mcp.resources import Resources
    from gatepost.surfaces.mcp.subscriptions import SubscriptionStream

    class Toolbox(Protocol):
        """What a server offers. For type checkers only: import it under `TYPE_CHECKING`.

        Optional members, announced only if present: `resources`, `prompts` and `completions`, each a callable that
        takes the client's name and returns `Resources`, `Prompts` or `Completions`; `converse`, which replaces
        `call` for tools that talk to the client, with an `Exchange` in place of the caller; `logs`, true if they
        log; `is_slow`, which takes a tool and its arguments and says whether the call may take minutes.
        """

        @property
        def name(self) -> str: ...
        @property
        def version(self) -> str: ...
        @property
        def instructions(self) -> str: ...

        def tools(self) -> list[dict[str, object]]:
            """Complete tool definitions, always in the same order."""

        def call(self, name: str, arguments: dict[str, object], caller: str | None) -> CallToolResult:
            """Answer or refuse. `UnknownName` means that there is no such tool."""

    Outcome = RpcReply | PendingQuestions | SubscriptionStream | None
    Handler = Callable[[McpRequest, Peer, Exchange], str]
    Converse = Callable[[str, dict[str, object], Exchange], CallToolResult | Blocks]


BATCHING_VERSION: Final = "2025-03-26"
LISTEN: Final = "subscriptions/listen"
LONGEST_NAME: Final = 80
"""How much of a client's name is kept. It becomes part of the actor in the log."""

_RESOURCES: Final = ("resources/list", "resources/templates/list", "resources/read")
_SUBSCRIPTIONS: Final = ("resources/subscribe", "resources/unsubscribe")
_PROMPTS: Final = ("prompts/list", "prompts/get")
_COMPLETE: Final = "completion/complete"

# What is listed can depend on the token, so no shared cache may keep it. A read resource must show the latest
# changes, so no cache may keep it at all. Other results have no such members.
_LISTS: Final = '"ttlMs":300000,"cacheScope":"private",'
_NEWS: Final = '"ttlMs":0,"cacheScope":"private",'
_CACHING: Final = {
    "server/discover": _LISTS,
    "tools/list": _LISTS,
    "prompts/list": _LISTS,
    "resources/templates/list": _LISTS,
    "resources/list": _NEWS,
    "resources/read": _NEWS,
}


class McpDispatcher:
    """Serves a toolbox to any number of clients. Has no state of its own.

    `listens` means that the transport can send notifications.
    """

    __slots__ = (
        *("_completions", "_converse", "_is_slow", "_legacy", "_listens", "_meta"),
        *("_modern", "_prompts", "_resources", "_toolbox"),
    )

    def __init__(self, toolbox: Toolbox, *, listens: bool = False) -> None:
        self._toolbox = toolbox
        self._resources: Callable[[str | None], Resources] | None = getattr(toolbox, "resources", None)
        self._prompts: Callable[[str | None], Prompts] | None = getattr(toolbox, "prompts", None)
        self._completions: Callable[[str | None], Completions] | None = getattr(toolbox, "completions", None)
        self._converse: Converse | None = getattr(toolbox, "converse", None)
        self._is_slow: Callable[[str, dict[str, object]], bool] | None = getattr(toolbox, "is_slow", None)
        self._listens = listens and self._resources is not None
        self._meta = f'"_meta":{encode({SERVER_KEY: self._server()})},'
        both: dict[str, Handler] = {"tools/list": self._list_tools, "tools/call": self._call_tool}
        both |= dict.fromkeys(_RESOURCES, self._show_resources) if self._resources else {}
        both |= dict.fromkeys(_PROMPTS, self._show_prompts) if self._prompts else {}
        both |= {_COMPLETE: self._complete} if self._completions else {}
        self._legacy = {"initialize": self._initialize, "ping": self._ping, **both}
        self._legacy |= dict.fromkeys(_SUBSCRIPTIONS, self._subscribe) if self._listens else {}
        self._legacy |= {"logging/setLevel": self._set_level} if self._logs() else {}
        self._modern = {"server/discover": self._discover, **both}

    def answer(
        self,
        message: object,
        peer: Peer,
        *,
        modern: bool | None = None,
        send: Callable[[bytes], None] | None = None,
        answers: ClientAnswers | None = None,
        cancelled: Cancellation | None = None,
    ) -> Outcome:
        """Serve one message from `read`. None if the protocol requires no reply.

        `modern` overrides the era of the message, for transports that know it from a header. `send` receives
        messages before the reply; `answers` are the answers to the last `PendingQuestions`; `cancelled` says that
        nobody waits for the reply any more.
        """
        if isinstance(message, list):
            return self._answer_batch(message, peer, cancelled)
        try:
            request = request_in(message)
        except RpcError as error:
            return refusal(error)
        if request is None:
            return None
        era = _is_modern(request) if modern is None else modern
        try:
            if era:
                return self._serve_modern(request, send, cancelled)
            return self._serve_legacy(request, peer, Exchange(request, peer, answers, send, cancelled))
        except Cancelled:
            return None
        except RpcError as error:
            error.id = request.id
            return refusal(error)
        # The surface's edge. SystemExit too: a tool's sys.exit() must not end the server.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            failed = _failed(request, error)
            failed.id = request.id
            return refusal(failed)

    def takes_long(self, message: object) -> bool:
        """Whether a message may take minutes to serve, so that others must not wait for it."""
        if isinstance(message, list):
            return any(self.takes_long(inner) for inner in message if not isinstance(inner, list))
        if self._is_slow is None or not isinstance(message, dict) or message.get("method") != "tools/call":
            return False
        params = message.get("params")
        name, given = (params.get("name"), params.get("arguments")) if isinstance(params, dict) else (None, None)
        return isinstance(name, str) and self._is_slow(name, given if isinstance(given, dict) else {})

    def refuse_call(self, request_id: str | int | None, answer: CallToolResult, *, modern: bool) -> RpcReply:
        """The reply to a tool call that could not start: a result, which a model reads, rather than an error."""
        head = f'"resultType":"complete",{self._meta}' if modern else ""
        return RpcReply(f'{{"jsonrpc":"2.0","id":{encode(request_id)},"result":{{{head}{answer.members()}}}}}')

    def _answer_batch(self, messages: list[object], peer: Peer, cancelled: Cancellation | None) -> RpcReply | None:
        # Only one revision required JSON-RPC batches; the one before was silent and all later ones removed them. So
        # only clients of that revision get them.
        if peer.version != BATCHING_VERSION or not messages:
            return refusal(RpcError(INVALID_REQUEST, "a message must be a single JSON object"))
        replies = [
            refusal(RpcError(INVALID_REQUEST, "a batch must not contain a batch"))
            if isinstance(message, list)
            else self.answer(message, peer, cancelled=cancelled)
            for message in messages
        ]
        texts = [reply.body.decode() for reply in replies if isinstance(reply, RpcReply)]
        return RpcReply(f"[{','.join(texts)}]") if texts else None

    def _serve_modern(
        self, request: McpRequest, send: Callable[[bytes], None] | None, cancelled: Cancellation | None
    ) -> RpcReply | SubscriptionStream:
        peer = _modern_peer(request)
        if request.method == LISTEN and self._listens:
            return self._listen(request, peer)
        handler = self._modern.get(request.method)
        if handler is None:
            raise _unknown_method(request)
        known: ClientAnswers | None = None
        if "requestState" in request.params or "inputResponses" in request.params:
            from gatepost.surfaces.mcp import request_state

            known = request_state.answers(request)
        try:
            members = handler(request, peer, Exchange(request, peer, known, send, cancelled))
        except InputRequired as required:
            from gatepost.surfaces.mcp import request_state

            asked = request_state.members(request, required)
            return _result(request, f'"resultType":"input_required",{self._meta}{asked}')
        cache = _CACHING.get(request.method, "")
        return _result(request, f'"resultType":"complete",{self._meta}{cache}{members}')

    def _serve_legacy(self, request: McpRequest, peer: Peer, exchange: Exchange) -> RpcReply | PendingQuestions:
        handler = self._legacy.get(request.method)
        if handler is None:
            raise _unknown_method(request)
        # As strict as the SDK's server: only ping may come first. In the modern era the same request would lack its
        # envelope, which is the same code, so the message serves both clients.
        if peer.version is None and request.method not in ("initialize", "ping"):
            raise RpcError(
                INVALID_PARAMS,
                f"{request.method} needs an earlier initialize, or {VERSION_KEY} in params._meta",
            )
        try:
            return _result(request, handler(request, peer, exchange))
        except InputRequired as required:
            return PendingQuestions(required)

    def _initialize(self, request: McpRequest, peer: Peer, _exchange: Exchange) -> str:
        wanted = request.text("protocolVersion")
        peer.version = wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[-1]
        peer.name = _client_name(request.params.get("clientInfo"))
        peer.capabilities = askable(request.params.get("capabilities"))
        version, server = encode(peer.version), encode(self._server())
        return f'"protocolVersion":{version},{self._offer()},"serverInfo":{server}'

    def _discover(self, _request: McpRequest, _peer: Peer, _exchange: Exchange) -> str:
        return f'"supportedVersions":{encode(SUPPORTED_VERSIONS)},{self._offer()}'

    def _ping(self, _request: McpRequest, _peer: Peer, _exchange: Exchange) -> str:
        return ""

    def _set_level(self, request: McpRequest, peer: Peer, _exchange: Exchange) -> str:
        level = request.text("level")
        if level not in LEVELS:
            raise RpcError(INVALID_PARAMS, f"unknown level {short(level)}; the levels are {', '.join(LEVELS)}")
        peer.level = level
        return ""

    def _list_tools(self, request: McpRequest, _peer: Peer, _exchange: Exchange) -> str:
        request.one_page()
        return f'"tools":{encode(self._toolbox.tools())}'

    def _call_tool(self, request: McpRequest, peer: Peer, exchange: Exchange) -> str:
        name, arguments = request.text("name"), request.mapping("arguments")
        try:
            if self._converse is not None:
                return self._converse(name, arguments, exchange).members()
            return self._toolbox.call(name, arguments, peer.name).members()
        except UnknownName as error:
            raise self._unknown_tool(name) from error

    def _unknown_tool(self, name: str) -> RpcError:
        from gatepost.wire.near_names import nearest_lines

        about = {str(tool.get("name")): str(tool.get("description")) for tool in self._toolbox.tools()}
        lines = nearest_lines(name, about, about.__getitem__)
        return RpcError(INVALID_PARAMS, f"unknown tool {short(name)}; the nearest are: {lines}")

    def _show_resources(self, request: McpRequest, peer: Peer, _exchange: Exchange) -> str:
        from gatepost.surfaces.mcp import resources

        modern = peer.version in MODERN_VERSIONS
        return encode(resources.members(self._readable(request, peer), request, modern=modern))[1:-1]

    def _show_prompts(self, request: McpRequest, peer: Peer, exchange: Exchange) -> str:
        from gatepost.surfaces.mcp import prompts

        if self._prompts is None:
            raise _unknown_method(request)
        return encode(prompts.members(self._prompts(peer.name), request, exchange))[1:-1]

    def _complete(self, request: McpRequest, peer: Peer, _exchange: Exchange) -> str:
        from gatepost.surfaces.mcp import completion

        if self._completions is None:
            raise _unknown_method(request)
        return encode(completion.members(self._completions(peer.name), request))[1:-1]

    def _subscribe(self, request: McpRequest, peer: Peer, _exchange: Exchange) -> str:
        from gatepost.surfaces.mcp import subscriptions

        subscriptions.subscribe(self._readable(request, peer), request, peer)
        return ""

    def _listen(self, request: McpRequest, peer: Peer) -> SubscriptionStream:
        from gatepost.surfaces.mcp import subscriptions

        return subscriptions.listen(self._readable(request, peer), request)

    def _readable(self, request: McpRequest, peer: Peer) -> Resources:
        if self._resources is None:
            raise _unknown_method(request)
        return self._resources(peer.name)

    def _offer(self) -> str:
        subscribing = {"subscribe": True} if self._listens else {}
        offered: dict[str, object] = {"tools": {}}
        offered |= {"resources": subscribing} if self._resources else {}
        offered |= {"prompts": {}} if self._prompts else {}
        offered |= {"completions": {}} if self._completions else {}
        offered |= {"logging": {}} if self._logs() else {}
        return f'"capabilities":{encode(offered)},"instructions":{encode(self._toolbox.instructions)}'

    def _logs(self) -> bool:
        return bool(getattr(self._toolbox, "logs", False))

    def _server(self) -> dict[str, str]:
        return {"name": self._toolbox.name, "version": self._toolbox.version}


def _result(request: McpRequest, members: str) -> RpcReply:
    return RpcReply(f'{{"jsonrpc":"2.0","id":{encode(request.id)},"result":{{{members}}}}}')


def _is_modern(request: McpRequest) -> bool:
    # Only the version key decides: legacy clients put progress tokens into _meta, but never this reserved key.
    if request.method == "initialize":
        return False
    return VERSION_KEY in request.meta or request.method == "server/discover"


def _modern_peer(request: McpRequest) -> Peer:
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in request.meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta has no {' and '.join(missing)}")
    version = request.meta[VERSION_KEY]
    if not isinstance(version, str) or not isinstance(request.meta[CAPABILITIES_KEY], dict):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} must be a string and {CAPABILITIES_KEY} an object")
    if version not in MODERN_VERSIONS:
        data = {"supported": SUPPORTED_VERSIONS, "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    return Peer(_client_name(request.meta.get(CLIENT_KEY)), version)


def _client_name(info: object) -> str | None:
    name = info.get("name") if isinstance(info, dict) else None
    return name[:LONGEST_NAME] if isinstance(name, str) else None


def _failed(request: McpRequest, error: BaseException) -> RpcError:
    """The error for a client when no handler gave one: a refusal's own, or a fault's id."""
    from gatepost.domain.refusals import Refusal

    if isinstance(error, Refusal):
        from gatepost.surfaces.mcp import refusal_errors

        return refusal_errors.rpc_error(error)
    fault = faults.report(f"in {short(request.method)}", error)
    words = f"internal error (fault {fault}; see the server's stderr for details)"
    return RpcError(INTERNAL_ERROR, words, {"fault": fault})


def _unknown_method(request: McpRequest) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, f"unknown method {short(request.method)}")
