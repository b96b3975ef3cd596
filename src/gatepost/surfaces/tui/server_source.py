"""A server as a source: calls by HTTP, its log and its lists as streams that are made again when they are cut."""

import json
import threading
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from gatepost.surfaces.cli.servers import server_address
from gatepost.surfaces.tui.source import TAIL, Heard, Hearing, Refused, Telling, refused
from gatepost.surfaces.tui.streams import UNAUTHORIZED, Same, State, Stream, decoded, worded
from gatepost.todo import Outcome, TodoStore
from gatepost.todo.connection import StreamAddress

_PATIENCE: Final = 30.0
_QUIET: Final = 45.0
_MOST: Final = 64_000_000
_OK: Final = 200
_NEEDED: Final = {
    "change_mind": ("revision",),
    "recall_mind": ("content", "revision"),
    "taskdoc_diff": ("diff",),
    "taskdoc_history": ("items", "has_more"),
    "taskdoc_list": ("items",),
    "taskdoc_restore": ("revision",),
    "tasks_create": ("id",),
    "tasks_delta": ("events", "next", "has_more"),
    "tasks_history": ("operations", "has_more"),
    "tasks_radar": ("target", "now", "why", "verify", "next", "blockers", "counts"),
    "tasks_redo": ("operation", "tool"),
    "tasks_resume": ("target",),
    "tasks_tree": ("target", "now", "children", "rows"),
    "tasks_undo": ("operation", "tool"),
    "workspace_overview": ("seq", "tasks", "more"),
}
"""What a reply must have to be shown. Whoever answers without is no server of ours."""
_START: Final = "Start it with `gatepost up`, or give the --url of one that runs."
_LET_IN: Final = "Leave with q, and start again with --token-file and the file that `gatepost up` has."


class ServerSource:
    """A workspace of a server. Refuses an address that no server can have, as the command line does."""

    def __init__(self, url: str, workspace: str, *, token: str | None = None, actor: str = "human:tui") -> None:
        self.workspace = workspace
        self.place = server_address(url)
        self.todos = TodoStore()
        self._token = token
        self._actor = actor
        self._state: State | None = None

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of an operation. Streams that were refused are tried again at once, now that it answers."""
        reply = self._call(operation, **arguments)
        if self._state is not None:
            self._state.hurry()
        return reply

    def start(self, heard: Hearing) -> None:
        """Listen in two threads, one for each stream."""
        barred = f"wants {'a' if self._token is None else 'another'} token: --token-file"
        self._state = state = State(Telling(heard), 2, barred)
        same = Same(self._call, self.todos, state)
        log = Stream(self._log, same.heard, same, state)
        lists = Stream(lambda: self._address("/v1/todo"), self._list, same, state, self.todos.forget)
        for stream in (log, lists):
            threading.Thread(target=stream.follow, name="gatepost tui", daemon=True).start()

    def stop(self) -> None:
        """Stop listening. The threads end with the next sign of life of the server."""
        if self._state is not None:
            self._state.end()

    def _call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        body = json.dumps({"workspace": self.workspace, **arguments}).encode()
        try:
            status, answered = self._post(f"/v1/operations/{quote(operation, safe='')}", body)
        except (OSError, HTTPException) as error:
            why = worded(error)
            said = f"{self.place} does not answer: {why}."
            raise Refused("UNREACHABLE", said, _START, details={"why": why}) from None
        if not isinstance(answered, dict):
            raise self._foreign(status)
        if status == UNAUTHORIZED:
            what = "wants a token" if self._token is None else "does not take the token that we have"
            raise Refused("UNAUTHORIZED", f"{self.place} {what}.", _LET_IN)
        if status != _OK:
            raise refused({"message": answered.get("detail"), **answered})
        if not _is_whole(operation, arguments, answered):
            raise self._foreign(status)
        return answered

    def _foreign(self, status: int) -> Refused:
        return Refused("UNREACHABLE", f"{self.place} answered {status}, and not as Gatepost does.", _START)

    def _log(self) -> StreamAddress:
        """The log's address, from a little before its end."""
        seq: int = self._call("workspace_overview", limit=1)["seq"]
        return self._address("/v1/events", after=str(max(0, seq - TAIL)))

    def _list(self, event: dict[str, Any]) -> Heard | None:
        outcome = self.todos.apply(event)
        if outcome is Outcome.GAP:
            return None
        return Heard(todo=[event] if outcome else [])

    def _address(self, path: str, **asked: str) -> StreamAddress:
        query = urlencode({"workspace": self.workspace, **asked})
        return StreamAddress(url=f"{self.place}{path}?{query}", token=self._token, quiet_seconds=_QUIET)

    def _post(self, path: str, body: bytes) -> tuple[int, Any]:
        parts = urlsplit(self.place)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_PATIENCE)
        headers = {"Content-Type": "application/json", "X-Gatepost-Actor": self._actor}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            connection.request("POST", parts.path + path, body, headers)
            response = connection.getresponse()
            return response.status, decoded(response.read(_MOST))
        finally:
            connection.close()


def _is_whole(operation: str, arguments: dict[str, Any], reply: dict[str, Any]) -> bool:
    """Whether a reply has what is shown of it."""
    needed = _NEEDED.get(operation, ())
    return all(name in reply for name in needed) and ("step" in reply or not _of_step(operation, arguments))


def _of_step(operation: str, arguments: dict[str, Any]) -> bool:
    return operation == "tasks_resume" and "step_id" in arguments
