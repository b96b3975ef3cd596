"""A server that is named on the command line: its address, and what is asked of it before anything is shown."""

import json
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, FAULT, BadUsage, CommandError

OK: Final = 200
_PATIENCE: Final = 10.0
_MOST: Final = 1_000_000
_NAMED: Final = 20
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


class Server:
    """A server by its address, which is refused if no server can have it."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url: Final = server_address(url)
        self.token: Final = token

    def only_workspace(self, command: str) -> str:
        """The only workspace that the server has, for a command that was given none."""
        status, reply = self.ask("/v1/operations/workspace_overview", {"workspace": "any", "limit": 1})
        suggestion = reply.get("suggestion")
        if reply.get("code") == "WORKSPACE_MISMATCH" and isinstance(suggestion, dict):
            return str(suggestion["arguments"]["workspace"])  # a server that is bound to one says which
        if status != OK:
            raise self.refusal(status, reply)
        names = [str(name) for name in reply.get("workspaces", ())]
        if len(names) == 1:
            return names[0]
        some = ", ".join(names[:_NAMED]) or "none yet"
        raise BadUsage(
            f"which workspace? The server at {self.url} has {some}",
            f"Say which, as in: gatepost {command} --url {self.url} --workspace {next(iter(names), 'acme/repo')}",
        )

    def ask(
        self, path: str, arguments: dict[str, Any] | None, patience: float = _PATIENCE
    ) -> tuple[int, dict[str, Any]]:
        """One request's status and answer."""
        request = Request(self.url + path)  # noqa: S310 - `server_address` lets http(s) pass only
        if arguments is not None:
            request.data = json.dumps(arguments).encode()
            request.add_header("Content-Type", "application/json")
        if self.token is not None:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with _opener(self.url).open(request, timeout=patience) as response:
                return response.status, read(response.read(_MOST).decode("utf-8", "replace"))
        except (OSError, HTTPException) as error:
            message = f"{self.url} does not answer: {getattr(error, 'reason', None) or error}"
            raise CommandError(FAULT, {"code": "UNREACHABLE", "message": message, "recovery": _START}) from None

    def refusal(self, status: int, problem: dict[str, Any]) -> CommandError:
        """What the server refused, in its own words where it has any."""
        code = FAULT if status not in _FAMILIES else EXIT_OF_FAMILY[_FAMILIES[status]]
        if str(problem.get("code", "")).startswith(("STORE_", "NOT_A_STORE")):
            code = EXIT_OF_FAMILY["store"]
        said = problem.get("message") or problem.get("detail") or f"{self.url} answered with status {status}"
        next_step = problem.get("recovery") or "Is it a Gatepost server's address? It is printed by gatepost up."
        return CommandError(
            code, {"code": str(problem.get("code", "REFUSED")), "message": str(said), "recovery": str(next_step)}
        )


def server_address(url: str) -> str:
    """The address without what it does not need at its end. Refuses one that no server can have."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        known = False
    if not known:
        raise BadUsage(f"--url {url} is no server's address", "Write it so: --url http://127.0.0.1:4870")
    return url.rstrip("/")


def read(text: str) -> dict[str, Any]:
    """What a server answered; nothing, where it did not answer as Gatepost does."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _opener(url: str) -> OpenerDirector:
    """Follows no redirect, which would hand the token to whoever is named there."""
    opener = OpenerDirector()
    if urlsplit(url).hostname not in _LOOPBACK:
        opener.add_handler(ProxyHandler())
    opener.add_handler(HTTPHandler())
    opener.add_handler(HTTPSHandler())
    return opener
