"""Processes a session's events one by one. An event changes all its slices or none, and is stored first."""

from collections import deque
from collections.abc import MutableSequence
from typing import TYPE_CHECKING, Any, Final

from gatepost.runtime.failures import Failures
from gatepost.runtime.reducers import LazyContext
from gatepost.runtime.session_state import SessionState
from gatepost.runtime.snapshots import Snapshot
from gatepost.runtime.telemetry import SessionRestored
from gatepost.runtime.transactions import OpenTransactions, ReplayEntry, ReplayLog, Transaction, open_transactions
from gatepost.runtime.transitions import PreparedChange
from gatepost.runtime.tree_lock import OuterCall

if TYPE_CHECKING:
    from gatepost.runtime.journals import Journal
    from gatepost.runtime.session import Session


class EventProcessor:
    """The only writer of a session's state. Every method runs inside an `OuterCall`."""

    __slots__ = ("_busy", "_journal", "_queue", "_record", "_reducing", "_session", "state")

    def __init__(self, session: "Session") -> None:
        self._session: Final = session
        self.state: Final = SessionState()
        self._queue: Final[deque[tuple[object, OpenTransactions]]] = deque()
        self._record: Final = ReplayLog()
        self._journal: Journal | None = None
        self._busy = False
        self._reducing = False

    def keep_in(self, journal: "Journal", *, take_over: bool) -> None:
        """Replay a journal, then store every event in it before the event takes effect."""
        if any(value is not None for _, value in self.state.latest()):
            raise RuntimeError(
                f"{self._session.id}: `prepare` may only register reducers. Dispatch after open() has returned"
            )
        journal.open(take_over=take_over)
        self._session.on_end(journal.close)
        for entry in journal.read(self.state.kinds()):
            self.repeat(entry)
        self._journal = journal
        self._choose_way()

    def run(self, event: object, call: OuterCall, failures: Failures) -> None:
        """Process an event and all events that it causes, or queue it if a dispatch is running."""
        self._session.check_alive()
        queue = self._queue
        queue.append((event, open_transactions()))
        # Two nested loops: a finalizer or signal handler may dispatch at any moment, also after the last look at
        # the queue and before `_busy` is cleared.
        while queue and not self._busy:
            self._drain(failures, call)

    def restore(self, snapshot: Snapshot, call: OuterCall, _failures: Failures) -> None:
        """Replace the state by a snapshot."""
        session = self._session
        session.check_alive()
        if self._reducing:
            raise RuntimeError(
                f"{session.id}: a reducer cannot restore. Restore from a subscriber, or after dispatch"
            )
        restored = SessionRestored(session_id=session.id, at=session.now())
        if self._journal is not None:
            self._journal.keep_state(snapshot)
        self.state.take(snapshot.runs)
        if self._record:
            self._record.add(snapshot, restored.at, open_transactions())
        session.dispatcher.deliver(restored, call.awaitables)

    def repeat(self, entry: ReplayEntry) -> None:
        """Replay an entry without announcing it. Events that its reducers dispatch have entries of their own."""
        if isinstance(entry.what, Snapshot):
            self.state.take(entry.what.runs)
            return
        waiting, busy = len(self._queue), self._busy
        self._busy = True
        try:
            self.state.make(self.state.prepared(entry.what, LazyContext(self._session, entry.at)))
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
        session = self._session
        queued = list(self._queue)
        self._queue.clear()
        self._queue.extend(one for one in queued if transaction not in one[1])
        changed = False
        for entry in () if session.ended else self._record.take_back(transaction, session.snapshot):
            changed = True
            with failures:
                self.repeat(entry)
        if changed:
            if self._journal is not None:
                with failures:
                    self._journal.keep_state(session.snapshot(), owed=True)
            session.dispatcher.deliver(SessionRestored(session_id=session.id, at=session.now()), call.awaitables)
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
        row = self.state.quick.get(type(event))
        if row is not None and row.grow is not None:
            row.grow(event)
        else:
            self._change(event, of, call)
        dispatcher = self._session.dispatcher
        if dispatcher.subscriptions:
            dispatcher.deliver(event, call.awaitables)

    def _change(self, event: object, of: OpenTransactions, call: OuterCall) -> None:
        context = LazyContext(self._session)
        self.state.make(self._prepared(event, context, call))
        if self._record:
            self._record.add(event, context().at, of)

    def _prepared(self, event: object, context: LazyContext, call: OuterCall) -> list[PreparedChange]:
        """Prepare an event's changes without applying them, and store the event if there is a journal.

        On failure, the events that it dispatched are dropped.
        """
        waiting, later = len(self._queue), len(call.later)
        self._reducing = True
        try:
            changes = self.state.prepared(event, context)
            self._session.check_alive()
            if self._journal is not None:
                self._journal.keep(event, context().at, self._session.snapshot)
            waiting, later = len(self._queue), len(call.later)
        finally:
            self._reducing = False
            _shorten(self._queue, waiting)
            _shorten(call.later, later)
        return changes

    def _choose_way(self) -> None:
        self.state.hurry(allowed=not self._record and self._journal is None)


def _shorten(queue: MutableSequence[Any], length: int) -> None:
    while len(queue) > length:
        queue.pop()
