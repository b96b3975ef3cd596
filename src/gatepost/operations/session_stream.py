"""The todo stream as clients get it: session events, or ACP plan updates, over one projection."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Raw

from gatepost.domain.roots import Task
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.views import session_events
from gatepost.views.acp import plan_update
from gatepost.views.session_events import SNAPSHOT, SessionEvent, StreamedCall
from gatepost.views.todo_payload import Envelope


class EventGroup(NamedTuple):
    """What is sent together: events about one scope, and the number to go on from after them."""

    seq: int
    scope: str
    events: tuple[SessionEvent | dict[str, Any] | Raw, ...]


class LogPosition(NamedTuple):
    """Where the log is: its last `seq`, and when that was, in milliseconds since 1970."""

    seq: int
    at: int


def log_position(reader: Reader) -> LogPosition:
    """Where the log is, to the reader."""
    newest = reader.recent(1, None)
    return LogPosition(reader.head().seq, _milliseconds(newest[0].at) if newest else 0)


class SessionEventFormat:
    """One way of telling lists and changes. `name` says which: two of one name say the same."""

    def __init__(self, session: str) -> None:
        self.name = f"events as {session}"
        self._session = session

    def snapshot(self, reader: Reader, scope: str, before: int, seq: int) -> EventGroup:
        """A scope's list as it is."""
        return self.wrapped(scope, before, seq, log_position(reader), self.listed(reader, scope))

    def listed(self, reader: Reader, scope: str) -> Envelope:
        """The content of a scope's snapshot. It depends only on the list's revision, not on the client."""
        return todo_stream.snapshot(reader, scope)

    def wrapped(self, scope: str, before: int, seq: int, now: LogPosition, listed: Envelope | Raw) -> EventGroup:
        """A list as a snapshot. Who has it goes on from `seq`, who has not yet from `before`."""
        call = StreamedCall(before, seq, f"snapshot:{now.seq}:{scope}", SNAPSHOT, now.at)
        return EventGroup(seq, scope, session_events.event_pair(self._session, call, listed))

    def changes(self, reader: Reader, after: int) -> list[EventGroup]:
        """What came after an event: the last call on each scope that was touched."""
        found = []
        for update in todo_stream.changes(reader, after):
            scope = update.envelope.scope_key
            (made,) = reader.operations(update.operation + 1, 1, None)
            call = StreamedCall(
                update.seq - 1, update.seq, f"{update.operation}:{scope}", made.tool, _milliseconds(made.at)
            )
            found.append(
                EventGroup(update.seq, scope, session_events.event_pair(self._session, call, update.envelope))
            )
        return found

    def past(self, reader: Reader, scope: str | None, after: int | None, limit: int) -> Iterator[EventGroup]:
        """The calls after an event, oldest first and the newest only: without lists, which snapshots bring.

        Until these have come, one that resumes goes on from where it stopped, and not from such a call.
        """
        root = None if scope is None else todo_stream.place_of(scope)
        made = [row for row in reader.operations(reader.head().seq + 1, limit, root) if row.last_seq > (after or 0)]
        for row in reversed(made):
            seq = row.last_seq if after is None else after
            call = StreamedCall(seq, seq, f"call:{row.operation}", row.tool, _milliseconds(row.at))
            yield EventGroup(seq, scope or "", session_events.event_pair(self._session, call))


class AcpFormat:
    """The same as ACP plan updates: whole lists, for its clients replace what they have."""

    name = "acp"

    def snapshot(self, reader: Reader, scope: str, before: int, seq: int) -> EventGroup:
        """A scope's list as it is."""
        return self.wrapped(scope, before, seq, log_position(reader), self.listed(reader, scope))

    def listed(self, reader: Reader, scope: str) -> dict[str, Any]:
        """A scope's list as it is, as a plan."""
        found = reader.at(todo_stream.place_of(scope))
        priority = found.value.priority if found is not None and isinstance(found.value, Task) else "MEDIUM"
        return plan_update(todo_stream.snapshot(reader, scope), priority)

    def wrapped(
        self,
        scope: str,
        before: int,  # noqa: ARG002 - a plan has no time
        seq: int,
        now: LogPosition,  # noqa: ARG002
        listed: dict[str, Any] | Raw,
    ) -> EventGroup:
        """A plan as a snapshot: it is one event, and needs no more."""
        return EventGroup(seq, scope, (listed,))

    def changes(self, reader: Reader, after: int) -> list[EventGroup]:
        """The lists that were touched after an event, as they are."""
        return [self.snapshot(reader, scope, seq, seq) for seq, scope in todo_stream.touched(reader, after)]


def _milliseconds(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1000)
