"""A server as a source: calls by HTTP, its log and its lists as streams that are made again when they are cut."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from random import SystemRandom
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from gatepost.surfaces.tui.source import TAIL, Heard, Hearing, Refused, State, Telling, refused
from gatepost.todo import Outcome, StreamRefused, TodoStore
from gatepost.todo.connection import Address, Interrupted, chunks
from gatepost.todo.sse import Parser

_PATIENCE: Final = 30.0
_QUIET: Final = 45.0
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 5.0
_MOST: Final = 64_000_000
_OK: Final = 200
_PASSING: Final = frozenset({"UNREACHABLE", "BUSY", "RATE_LIMITED"})
_START: Final = "Start it with `gatepost up`, or give the --url of one that runs."


class ServerSource:
    """A workspace of a server."""

    def __init__(self, url: str, workspace: str, *, token: str | None = None, actor: str = "human:tui") -> None:
        self.workspace = workspace
        self.place = url.rstrip("/")
        self.todos = TodoStore()
        self._token = token
        self._actor = actor
        self._telling: Telling | None = None

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of an operation."""
        body = json.dumps({"workspace": self.workspace, **arguments}).encode()
        try:
            status, answered = self._post(f"/v1/operations/{quote(operation, safe='')}", body)
        except (OSError, HTTPException) as error:
            raise Refused("UNREACHABLE", f"{self.place} does not answer: {error}.", _START) from None
        if not isinstance(answered, dict):
            raise Refused("UNREACHABLE", f"{self.place} answered {status}, and not as Gatepost does.", _START)
        if status != _OK:
            raise refused({"message": answered.get("detail"), **answered})
        return answered

    def start(self, heard: Hearing) -> None:
        """Listen in two threads, one for each stream."""
        self._telling = telling = Telling(heard)
        state = _State(telling, 2)
        log = _Stream(self._log, _event, state)
        lists = _Stream(lambda: self._address("/v1/todo"), self._list, state)
        for stream in (log, lists):
            threading.Thread(target=stream.follow, name="gatepost tui", daemon=True).start()

    def stop(self) -> None:
        """Stop listening. The threads end with the next sign of life of the server."""
        if self._telling is not None:
            self._telling.end()

    def _log(self) -> Address:
        """The log's address, from a little before its end."""
        seq: int = self.call("workspace_overview", limit=1)["seq"]
        return self._address("/v1/events", after=str(max(0, seq - TAIL)))

    def _list(self, event: dict[str, Any]) -> Heard | None:
        outcome = self.todos.apply(event)
        if outcome is Outcome.GAP:
            return None
        return Heard(todo=[event] if outcome else [])

    def _address(self, path: str, **asked: str) -> Address:
        query = urlencode({"workspace": self.workspace, **asked})
        return Address(url=f"{self.place}{path}?{query}", token=self._token, quiet_seconds=_QUIET)

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
            return response.status, _decoded(response.read(_MOST))
        finally:
            connection.close()


class _State:
    """Whether all streams are there. Every batch goes through here, so that it carries that."""

    def __init__(self, telling: Telling, streams: int) -> None:
        self.ended = telling.ended
        self._telling = telling
        self._streams = streams
        self._lock = threading.Lock()
        self._up: set[object] = set()
        self._refused = False
        self._reason = "connecting"

    def tell(self, batch: Heard) -> None:
        """Pass something on, with the state as it is."""
        with self._lock:
            live = len(self._up) == self._streams
            state: State = "refused" if self._refused else "live" if live else "lost"
            self._telling.tell(replace(batch, state=state, reason="" if live else self._reason))

    def up(self, stream: object) -> None:
        """A stream is there. What came before it may have a hole behind it."""
        with self._lock:
            self._up.add(stream)
        self.tell(Heard(afresh=True))

    def down(self, stream: object, reason: str, *, for_good: bool = False) -> None:
        """A stream is gone."""
        with self._lock:
            self._up.discard(stream)
            self._reason = reason
            self._refused = self._refused or for_good
        self.tell(Heard())


class _Stream:
    """One stream, made again whenever it is cut, from where it stopped.

    `take` makes of an event what is passed on; nothing where the event does not fit what was heard before: then
    the stream is begun anew.
    """

    def __init__(
        self, address: Callable[[], Address], take: Callable[[dict[str, Any]], Heard | None], state: _State
    ) -> None:
        self._address = address
        self._take = take
        self._state = state
        self._last_id = ""
        self._failures = 0

    def follow(self) -> None:
        """Until the listener leaves, or the server says that it is no use."""
        while not self._state.ended.is_set():
            asked = 0.0
            try:
                self._read()
                reason = "the server ended the stream"
            except Interrupted as interruption:
                asked, reason = interruption.retry_after, "the server has no stream for us just now"
                if interruption.start_afresh:
                    self._last_id = ""
            except (OSError, HTTPException) as error:
                reason = str(error) or type(error).__name__
            except StreamRefused as no:
                return self._state.down(self, _told(no), for_good=True)
            except Refused as no:
                reason = f"{no.message} {no.recovery}"
                if no.code not in _PASSING:
                    return self._state.down(self, reason, for_good=True)
            self._state.down(self, reason)
            self._state.ended.wait(max(self._pause(), min(asked, _LONGEST_PAUSE)))
        return None

    def _read(self) -> None:
        parser = Parser()
        parser.last_id = self._last_id
        here = False
        for chunk in chunks(self._address(), self._last_id):
            if not here:
                self._state.up(self)
                here, self._failures = True, 0
            batch = Heard()
            for message in parser.feed(chunk):
                event = _decoded(message.data.encode("utf-8", "surrogatepass"))
                told = self._take(event) if isinstance(event, dict) else Heard()
                if told is None:
                    self._last_id = ""
                    return self._state.tell(batch)
                batch = batch + told
            self._last_id = parser.last_id
            if batch.events or batch.todo:
                self._state.tell(batch)
            if self._state.ended.is_set():
                return None
        return None

    def _pause(self) -> float:
        longest = min(_FIRST_PAUSE * 2.0 ** min(self._failures, 8), _LONGEST_PAUSE)
        self._failures += 1
        # Spread, so that a server that comes back does not meet all its clients at once.
        return longest * SystemRandom().uniform(0.5, 1.0)


def _event(event: dict[str, Any]) -> Heard:
    return Heard(events=[event] if isinstance(event.get("seq"), int) else [])


def _told(no: StreamRefused) -> str:
    """What a server said when it refused a stream, in its own words if it has some."""
    problem = _decoded(no.detail.encode("utf-8", "replace"))
    if not isinstance(problem, dict):
        return f"{no.status}: {no.detail}"
    return f"{problem.get('detail', no.status)} {problem.get('recovery', '')}".strip()


def _decoded(text: bytes) -> Any:
    """What a text in JSON says; nothing where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
