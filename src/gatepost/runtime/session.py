"""A session: slices of values that change only by events, one event at a time."""

import re
import secrets
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from inspect import isawaitable
from threading import get_ident
from typing import Final, Generic, Protocol, Self, TypeVar, cast

from gatepost.domain.names import SESSION
from gatepost.domain.refusals import ToolValidationError
from gatepost.runtime import transitions
from gatepost.runtime.awaitables import Pending
from gatepost.runtime.codec import Types
from gatepost.runtime.dispatcher import Dispatcher
from gatepost.runtime.event_processor import Clock, EventProcessor
from gatepost.runtime.failures import Failures
from gatepost.runtime.journals import Journal
from gatepost.runtime.publication import Publication, Publishable, Publisher
from gatepost.runtime.session_state import SessionState
from gatepost.runtime.snapshots import Snapshot
from gatepost.runtime.telemetry import SessionFinished, SessionRestored
from gatepost.runtime.transactions import Restorable, Transaction
from gatepost.runtime.tree_lock import Lock, OuterCall, acquired, current, held

T = TypeVar("T")
S = TypeVar("S")
E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

_ID: Final = re.compile(SESSION)


class Session:
    """The state of an agent's work: a slice for each type of value, changed only by dispatching events.

    Each event goes to the reducers registered for its exact type. Without a reducer, it is appended to the slice of
    its own type. Then it is announced on the session's dispatcher.

    A session can be used from many threads and event loops. A tree of sessions processes one event at a time: while
    reducers and subscribers run, other threads wait. So they must not wait for another thread that dispatches.
    Reading never waits, and may see an event that changes several slices in only some of them.
    """

    def __init__(
        self,
        *,
        dispatcher: Dispatcher | None = None,
        parent: "Session | None" = None,
        id: str | None = None,  # noqa: A002 - the public name of the argument
        clock: Clock | None = None,
    ) -> None:
        self.id: Final = f"session-{secrets.token_hex(6)}" if id is None else _checked(id)
        self.parent: Final = parent
        self.dispatcher: Final = Dispatcher() if dispatcher is None else _dispatcher(dispatcher)
        # One lock for the whole tree: with several, a child and its parent that call each other could deadlock.
        self._lock: Lock = threading.RLock() if parent is None else parent._lock  # noqa: SLF001 - of its own class
        self._events: Final = EventProcessor(
            self.id,
            self.dispatcher,
            _system_clock if clock is None else clock,
            lambda at: ReducerContext(session=self, at=at),
        )
        self._state: Final = self._events.state
        self._fast_path: Final = self._state.fast_path
        self._children: Final[list[Session]] = []
        self._endings: Final[dict[object, Callable[[], object]]] = {}
        self._published: Publication | None = None
        if parent is not None:
            parent._adopt(self)  # noqa: SLF001 - of its own class

    @classmethod
    def open(
        cls,
        gp: Publisher,
        id: str,  # noqa: A002 - the public name of the argument
        *,
        workspace: str | None = None,
        prepare: Callable[["Session"], object] | None = None,
        types: Types = (),
        dispatcher: Dispatcher | None = None,
        parent: "Session | None" = None,
        clock: Clock | None = None,
        take_over: bool = False,
    ) -> "Session":
        """Open a durable session: every event is on disk in `gp`'s store when `dispatch` returns, and the next
        `open` of the id, here or in another process, restores the slices.

        `prepare` registers reducers, or creates the sections that do. The stored events are then replayed. `types`
        are further classes of events and values. While the id is held, another `open` is refused (`SESSION_HELD`),
        unless the holder's process has ended. Use `take_over` if the holder was on a machine that is gone. Ending
        the session releases the id; the stored events stay.
        """
        session = cls(id=id, dispatcher=dispatcher, parent=parent, clock=clock)
        try:
            if prepare is not None:
                prepare(session)
            session._events.keep_in(Journal(gp, id, workspace, types), session.on_end, take_over=take_over)
        except BaseException:
            session.end()
            raise
        return session

    @property
    def root(self) -> "Session":
        """The session at the top of the tree: itself, if it has no parent."""
        session = self
        while session.parent is not None:
            session = session.parent
        return session

    @property
    def children(self) -> tuple["Session", ...]:
        """The sessions below this one that have not ended, oldest first."""
        with self._state.lock:
            return tuple(self._children)

    @property
    def ended(self) -> bool:
        """Whether the session has ended."""
        return self._events.ended

    def __getitem__(self, kind: type[T]) -> "Slice[T]":
        if not isinstance(kind, type):
            raise TypeError(f"session[{kind!r}]: use a class, as in session[TodoList]")
        return Slice(kind, self._state, self._events.check_alive)

    def dispatch(self, event: object) -> None:
        """Process an event: all its reducers change their slices, or none does. Then announce it.

        An event that a reducer or subscriber dispatches is queued. It is processed after the running one, before
        the outermost dispatch returns. In another tree it is processed at once, or, if another thread is busy
        there, after the outermost dispatch has released its own tree.

        A reducer's failure is raised here, and drops the events that its event had queued. The failure of a queued
        event is raised by the outermost dispatch when the queue is empty (several as an `ExceptionGroup`). A
        subscriber's failure is reported by the dispatcher and not raised, since the event was processed. An
        interrupt passes through at once, and drops the queue.

        Async subscribers have finished when this returns, unless an event loop runs in this thread. The loop then
        runs them next, and `adispatch` waits for them.
        """
        if not held or get_ident() not in held:
            with self._lock:
                # Most events are only appended and have no subscribers. Appending to a list is atomic, so it needs
                # neither preparation nor a queue. All other events take the long way.
                row = self._fast_path.get(type(event))
                if (
                    row is not None
                    and row.grow is not None
                    and not (self.dispatcher.subscribers and self.dispatcher.route(type(event)))
                ):
                    row.grow(event)
                    return
        self._run(partial(self._events.run, event), "dispatching", type(event))

    async def adispatch(self, event: object) -> None:
        """Process an event like `dispatch`, and await its async subscribers on the running event loop."""
        call = self._alone(partial(self._events.run, event), "dispatching", type(event))
        if call is not None:
            await call.settled("dispatching", type(event))

    def snapshot(self) -> Snapshot:
        """The present state. The cost does not depend on its size."""
        return self._events.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Replace the state by a snapshot, of this or another session. Registered reducers stay."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"restore({snapshot!r}): give a snapshot that snapshot() returned")
        self._run(partial(self._events.restore, snapshot), "restoring", self.id)

    def transaction(self, *others: Restorable) -> Transaction:
        """A block that is rolled back if it fails: `with session.transaction(files): …`, or `async with`.

        If the block raises, everything that it dispatched is undone, and `others` (filesystems, other sessions) are
        restored completely. Only the block's own events are undone, with those of tasks and `asyncio.to_thread`
        calls that it starts. Events that other threads and tasks dispatched meanwhile stay. An inner block undoes
        only its own.
        """
        return Transaction(self._begin, self._commit, self._take_back, others)

    def clone(self, *, dispatcher: Dispatcher | None = None, parent: "Session | None" = None) -> "Session":
        """A new session with the same state and reducers, independent from now on.

        It has its own id, dispatcher and place in a tree. Subscribers and `on_end` callbacks are not copied.
        """
        self._events.check_alive()
        # Its parent lists it at once, and nobody may end or use it before it is complete.
        with nullcontext() if parent is None else parent._state.lock:  # noqa: SLF001 - of its own class
            twin = Session(dispatcher=dispatcher, parent=parent, clock=self._events.clock)
            twin._state.copied(self._state)
        return twin

    def on_end(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call something at the session's end, when its slices are empty, in the order of registration.

        Async callbacks are awaited after the others, before `end` returns. Returns a function that cancels the
        callback.
        """
        if not callable(callback):
            raise TypeError(f"on_end({callback!r}): give a callable without arguments")
        key = object()  # the same function may be registered twice
        with self._state.lock:
            self._events.check_alive()
            self._endings[key] = callback

        def cancel() -> None:
            self._endings.pop(key, None)

        return cancel

    def publish(self, gp: Publisher, workspace: str) -> Callable[[], None]:
        """Show the session's todo list in a workspace under the session's id, and keep it current until the session
        ends. Returns a function that removes it. Publishing twice has no further effect."""
        with self._lock:
            if (
                self._published is not None
                and self._published.target == (gp, workspace)
                and self._published.cancellations
            ):
                return self._published.end
            publication = self._published = Publication(gp, self.id, workspace, self._state.latest)
            publication.catch_up()
            publication.cancellations = (
                self.on_end(publication.end),
                self.dispatcher.subscribe(Publishable, publication.on_event),  # type: ignore[type-abstract]  # any that fits
                self.dispatcher.subscribe(SessionRestored, publication.on_event),
            )
        return publication.end

    def end(self) -> None:
        """End the children, newest first, then this session: clear its slices and announce `SessionFinished`.

        Ending twice has no further effect. Exceptions of `on_end` callbacks are raised at the end. Async callbacks
        have finished when this returns, unless an event loop runs in this thread. Then use `aend` or `async with`.
        """
        self._run(self._end, "ending", self.id)

    async def aend(self) -> None:
        """End like `end`, and await async callbacks and subscribers on the running event loop."""
        call = self._alone(self._end, "ending", self.id)
        if call is not None:
            await call.settled("ending", self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aend()

    def __repr__(self) -> str:
        return f"<Session {self.id}{' (ended)' if self.ended else ''}>"

    def _run(self, act: Callable[[OuterCall, Failures], None], doing: str, what: str | type) -> None:
        call = self._alone(act, doing, what)
        if call is not None:
            call.settle(doing, what)

    def _alone(self, act: Callable[[OuterCall, Failures], None], doing: str, what: str | type) -> OuterCall | None:
        """Run something while no other thread changes the tree. Returns the call to settle, if it is the outermost.

        A thread inside a call in another tree must not wait for this one. If it is busy, the work runs later.
        """
        call = current()
        if call is None:
            with OuterCall(self._lock) as own:
                act(own, own.failures)
            return own
        if self._lock.acquire(blocking=False):
            failures = Failures()
            try:
                act(call, failures)
            finally:
                self._lock.release()
            failures.report(doing, what)
        else:
            call.later.append(partial(self._alone, act, doing, what))
        return None

    def _begin(self, transaction: Transaction) -> None:
        with acquired(self._lock, self.id):
            self._events.begin(transaction, self.snapshot())

    def _commit(self, transaction: Transaction) -> None:
        self._run(partial(self._events.commit, transaction), "committing", self.id)

    def _take_back(self, transaction: Transaction) -> None:
        self._run(partial(self._events.take_back, transaction), "taking back", self.id)

    def _end(self, call: OuterCall, failures: Failures) -> None:
        with self._state.lock:
            if self.ended:
                return
            self._events.ended = True
        for child in reversed(self.children):
            child._end(call, failures)  # noqa: SLF001 - of its own class
        self._events.forget()
        while self._endings:
            with failures:
                result = self._endings.pop(next(iter(self._endings)))()
                if isawaitable(result):
                    call.awaitables.add(Pending(result, call.failed))
        if self.parent is not None:
            self.parent._lose(self)  # noqa: SLF001 - of its own class
        with failures:
            self.dispatcher.deliver(SessionFinished(session_id=self.id, at=self._events.now()), call.awaitables)

    def _adopt(self, child: "Session") -> None:
        with self._state.lock:
            self._events.check_alive()
            self._children.append(child)

    def _lose(self, child: "Session") -> None:
        with self._state.lock:
            self._children.remove(child)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducerContext:
    """The session and time of an event. All reducers of one event get the same context; `at` is in UTC."""

    session: Session
    at: datetime


class Reducer(Protocol[S, E_contra]):
    """Returns a slice's new values, given its present values and an event. Pure: it changes nothing itself."""

    def __call__(self, state: tuple[S, ...], event: E_contra, /, *, context: ReducerContext) -> tuple[S, ...]: ...


class Slice(Generic[T]):
    """A session's values of one type: `session[T]`. Always current; empty after the session's end."""

    __slots__ = ("_check_alive", "_kind", "_state")

    def __init__(self, kind: type[T], state: SessionState, check_alive: Callable[[], None]) -> None:
        self._kind: Final = kind
        self._state: Final = state
        self._check_alive: Final = check_alive

    def register(self, event: type[E], reducer: Reducer[T, E]) -> None:
        """Let the reducer change this slice with each event of exactly this type.

        Registering a reducer twice for an event has no further effect. Several reducers run in the order of
        registration, each on the result of the one before.
        """
        transitions.check(self._kind, event, reducer)
        with self._state.lock:
            self._check_alive()
            self._state.register(self._kind, event, reducer)

    def latest(self) -> T | None:
        """The last value; `None` if there is none. The cost does not depend on their number."""
        row = self._state.rows.get(self._kind)
        return None if row is None else cast("T | None", row.latest())

    def all(self) -> tuple[T, ...]:
        """Every value. Returns the same tuple until something changes."""
        row = self._state.rows.get(self._kind)
        return () if row is None else cast("tuple[T, ...]", row.all())

    def where(self, predicate: Callable[[T], object]) -> tuple[T, ...]:
        """The values for which the predicate holds."""
        return tuple(value for value in self.all() if predicate(value))


def _checked(given: object) -> str:
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise ToolValidationError(
            f"`id`: {given!r} cannot name a session.",
            "Use 1 to 64 of the characters A-Z a-z 0-9 . _ : - or leave the id out.",
        )
    return given


def _dispatcher(given: Dispatcher) -> Dispatcher:
    if not isinstance(given, Dispatcher):
        raise TypeError(f"Session(dispatcher={given!r}): give a gatepost.runtime.Dispatcher, and subscribe to it")
    return given


def _system_clock() -> datetime:
    return datetime.now(UTC)
