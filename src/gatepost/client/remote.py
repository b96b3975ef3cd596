"""A client of a server, by its address."""

from __future__ import annotations

from weakref import WeakSet

import msgspec

from gatepost.client.connections import Connections, NoAnswer
from gatepost.client.refusals import rebuilt
from gatepost.domain.refusals import InvalidInput, Refusal, StoreFault, WorkspaceMismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from typing import Any

    from gatepost.client.protocol import Listener, Subscription
    from gatepost.client.remote_log import ServerAddress
    from gatepost.client.remote_subscription import RemoteSubscription
    from gatepost.operations.registry import Command, R
    from gatepost.todo import TodoStore

ACTOR = "python"
_TIMEOUT = 30.0
_OK = 200
_UNAUTHORIZED = 401
_START = "Start it with `gatepost up`, or give the address of a server that runs."
_SENT = "Check first whether the call was applied: the connection broke after it was sent. Then call again."
_TOKEN = "Give the token that is in the server's token file: --token-file on the command line, token= in Python."  # noqa: S105 - words about it


class RemoteClient:
    """A server, asked by one actor. Connections stay open between calls."""

    def __init__(
        self,
        address: str,
        *,
        actor: str = ACTOR,
        workspace: str | None = None,
        session: str | None = None,
        holder: str | None = None,
        token: str | None = None,
        timeout: float = _TIMEOUT,
        connections: Connections | None = None,
    ) -> None:
        self.place = server_address(address)
        self.token = _sendable(token)
        self._actor = actor
        self._bound = workspace
        self._session = session
        self._holder = holder
        self._connections = connections or Connections(self.place, timeout)
        self._subscriptions: WeakSet[RemoteSubscription] = WeakSet()

    def do(self, command: Command[R]) -> R:
        """The typed reply to a typed command."""
        from gatepost.client import requests

        return requests.do(self, command)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply to a call by name."""
        return self._reply(_OK, self.text(tool, arguments).encode())

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply's JSON."""
        reply = self._post(tool, arguments, again=True)
        for subscription in tuple(self._subscriptions):
            subscription.retry()
        return reply

    def rehearse(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply a call would get, as JSON."""
        return self._post(tool, arguments, "?rehearse=1")

    def follow(
        self, workspace: str, after: int = 0, *, stop: threading.Event | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every event after a `seq`, then each new one, until `stop` is set. Reconnects when it must."""
        from gatepost.client.remote_log import follow

        self.call("tasks_delta", workspace=workspace, since=after, limit=1)  # refuses what cannot be followed
        return follow(self._server, workspace, after, stop)

    def subscribe(
        self, workspace: str, listener: Listener, *, scope: str | None = None, todos: TodoStore | None = None
    ) -> Subscription:
        """Receive the log and the todo lists, in two threads that reconnect."""
        from gatepost.client.remote_subscription import RemoteSubscription
        from gatepost.operations.todo_stream import place_of

        if self._bound not in (None, workspace):
            raise WorkspaceMismatch(workspace, str(self._bound))
        if scope is not None:
            place_of(scope)  # refuses what can be no list
        subscription = RemoteSubscription(self._server, self._read, workspace, listener, scope, todos)
        self._subscriptions.add(subscription)
        return subscription

    def tools(self, toolset: str) -> list[dict[str, Any]]:
        """The operations of a tool set, as MCP lists them; those on files are left out."""
        from gatepost.client.requests import tools

        return tools(toolset)

    def workspaces(self) -> list[str]:
        """The names of the workspaces this client may use."""
        if self._bound is not None:
            return [self._bound]
        try:
            found = self.call("workspace_overview", workspace="any", limit=1)
        except WorkspaceMismatch as no:
            if no.suggestion is None:
                raise
            return [str(no.suggestion.arguments["workspace"])]  # the server is bound to one, and says which
        return [str(name) for name in found.get("workspaces", ())]

    def for_session(self, session: str) -> RemoteClient:
        """The same server, asked by a session. Its todo list stays until it is cleared."""
        return RemoteClient(
            self.place,
            actor=f"{self._actor}/{session}",
            workspace=self._bound,
            session=session,
            token=self.token,
            connections=self._connections,
        )

    def close(self) -> None:
        """Close the connections. A later call opens them again."""
        self._connections.close()

    @property
    def _server(self) -> ServerAddress:
        from gatepost.client.remote_log import ServerAddress

        return ServerAddress(self.place, self.token)

    def _read(self, tool: str, field: str, arguments: dict[str, Any]) -> Any:
        """A field of the reply to a call that a subscription makes for itself."""
        reply = self._reply(_OK, self._post(tool, arguments).encode())
        if field not in reply:
            raise self._foreign(_OK)
        return reply[field]

    def _post(self, tool: str, arguments: dict[str, Any], query: str = "", *, again: bool = False) -> str:
        """The reply to a call. `again`: a write whose answer is lost is sent again."""
        from urllib.parse import quote

        from gatepost.client import retries
        from gatepost.domain.slow_calls import is_slow

        path, patient = f"/v1/operations/{quote(tool, safe='')}{query}", is_slow(tool, arguments)
        body, headers = _encoded(self._placed(arguments)), self._headers()
        key = arguments.get("request_id")
        if again and key is None:
            # Every call has one, so that nothing of an operation is loaded to see whether it writes.
            key = headers[retries.KEY_HEADER] = retries.new_key()

        def send() -> tuple[int, bytes]:
            return self._connections.post(path, body, headers, patient=patient)

        try:
            status, answer = retries.sent_until_answered(send, tool) if again else send()
        except NoAnswer as no:
            known = again and no.sent and retries.is_repeatable(tool)
            raise self._no_answer(no, key if known else None) from None
        reply = self._reply(status, answer)
        if status != _OK:
            raise self._refusal(status, reply)
        return answer.decode()

    def _no_answer(self, no: NoAnswer, key: object) -> StoreFault:
        details: dict[str, Any] = {"why": no.reason}
        recovery = _SENT if no.sent else _START
        if isinstance(key, str):
            details["request_id"] = key
            recovery = f"Send the call again with request_id {key}: if it was applied, it is not applied twice."
        return StoreFault(f"{self.place} does not answer: {no.reason}.", recovery, **details)

    def _placed(self, arguments: dict[str, Any]) -> dict[str, Any]:
        bound = self._bound
        if bound is None:
            return arguments
        given = arguments.get("workspace", bound)
        if given != bound:
            raise WorkspaceMismatch(str(given), bound)
        return {"workspace": bound, **arguments}

    def _headers(self) -> dict[str, str | bytes]:
        headers: dict[str, str | bytes] = {
            "Content-Type": "application/json",
            "X-Gatepost-Actor": _printable(self._actor),
        }
        if self._session is not None:
            headers["X-Gatepost-Session"] = self._session
        if self._holder is not None:
            headers["X-Gatepost-Holder"] = self._holder
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers

    def _reply(self, status: int, answer: bytes) -> dict[str, Any]:
        try:
            found = msgspec.json.decode(answer)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            found = None
        if not isinstance(found, dict):
            raise self._foreign(status)
        return found

    def _foreign(self, status: int) -> StoreFault:
        return StoreFault(f"{self.place} does not answer as a Gatepost server does (status {status}).", _START)

    def _refusal(self, status: int, problem: dict[str, Any]) -> Refusal:
        if status != _UNAUTHORIZED:
            return rebuilt(problem, status)
        what = "needs a token" if self.token is None else "does not accept this token"
        return rebuilt(problem | {"message": f"{self.place} {what}.", "recovery": _TOKEN}, status)


def server_address(url: str) -> str:
    """The address without a slash at its end. Refuses one that no server can have."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        known = known and not ("@" in parts.netloc or "?" in url or "#" in url)
        (parts.hostname or "").encode("idna")
    except ValueError:
        known = False
    if not known:
        raise InvalidInput([("store", f"{url} is not a server's address")], "Write it as http://127.0.0.1:4870.")
    return url.rstrip("/")


def _sendable(token: str | None) -> str | None:
    """A token that a header can carry. Refuses others, without showing them."""
    if token is not None and not (token.isascii() and token.isprintable()):
        raise InvalidInput([("token", "has characters that no token has, such as a line break")], _TOKEN)
    return token


def _encoded(arguments: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(arguments)
    except (TypeError, ValueError, RecursionError):
        bad = [name for name in arguments if not _is_json(arguments[name])] or ["arguments"]
        raise InvalidInput([(name, "cannot be sent as JSON") for name in bad]) from None


def _is_json(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _printable(actor: str) -> bytes:
    """An actor as a header can carry it."""
    return "".join(letter if letter.isprintable() else "?" for letter in actor).encode()
