"""How a session takes events in: one after the other, all of an event's changes or none, kept before they count."""

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
    """The one way to a session's state. Everything here runs inside one `OuterCall`."""

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
        """Take in what a journal has kept, and keep every event there before it counts."""
        if any(value is not None for _, value in self.state.latest()):
            raise RuntimeError(
                f"{self._session.id}: `prepare` registers reducers. Dispatch when open() has returned the session"
            )
        journal.open(take_over=take_over)
        self._session.on_end(journal.close)
        for entry in journal.read(self.state.kinds()):
            self.repeat(entry)
        self._journal = journal
        self._choose_way()

    def run(self, event: object, call: OuterCall, failures: Failures) -> None:
        """Take an event and all that it brings about in, or leave it to the dispatch that is running."""
        self._session.check_alive()
        queue = self._queue
        queue.append((event, open_transactions()))
        # A loop in a loop: a finalizer or a signal handler may dispatch at any moment, also between the last look
        # into the queue and the moment when we are no longer busy.
        while queue and not self._busy:
            self._drain(failures, call)

    def restore(self, snapshot: Snapshot, call: OuterCall, _failures: Failures) -> None:
        """Hold exactly what a snapshot holds."""
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
        """Do again what was done, without telling anyone. What its reducers dispatch has been done on its own."""
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
        """A transaction begins."""
        self._record.begin(transaction, snapshot)
        self._choose_way()

    def commit(self, transaction: Transaction, _call: OuterCall, _failures: Failures) -> None:
        """A transaction is over."""
        self._record.end(transaction)
        self._choose_way()

    def take_back(self, transaction: Transaction, call: OuterCall, failures: Failures) -> None:
        """A transaction has failed: be as if it had not been, with all that others did."""
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
        """The session has ended."""
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
        """The changes that an event makes, none of them made; the event is kept, if events are.

        If that fails, what it dispatched is dropped.
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
