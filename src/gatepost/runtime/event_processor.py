"""Processes a session's events one by one. An event changes all its slices or none, and is stored first."""

from collections import deque
from collections.abc import Callable, MutableSequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from gatepost.runtime.dispatcher import Dispatcher
from gatepost.runtime.failures import Failures
from gatepost.runtime.session_state import SessionState
from gatepost.runtime.snapshots import Snapshot
from gatepost.runtime.telemetry import SessionRestored
from gatepost.runtime.transactions import OpenTransactions, ReplayEntry, ReplayLog, Transaction, open_transactions
from gatepost.runtime.transitions import PreparedChange
from gatepost.runtime.tree_lock import OuterCall

if TYPE_CHECKING:
    from gatepost.runtime.journals import Journal

Clock = Callable[[], datetime]
"""Returns the time, with a time zone."""


class SessionEnded(RuntimeError):
    """The session has ended and can no longer be used."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"{session_id} has ended: start a new Session, and create sections and filesystems for it")


class EventProcessor:
    """The only writer of a session's state. Every method that changes it runs inside an `OuterCall`."""

    def __init__(
        self, session_id: str, dispatcher: Dispatcher, clock: Clock, context: Callable[[datetime], object]
    ) -> None:
        self.id: Final = session_id
        self.dispatcher: Final = dispatcher
        self.clock: Final = clock
        self.state: Final = SessionState()
        self.ended = False
        self.context: Final = context
        self._queue: Final[deque[tuple[object, OpenTransactions]]] = deque()
        self._record: Final = ReplayLog()
        self._journal: Journal | None = None
        self._busy = False
        self._reducing = False

    def keep_in(
        self, journal: "Journal", on_end: Callable[[Callable[[], None]], object], *, take_over: bool
    ) -> None:
        """Replay a journal, then store every event in it before the event takes effect."""
        if any(value is not None for _, value in self.state.latest()):
            raise RuntimeError(
                f"{self.id}: `prepare` may only register reducers. Dispatch after open() has returned"
            )
        journal.open(take_over=take_over)
        on_end(journal.close)
        for entry in journal.read(self.state.kinds()):
            self.repeat(entry)
        self._journal = journal
        self._choose_way()

    def check_alive(self) -> None:
        """Raise `SessionEnded` if the session has ended."""
        if self.ended:
            raise SessionEnded(self.id)

    def now(self) -> datetime:
        """The time by the session's clock, in UTC."""
        moment = self.clock()
        if moment.tzinfo is None:
            raise ValueError(f"The clock of {self.id} returned {moment} without a time zone: return UTC")
        return moment.astimezone(UTC)

    def snapshot(self) -> Snapshot:
        """The present state. The cost does not depend on its size."""
        with self.state.lock:
            self.check_alive()
            return Snapshot(session_id=self.id, at=self.now(), runs=self.state.hold())

    def run(self, event: object, call: OuterCall, failures: Failures) -> None:
        """Process an event and all events that it causes, or queue it if a dispatch is running."""
        self.check_alive()
        queue = self._queue
        queue.append((event, open_transactions()))
        # Two nested loops: a finalizer or signal handler may dispatch at any moment, also after the last look at
        # the queue and before `_busy` is cleared.
        while queue and not self._busy:
            self._drain(failures, call)

    def restore(self, snapshot: Snapshot, call: OuterCall, _failures: Failures) -> None:
        """Replace the state by a snapshot."""
        self.check_alive()
        if self._reducing:
            raise RuntimeError(f"{self.id}: a reducer cannot restore. Restore from a subscriber, or after dispatch")
        restored = SessionRestored(session_id=self.id, at=self.now())
        if self._journal is not None:
            self._journal.keep_state(snapshot)
        self.state.take(snapshot.runs)
        if self._record:
            self._record.add(snapshot, restored.at, open_transactions())
        self.dispatcher.deliver(restored, call.awaitables)

    def repeat(self, entry: ReplayEntry) -> None:
        """Replay an entry without announcing it. Events that its reducers dispatch have entries of their own."""
        if isinstance(entry.what, Snapshot):
            self.state.take(entry.what.runs)
            return
        waiting, busy = len(self._queue), self._busy
        self._busy = True
        try:
            self.state.make(self.state.prepared(entry.what, _LazyContext(self, entry.at)))
        finally:
            self._busy = busy
            _shorten(self._queue, waiting)

    def begin(self, transaction: Transaction, snapshot: Snapshot) -> None:
        """Start recording for a transaction."""
        self._record.begin(transaction, snapshot)
        self._choose_way()

    def commit(self, transaction: Transaction, _call: OuterCall, _failures: Failures) -> None:
        """Stop recording for a transaction and keep its events."""
        self._record.end(transaction)
        self._choose_way()

    def take_back(self, transaction: Transaction, call: OuterCall, failures: Failures) -> None:
        """Roll back a failed transaction and keep what others did meanwhile."""
        queued = list(self._queue)
        self._queue.clear()
        self._queue.extend(one for one in queued if transaction not in one[1])
        changed = False
        for entry in () if self.ended else self._record.take_back(transaction, self.snapshot):
            changed = True
            with failures:
                self.repeat(entry)
        if changed:
            if self._journal is not None:
                with failures:
                    self._journal.keep_state(self.snapshot(), owed=True)
            self.dispatcher.deliver(SessionRestored(session_id=self.id, at=self.now()), call.awaitables)
        self.commit(transaction, call, failures)

    def forget(self) -> None:
        """Clear everything at the session's end."""
        self.state.forget()
        self._queue.clear()

    def _drain(self, failures: Failures, call: OuterCall) -> None:
        queue = self._queue
        interrupted = True
        self._busy = True
        try:
            while queue:
                with failures:
                    self._take_in(*queue.popleft(), call)
            interrupted = False
        finally:
            self._busy = False
            if interrupted:
                queue.clear()

    def _take_in(self, event: object, of: OpenTransactions, call: OuterCall) -> None:
        row = self.state.fast_path.get(type(event))
        if row is not None and row.grow is not None:
            row.grow(event)
        else:
            self._change(event, of, call)
        if self.dispatcher.subscribers:
            self.dispatcher.deliver(event, call.awaitables)

    def _change(self, event: object, of: OpenTransactions, call: OuterCall) -> None:
        context = _LazyContext(self)
        self.state.make(self._prepared(event, context, call))
        if self._record:
            self._record.add(event, context.at(), of)

    def _prepared(self, event: object, context: "_LazyContext", call: OuterCall) -> list[PreparedChange]:
        """Prepare an event's changes without applying them, and store the event if there is a journal.

        On failure, the events that it dispatched are dropped.
        """
        waiting, later = len(self._queue), len(call.later)
        self._reducing = True
        try:
            changes = self.state.prepared(event, context)
            self.check_alive()
            if self._journal is not None:
                self._journal.keep(event, context.at(), self.snapshot)
            waiting, later = len(self._queue), len(call.later)
        finally:
            self._reducing = False
            _shorten(self._queue, waiting)
            _shorten(call.later, later)
        return changes

    def _choose_way(self) -> None:
        self.state.set_fast_path(enabled=not self._record and self._journal is None)


class _LazyContext:
    """An event's time and context, created when first needed. Built-in reducers never need them."""

    __slots__ = ("_at", "_created", "_processor")

    def __init__(self, processor: EventProcessor, at: datetime | None = None) -> None:
        self._processor = processor
        self._at = at
        self._created: object = None

    def at(self) -> datetime:
        """The event's time."""
        if self._at is None:
            self._at = self._processor.now()
        return self._at

    def __call__(self) -> object:
        """The context, the same object for all reducers."""
        if self._created is None:
            self._created = self._processor.context(self.at())
        return self._created


def _shorten(queue: MutableSequence[Any], length: int) -> None:
    while len(queue) > length:
        queue.pop()
