"""A subscription to a server: its log and its todo lists as two streams that reconnect.

After a reconnect, another server may be behind the same address. The last event that was received tells: if it is
not in the server's log, everything begins again.
"""

from __future__ import annotations

import threading

import msgspec

from gatepost.client.delivery import TAIL, UpdateDelivery, fingerprint
from gatepost.client.protocol import Update
from gatepost.client.refusals import rebuilt
from gatepost.client.remote_log import problem_of, stream_address
from gatepost.domain.refusals import Refusal
from gatepost.todo import Outcome, StreamRefused, TodoStore
from gatepost.todo.event_stream import EventStream, Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gatepost.client.protocol import Listener, State
    from gatepost.client.remote_log import ServerAddress
    from gatepost.todo.connection import StreamAddress
    from gatepost.todo.sse import Message

_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 5.0
_REFUSED_PAUSE = 10.0
_UNAUTHORIZED = 401
_PASSING = frozenset({"STORE_UNREACHABLE", "BUSY", "RATE_LIMITED"})


class RemoteSubscription:
    """Follows one workspace of a server, or with `scope` one of its todo lists."""

    def __init__(
        self,
        server: ServerAddress,
        read: Callable[[str, str, dict[str, Any]], Any],
        workspace: str,
        listener: Listener,
        scope: str | None = None,
        todos: TodoStore | None = None,
    ) -> None:
        self.todos = TodoStore() if todos is None else todos
        self._server = server
        self._call = read
        self._workspace = workspace
        self._scope = {} if scope is None else {"scope": scope}
        self._status = _Status(UpdateDelivery(listener), streams=2)
        self._log = _Log(self._read, self.todos, self._status)
        streams = (
            _Stream(self._log_address, self._log.receive, self._log, self._status, self._barred),
            _Stream(
                self._todo_address, self._receive_todo, self._log, self._status, self._barred, self.todos.forget
            ),
        )
        for stream in streams:
            threading.Thread(target=stream.run, name="gatepost subscription", daemon=True).start()

    def close(self) -> None:
        """Stop. The threads end when the server next sends something, a heartbeat at the latest."""
        self._status.stop()

    def retry(self) -> None:
        """Try streams that were refused again now: the server has just answered."""
        self._status.retry()

    @property
    def _barred(self) -> str:
        return f"{'needs a token' if self._server.token is None else 'does not accept this token'}: --token-file"

    def _log_address(self) -> StreamAddress:
        """The log, from a little before its end."""
        after = max(0, self._read("workspace_overview", "seq", limit=1) - TAIL)
        return stream_address(self._server, "/v1/events", workspace=self._workspace, after=str(after))

    def _todo_address(self) -> StreamAddress:
        return stream_address(self._server, "/v1/todo", workspace=self._workspace, **self._scope)

    def _receive_todo(self, event: dict[str, Any]) -> Update | None:
        outcome = self.todos.apply(event)
        if outcome is Outcome.GAP:
            return None
        return Update(todo=(event,) if outcome else ())

    def _read(self, tool: str, field: str, **arguments: Any) -> Any:
        return self._call(tool, field, {"workspace": self._workspace, **arguments})


class _Status:
    """Whether all streams are connected. Every update passes through here and carries that."""

    def __init__(self, delivery: UpdateDelivery, streams: int) -> None:
        self.stopped = delivery.stopped
        self.retries = 0
        self._delivery = delivery
        self._streams = streams
        self._changed = threading.RLock()
        self._retried = threading.Condition()  # its own lock: a call must never wait for a slow listener
        self._up: set[object] = set()
        self._refused: dict[object, tuple[str, Refusal]] = {}
        self._reason = "connecting"
        self._was_live = False

    def send(self, update: Update) -> None:
        """Deliver an update with the present state: `refused` only where we were never let in."""
        with self._changed:
            live = len(self._up) == self._streams
            self._was_live = self._was_live or live
            never = self._refused and not self._was_live
            state: State = "live" if live else "refused" if never else "lost"
            why, refusal = next(iter(self._refused.values()), (self._reason, None))
            refusal = refusal if state == "refused" else None
            reason = "" if live else why
            self._delivery.send(msgspec.structs.replace(update, state=state, reason=reason, refusal=refusal))

    def up(self, stream: object) -> None:
        """A stream is connected. Something may be missing before it."""
        with self._changed:
            self._up.add(stream)
            self._refused.pop(stream, None)
        self.send(Update(gap=True))

    def down(
        self, stream: object, reason: str, *, refusal: Refusal | None = None, fault: BaseException | None = None
    ) -> None:
        """A stream is cut, or was refused."""
        with self._changed:
            self._up.discard(stream)
            self._refused.pop(stream, None)
            if refusal is not None:
                self._refused[stream] = reason, refusal
            self._reason = reason
        self.send(Update(fault=fault))

    def new_log(self) -> None:
        """Another log is behind the address: no stream that was connected belongs to it."""
        with self._changed:
            self._up.clear()
            self._reason = "the log was replaced"
        self.send(Update(gap=True, new_log=True))

    def rest(self, seconds: float, retries: int) -> None:
        """Wait, unless `retry` was called since `retries` was read."""
        with self._retried:
            self._retried.wait_for(lambda: self.retries != retries or self.stopped.is_set(), seconds)

    def retry(self) -> None:
        """End every rest."""
        with self._retried:
            self.retries += 1
            self._retried.notify_all()

    def stop(self) -> None:
        """Deliver nothing more."""
        self._delivery.stop()
        self.retry()


