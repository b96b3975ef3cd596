"""JSON-RPC messages as MCP uses them: reading, validation and encoding as lines of UTF-8.

Agents start one server per agent and subagent, so this module imports only `json`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # typing itself costs more to import than everything else here
if TYPE_CHECKING:
    from typing import Final

    from gatepost.surfaces.mcp.watched_resources import Subscriptions

LEGACY_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS: Final = ("2026-07-28",)
SUPPORTED_VERSIONS: Final = (*reversed(MODERN_VERSIONS), *reversed(LEGACY_VERSIONS))

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"


class UnknownName(Exception):
    """There is no such tool, prompt, resource or cursor. Says what there is, where that helps."""


class Cancelled(Exception):
    """The client no longer waits for this call. There is no reply."""


class Peer:
    """What is known about a client: on stdio for the process, on HTTP for a legacy session or one request.

    `subscriptions` are a legacy client's, where its transport can send notifications; `asks` means that the
    transport can carry questions to a legacy client. `level` is the lowest log level that it wants, if any.
    """

    __slots__ = ("asks", "capabilities", "level", "name", "subscriptions", "version")

    def __init__(
        self,
        name: str | None = None,
        version: str | None = None,
        *,
        subscriptions: Subscriptions | None = None,
        asks: bool = False,
    ) -> None:
        self.name = name
        self.version = version
        self.capabilities: frozenset[str] = frozenset()
        self.level: str | None = None
        self.subscriptions = subscriptions
        self.asks = asks


class RpcReply:
    """One JSON-RPC reply as a line of UTF-8. `code` is its error code, for transports with a status."""

    __slots__ = ("body", "code")

    def __init__(self, text: str, code: int | None = None) -> None:
        self.body = _utf8(text)
        self.code = code


class RpcError(Exception):
    """Why a message cannot be served. `id` is set if the message had a usable one."""

    def __init__(
        self, code: int, message: str, data: object = None, *, request_id: str | int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = request_id


class McpRequest:
    """A well-formed request. `params` and `meta` are empty if the client left them out."""

    __slots__ = ("id", "meta", "method", "params")

    def __init__(self, request_id: str | int, method: str, params: dict[str, object]) -> None:
        meta = params.get("_meta")
        self.id = request_id
        self.method = method
        self.params = params
        self.meta: dict[str, object] = meta if isinstance(meta, dict) else {}

    def text(self, name: str) -> str:
        """A required string parameter."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise RpcError(INVALID_PARAMS, f"{self.method} needs {name}, a string")
        return value

    def mapping(self, name: str) -> dict[str, object]:
        """An optional object parameter. Null counts as absent: some clients send it for an empty map."""
        value = self.params.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise RpcError(INVALID_PARAMS, f"{name} of {self.method} must be an object")
        return value

    def one_page(self) -> None:
        """Refuse a cursor where there is only one page."""
        cursor = self.params.get("cursor")
        if cursor is not None:
            raise RpcError(
                INVALID_PARAMS, f"unknown cursor {short(cursor)}: {self.method} has a single page; send no cursor"
            )


def read(line: bytes) -> object:
    """The message in one JSON text, or an `RpcError` to answer with `refusal`."""
    try:
        message: object = _DECODER.decode(line.decode())
        if rb"\ud" in line or rb"\uD" in line:
            _refuse_lone_surrogates(message)
    except RecursionError:
        raise _unreadable("the JSON is nested too deeply", line) from None
    except ValueError as error:
        raise _unreadable(f"not JSON in UTF-8: {str(error)[:120]}", line) from None
    return message


def _unreadable(words: str, line: bytes) -> RpcError:
    return RpcError(PARSE_ERROR, words, request_id=id_of_unreadable(line))


def id_of_unreadable(line: bytes) -> str | int | None:
    """The id of a message that is not valid JSON or was cut off, if it can be found."""
    from gatepost.surfaces.mcp.message_ids import find_id

    return usable_id(find_id(line))


def request_in(message: object) -> McpRequest | None:
    """The request in a message. None for notifications and responses, which get no reply."""
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
    return McpRequest(request_id, method, params or {})


def refusal(error: RpcError) -> RpcReply:
    """The JSON-RPC error reply for `error`."""
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return RpcReply(f'{{"jsonrpc":"2.0","id":{encode(error.id)},"error":{encode(body)}}}', error.code)


def notice(method: str, params: dict[str, object]) -> bytes:
    """A notification as a line of UTF-8."""
    return _utf8(encode({"jsonrpc": "2.0", "method": method, "params": params}))


def usable_id(value: object) -> str | int | None:
    """A request id as MCP allows it: a string or an integer; None for anything else."""
    if isinstance(value, str):
        return None if _lone_surrogate(value) else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def short(value: object) -> str:
    """A value as an error may quote it: short, and without credentials."""
    if not isinstance(value, str):
        return f"of type {type(value).__name__}"
    from gatepost.wire.credentials import redacted

    return repr(redacted(value[:1_000])[0])[:80]


def _refuse_lone_surrogates(message: object) -> None:
    # Half a surrogate pair is legal in a JSON escape but is not Unicode: no store could keep it, and strict clients
    # could not read our reply. Refused with the request's id, so that the client does not wait.
    if _lone_surrogate(encode(message)):
        request_id = usable_id(message.get("id")) if isinstance(message, dict) else None
        raise RpcError(
            INVALID_PARAMS, r"the text has half a surrogate pair (\ud800 to \udfff)", request_id=request_id
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
    except UnicodeEncodeError:  # a tool answered with half a surrogate pair: send U+FFFD instead of no reply
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
