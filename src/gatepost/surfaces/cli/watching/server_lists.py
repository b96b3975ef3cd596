"""Todo lists of a server, followed over HTTP by the reference client."""

import json
import threading
from collections.abc import Callable, Generator
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from gatepost.surfaces.cli.addresses import server_address
from gatepost.surfaces.cli.endings import EXIT_OF_FAMILY, FAULT, BadUsage, Trouble
from gatepost.surfaces.cli.watching.lists import News
from gatepost.todo import Outcome, StreamRefused, TodoStore, follow
from gatepost.todo.scopes import scope_key

_PATIENCE: Final = 10.0
_BRIEFLY: Final = 2.0
"""So long is waited for what is shown beside."""
_QUIET: Final = 25.0
"""A server shows every ten seconds that it is there."""
_MOST: Final = 1_000_000
_NAMED: Final = 20
_OK: Final = 200
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_START: Final = "Start it with gatepost up, or give the --url of one that runs."
_FAMILIES: Final = {
    400: "invalid",
    401: "forbidden",
    403: "forbidden",
    404: "unknown",
    409: "conflict",
    429: "busy",
    503: "busy",
}


class ServerLists:
    """Every list of a server's workspace, or one. `lost` is told whenever the connection is cut.

    A server that does not answer at the start is refused; one that goes away later is waited for.
    """

    def __init__(
        self, url: str, workspace: str | None, scope: str | None, token: str | None, lost: Callable[[], None]
    ) -> None:
        self._url = server_address(url)
        self._token = token
        self._scope = scope
        self._stopping = _Stopping(lost)
        self.todos = _Noting()
        self.where = workspace or self._only_workspace()
        self._asked("/readyz", None)

    def news(self) -> Generator[News, None, None]:
        """What there is, then what changes; a lost connection is made again."""
        events = follow(
            self._url,
            self.where,
            scope=self._scope,
            store=self.todos,
            token=self._token,
            stop=self._stopping,
            quiet_seconds=_QUIET,
        )
        try:
            for event in events:
                payload = event.get("payload")
                todo = payload.get("todo") if isinstance(payload, dict) else None
                if self.todos.latest and isinstance(todo, dict) and isinstance(payload, dict):
                    yield News(scope_key(todo, payload), todo)
        except StreamRefused as error:
            raise _refused(error.status, _read(error.detail), self._url) from None

    def radar(self, task: str) -> dict[str, Any]:
        """What the radar says of a task; nothing where the server has no answer soon."""
        try:
            status, said = self._asked(
                "/v1/operations/tasks_radar", {"workspace": self.where, "task": task}, _BRIEFLY
            )
        except Trouble:
            return {}
        return said if status == _OK else {}

    def stop(self) -> None:
        """End with the server's next sign of life."""
        self._stopping.set()

    def _only_workspace(self) -> str:
        """The only workspace that the server has."""
        asked = {"workspace": "any", "limit": 1}
        status, reply = self._asked("/v1/operations/workspace_overview", asked)
        if status != _OK:
            raise _refused(status, reply, self._url)
        names = [str(name) for name in reply.get("workspaces", ())]
        if len(names) == 1:
            return names[0]
        some = ", ".join(names[:_NAMED]) or "none yet"
        raise BadUsage(
            f"which workspace? The server at {self._url} has {some}",
            f"Say which, as in: gatepost watch --url {self._url} --workspace {next(iter(names), 'acme/repo')}",
        )

    def _asked(
        self, path: str, arguments: dict[str, Any] | None, patience: float = _PATIENCE
    ) -> tuple[int, dict[str, Any]]:
        """One request's status and answer."""
        request = Request(self._url + path)  # noqa: S310 - `server_address` lets http(s) pass only
        if arguments is not None:
            request.data = json.dumps(arguments).encode()
            request.add_header("Content-Type", "application/json")
        if self._token is not None:
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with _opener(self._url).open(request, timeout=patience) as response:
                return response.status, _read(response.read(_MOST).decode("utf-8", "replace"))
        except (OSError, HTTPException) as error:
            message = f"{self._url} does not answer: {getattr(error, 'reason', None) or error}"
            raise Trouble(FAULT, {"code": "UNREACHABLE", "message": message, "recovery": _START}) from None


class _Noting(TodoStore):
    """Remembers what became of the latest event: who follows is handed events that lists did not take, too."""

    latest = Outcome.NOTHING

    def apply(self, given: object) -> Outcome:
        self.latest = super().apply(given)
        return self.latest


class _Stopping(threading.Event):
    """Tells of each pause: one who follows makes it when a connection was lost, and at no other time."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__()
        self._lost = lost

    def wait(self, timeout: float | None = None) -> bool:
        if not self.is_set():
            self._lost()
        return super().wait(timeout)


def _opener(url: str) -> OpenerDirector:
    """Follows no redirect, which would hand the token to whoever is named there."""
    opener = OpenerDirector()
    if urlsplit(url).hostname not in _LOOPBACK:
        opener.add_handler(ProxyHandler())
    opener.add_handler(HTTPHandler())
    opener.add_handler(HTTPSHandler())
    return opener


def _read(text: str) -> dict[str, Any]:
    """What a server answered; nothing, where it did not answer as Gatepost does."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _refused(status: int, problem: dict[str, Any], url: str) -> Trouble:
    """A server's refusal, in its own words where it has any."""
    code = FAULT if status not in _FAMILIES else EXIT_OF_FAMILY[_FAMILIES[status]]
    error = {
        "code": str(problem.get("code", "REFUSED")),
        "message": str(problem.get("message") or problem.get("detail") or f"{url} answered with status {status}"),
        "recovery": str(
            problem.get("recovery") or "Is it a Gatepost server's address? It is printed by gatepost up."
        ),
    }
    return Trouble(code, error)
