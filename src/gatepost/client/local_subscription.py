"""A subscription to a store in this process: one thread that waits for commits and reads what is new."""

from __future__ import annotations

import threading
from typing import NamedTuple, TypeVar

import msgspec

from gatepost.client.delivery import TAIL, UpdateDelivery, fingerprint
from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.engine.log import shown
from gatepost.operations import todo_stream
from gatepost.operations.session_stream import SessionEventFormat
from gatepost.todo import TodoStore
from gatepost.wire import json_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gatepost.client.protocol import Listener
    from gatepost.client.store_file import StoreFile
    from gatepost.engine.caller import Caller
    from gatepost.engine.engine import Engine
    from gatepost.engine.reader import Reader
    from gatepost.operations.session_stream import EventGroup

R = TypeVar("R")

_FAR = 10_000
"""A subscription further behind than this many events reads whole lists again."""
_LISTS_AT_ONCE = 64
_WAIT = 1.0
_PAUSE = 1.0
_TRIES = 50


class LocalSubscription:
    """Follows one workspace, or with `scope` one of its todo lists."""

    def __init__(
        self,
        engine: Engine,
        caller: Caller,
        file: StoreFile,
        workspace: str,
        listener: Listener,
        scope: str | None = None,
        todos: TodoStore | None = None,
    ) -> None:
        if scope is not None:
            todo_stream.place_of(scope)  # refuses what can be no list
        self.todos = TodoStore() if todos is None else todos
        self._engine = engine
        self._caller = caller
        self._file = file
        self._workspace = workspace
        self._scope = scope
        self._speech = SessionEventFormat(workspace)
        self._delivery = UpdateDelivery(listener)
        self._thread = threading.Thread(target=self._run, name="gatepost subscription", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop. The thread ends with the wait that it is in."""
        self._delivery.stop()
        if self._thread is threading.current_thread():
            return
        for _ in range(_TRIES):  # it may be about to wait
            self._engine.store.release(self._workspace)
            self._thread.join(_WAIT / _TRIES)
            if not self._thread.is_alive():
                return

    def _run(self) -> None:
        position = _Position()
        while not self._delivery.stopped.is_set():
            try:
                position = self._advance(position)
            except Refusal as no:
                self._pause(Update(state="lost", reason=f"{no.message} {no.recovery}"))
            except Exception as error:  # noqa: BLE001 - the edge: a thread that ended would look like a quiet log
                self._pause(Update(state="lost", reason=f"internal error: {error}; trying again", fault=error))
                position = position._replace(complete=False)

    def _pause(self, update: Update) -> None:
        self._delivery.send(update)
        self._delivery.stopped.wait(_PAUSE)

    def _advance(self, position: _Position) -> _Position:
        """Read on; or read everything, from the store that is at this path now."""
        trouble = self._file.look()
        if trouble is not None and trouble.another:
            self._engine.store.close()  # the next call opens what is there now
            self._file.accept()
            self.todos.forget()
            self._delivery.send(Update(state="lost", reason=trouble.brief, gap=True, new_log=True))
            return _Position()
        if trouble is not None:
            self._pause(Update(state="lost", reason=trouble.brief))
            return position._replace(complete=False)
        return self._read_new(position) if position.complete else self._read_all(position)

    def _read_all(self, position: _Position) -> _Position:
        """The end of the log, and every list as it is now."""
        start = self._read(lambda reader: self._start(reader, position))
        if start.new_log:
            self.todos.forget()
        for first in range(0, max(len(start.scopes), 1), _LISTS_AT_ONCE):
            some = start.scopes[first : first + _LISTS_AT_ONCE]
            groups = self._read(
                lambda reader: [self._speech.snapshot(reader, key, start.head, start.head) for key in some]  # noqa: B023 - called at once
            )
            self._delivery.send(
                Update(
                    events=() if first else start.events,
                    todo=self._applied(groups),
                    gap=True,
                    new_log=start.new_log and not first,
                )
            )
        return _Position(start.head, start.last, complete=True)

    def _start(self, reader: Reader, position: _Position) -> _Start:
        since: int | None = None
        if position.seq:
            there = reader.events(position.seq - 1, 1, None)
            since = position.seq if there and fingerprint(shown(there[0])) == position.last else None
        recent = [shown(row) for row in reversed(reader.recent(TAIL, None))]
        return _Start(
            scopes=todo_stream.scopes(reader, since) if self._scope is None else [self._scope],
            events=tuple(event for event in recent if since is None or event["seq"] > since),
            head=reader.head().seq,
            last=fingerprint(recent[-1]) if recent else None,
            new_log=bool(position.seq) and since is None,
        )

    def _read_new(self, position: _Position) -> _Position:
        """Wait for what comes next. After a gap, or in another log, only whole lists are right."""
        self._engine.store.wait(self._workspace, position.seq, _WAIT)
        found = self._read(lambda reader: self._news(reader, position))
        if found is None:
            return position._replace(complete=False)
        groups, events = found
        self._delivery.send(Update(events=tuple(events), todo=self._applied(groups)))
        if events:
            position = _Position(events[-1]["seq"], fingerprint(events[-1]), complete=True)
        return position._replace(complete=not self.todos.needs_snapshot())

    def _news(self, reader: Reader, position: _Position) -> tuple[list[EventGroup], list[dict[str, Any]]] | None:
        head = reader.head().seq
        if head == position.seq:
            return [], []
        if head < position.seq or head - position.seq > _FAR:
            return None
        events = [shown(row) for row in reader.events(max(position.seq - 1, 0), _FAR + 1, None)]
        if position.seq:
            if fingerprint(events[0]) != position.last:
                return None
            events = events[1:]
        changes = self._speech.changes(reader, position.seq)
        return [group for group in changes if self._scope in (None, group.scope)], events

    def _applied(self, groups: Iterable[EventGroup]) -> tuple[dict[str, Any], ...]:
        """The session events that a list took in."""
        events = [msgspec.json.decode(json_output.text(event)) for group in groups for event in group.events]
        return tuple(event for event in events if self.todos.apply(event))

    def _read(self, ask: Callable[[Reader], R]) -> R:
        return self._engine.read(self._workspace, self._caller, ask)


class _Position(NamedTuple):
    """How far the log was read, and how its last event is recognised; not `complete` while all must be read."""

    seq: int = 0
    last: tuple[Any, ...] | None = None
    complete: bool = False


class _Start(NamedTuple):
    """What a subscription begins with; `new_log` where it is not the log that was read before."""

    scopes: list[str]
    events: tuple[dict[str, Any], ...]
    head: int
    last: tuple[Any, ...] | None
    new_log: bool