class _Log:
    """Which log the streams belong to. `number` counts logs; events are taken in under the lock."""

    def __init__(self, read: Callable[..., Any], todos: TodoStore, status: _Status) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self._read = read
        self._todos = todos
        self._status = status
        self._last: dict[str, Any] | None = None

    def receive(self, event: dict[str, Any]) -> Update:
        """Take in an event of the log."""
        if not isinstance(event.get("seq"), int):
            return Update()
        self._last = event
        return Update(events=(event,))

    def check(self) -> int:
        """The number of the log behind the address now. In another log, nothing received so far holds."""
        with self.lock:
            last = self._last
            there = self._event(self._read("workspace_overview", "seq", limit=1) if last is None else last["seq"])
            if last is not None and (there is None or fingerprint(there) != fingerprint(last)):
                self.number += 1
                self._last = None
                self._todos.forget()
                self._status.new_log()
            elif last is None:
                self._last = there
            return self.number

    def _event(self, seq: int) -> dict[str, Any] | None:
        found = self._read("tasks_delta", "events", since=seq - 1, limit=1) if seq else []
        return next((event for event in found if event["seq"] == seq), None)


class _Stream:
    """One of the two streams, followed in a thread of its own.

    `receive` turns an event into an update; it returns None where something is missing before the event, and the
    stream begins again. `forget` is called where the server cannot resume.
    """

    def __init__(
        self,
        address: Callable[[], StreamAddress],
        receive: Callable[[dict[str, Any]], Update | None],
        log: _Log,
        status: _Status,
        barred: str,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._address = address
        self._receive = receive
        self._log = log
        self._status = status
        self._barred = barred
        self._forget = forget
        self._number = 0
        self._connected = False
        self._events = EventStream(
            self._located, status.stopped, first_pause=_FIRST_PAUSE, longest_pause=_LONGEST_PAUSE
        )

    def run(self) -> None:
        """Follow until the subscription is closed. A refused stream is tried again, but not often."""
        while not self._status.stopped.is_set():
            retries = self._status.retries
            try:
                self._follow()
            except StreamRefused as no:
                problem = problem_of(no)
                said = str(problem.get("detail") or f"answered {no.status}: is it a Gatepost server?")
                refusal = rebuilt({"code": "STORE_UNREACHABLE", "message": said} | problem, no.status)
                self._refused(self._barred if no.status == _UNAUTHORIZED else said, refusal, retries)
            except Refusal as no:
                if no.code in _PASSING:
                    self._lost(str(no.details.get("why", no.message)))
                else:
                    self._refused(self._barred if no.code == "UNAUTHORIZED" else no.message, no, retries)
            except Exception as error:  # noqa: BLE001 - the edge: a thread that ended would look like a quiet log
                self._lost(f"internal error: {error}; trying again", error)

    def _follow(self) -> None:
        for batch in self._events.batches():
            if isinstance(batch, Lost):
                self._connected = False
                if batch.restart:
                    self._forget()
                self._status.down(self, batch.reason)
            elif not self._check_log() or not self._take(batch):
                self._events.restart()

    def _lost(self, reason: str, fault: BaseException | None = None) -> None:
        self._connected = False
        self._status.down(self, reason, fault=fault)
        self._events.pause()

    def _refused(self, reason: str, refusal: Refusal, retries: int) -> None:
        self._connected = False
        self._status.down(self, reason, refusal=refusal)
        self._status.rest(_REFUSED_PAUSE, retries)

    def _located(self) -> StreamAddress:
        """Where to connect; from the start, if the log is another one."""
        if self._number != self._log.number:
            self._number, self._events.last_id = self._log.number, ""
        return self._address()

    def _check_log(self) -> bool:
        """Whether this connection belongs to the log that is followed. Asked once it has answered: only now is the
        server that we ask the one that sends this stream."""
        if not self._connected:
            if self._log.check() != self._number:
                return False
            self._connected = True
            self._status.up(self)
        return True

    def _take(self, messages: list[Message]) -> bool:
        """Deliver messages, up to one that does not fit what was received before."""
        with self._log.lock:
            if self._log.number != self._number:
                return False
            update, fits = Update(), True
            for message in messages:
                event = _decoded(message)
                received = Update() if event is None else self._receive(event)
                if received is None:
                    fits = False
                    break
                update += received
            if update.events or update.todo:
                self._status.send(update)
            return fits


def _decoded(message: Message) -> dict[str, Any] | None:
    try:
        event = msgspec.json.decode(message.data.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return event if isinstance(event, dict) else None
