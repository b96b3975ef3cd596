"""A session: slices of values that change only by events, one event at a time."""

import re
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self, TypeVar, cast

from gatepost.domain.names import SESSION
from gatepost.domain.refusals import ToolValidationError
from gatepost.runtime import plans
from gatepost.runtime.dispatcher import Dispatcher
from gatepost.runtime.failures import Failures
from gatepost.runtime.plans import AnyReducer, Appending, Change, Step
from gatepost.runtime.publishing import Publication, Publishable, Publisher
from gatepost.runtime.reducers import ReducerContext, append
from gatepost.runtime.rows import Row, Run
from gatepost.runtime.slices import Slice
from gatepost.runtime.telemetry import SessionClosed, SessionRestored

T = TypeVar("T")

Clock = Callable[[], datetime]
"""Tells the time, with a time zone."""

_Lock = AbstractContextManager[bool]

_ID: Final = re.compile(SESSION)


class SessionEnded(RuntimeError):
    """The session has ended, and what was asked needs a living one."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"{session_id} has ended: start a new Session, and build sections and filesystems on that")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """A session's state at a moment (`at`, in UTC), for `Session.restore`. Nothing later disturbs it."""

    session_id: str
    at: datetime
    runs: Mapping[type, Run[object]] = field(repr=False)


class Session:
    """State of an agent's work: a slice for each type of value, changed only by dispatching events.

    Each event goes to the reducers registered for its exact type; one that nobody registered for is appended to the
    slice of its own type. Then it is announced on the session's dispatcher.

    A session may be used from many threads. Events are taken in one after the other, in a tree of sessions as in
    one: reducers and subscribers run while the others wait; they must not wait for another thread that dispatches.
    Reading waits for nothing; an event that feeds several slices may then be seen in some of them first.
    """

    def __init__(
        self,
        *,
        dispatcher: Dispatcher | None = None,
        parent: "Session | None" = None,
        id: str | None = None,  # noqa: A002 - it is the session's name for it
        clock: Clock | None = None,
    ) -> None:
        self.id: Final = f"session-{secrets.token_hex(6)}" if id is None else _checked(id)
        self.parent: Final = parent
        self.dispatcher: Final = Dispatcher() if dispatcher is None else _dispatcher(dispatcher)
        self._clock: Final = _system_clock if clock is None else clock
        # One lock for a tree: were there more, a child and its parent that call each other could wait for ever.
        self._lock: _Lock = threading.RLock() if parent is None else parent._lock  # noqa: SLF001 - of its own class
        self._rows: Final[dict[type, Row[object]]] = {}
        self._reducers: Final[dict[type, dict[type, tuple[AnyReducer, ...]]]] = {}
        self._plans: Final[dict[type, tuple[Step, ...]]] = {}
        self._quick: Final[dict[type, Row[object]]] = {}
        self._queue: Final[deque[object]] = deque()
        self._children: Final[list[Session]] = []
        self._endings: Final[list[_Ending]] = []
        self._published: Publication | None = None
        self._busy = False
        self._reducing = False
        self._ended = False
        if parent is not None:
            parent._adopt(self)  # noqa: SLF001 - of its own class

    @property
    def root(self) -> "Session":
        """The session at the top of the tree; one without a parent is its own."""
        session = self
        while session.parent is not None:
            session = session.parent
        return session

    @property
    def children(self) -> tuple["Session", ...]:
        """The sessions below this one that have not ended, oldest first."""
        return tuple(self._children)

    @property
    def ended(self) -> bool:
        """Whether the session has come to its end."""
        return self._ended

    def __getitem__(self, kind: type[T]) -> Slice[T]:
        if not isinstance(kind, type):
            raise TypeError(f"session[{kind!r}]: a slice is named by a class, as in session[TodoList]")
        return Slice(kind, self._rows, self._register)

    def dispatch(self, event: object) -> None:
        """Take an event in: all its reducers change their slices, or none does; then it is announced.

        From within a reducer or a subscriber the event is queued: it is taken in after the running one, before the
        outermost dispatch returns. A reducer's failure is raised here, and drops what its event had queued. The
        failure of a queued event or of a subscriber is raised by the outermost dispatch once the queue is empty
        (several: as an `ExceptionGroup`). An interrupt passes at once, and drops what is queued.
        """
        with self._lock:
            # Most events are appended, and nobody listens. Growing a list is one indivisible act: it needs neither
            # preparing nor a queue. All else takes the long way.
            row = self._quick.get(type(event))
            if (
                row is None
                or row.grow is None
                or self._busy
                or (self.dispatcher.subscriptions and self.dispatcher.route(type(event)))
            ):
                self._run(event)
            else:
                row.grow(event)

    def snapshot(self) -> Snapshot:
        """The present state, at the same cost however much there is."""
        with self._lock:
            self._check_alive()
            runs = {kind: row.hold() for kind, row in self._rows.items()}
            return Snapshot(session_id=self.id, at=self.now(), runs=runs)

    def restore(self, snapshot: Snapshot) -> None:
        """Hold exactly what a snapshot holds, whichever session it is of. Registered reducers stay."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"restore({snapshot!r}): give what snapshot() gave")
        with self._lock:
            self._check_alive()
            if self._reducing:
                raise RuntimeError(
                    f"{self.id}: a reducer cannot restore. Restore from a subscriber, or after dispatch"
                )
            restored = SessionRestored(session_id=self.id, at=self.now())
            self._hold(snapshot.runs)
            self.dispatcher.dispatch(restored)

    def clone(self, *, dispatcher: Dispatcher | None = None, parent: "Session | None" = None) -> "Session":
        """Another session with the same state and reducers, which goes its own way from here.

        It has its own id, dispatcher and place in a tree; subscribers and `on_end` callbacks stay with this one.
        """
        with self._lock:
            self._check_alive()
            runs = {kind: row.hold() for kind, row in self._rows.items()}
            reducers = {event: dict(fed) for event, fed in self._reducers.items()}
        # Its parent shows it at once, and nobody may end or use it before it is complete. Our own lock is free
        # again by now: taking two trees' locks, one within the other, could end in waiting for ever.
        with nullcontext() if parent is None else parent._lock:  # noqa: SLF001 - of its own class
            twin = Session(dispatcher=dispatcher, parent=parent, clock=self._clock)
            twin._reducers.update(reducers)
            twin._hold(runs)
        return twin

    def on_end(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have something done at the session's end, when its slices are empty; in the order of asking.

        Answers with the call that unsays it.
        """
        if not callable(callback):
            raise TypeError(f"on_end({callback!r}): give something callable without arguments")
        ending = _Ending(callback)
        with self._lock:
            self._check_alive()
            self._endings.append(ending)
        return lambda: self._unsay(ending)

    def publish(self, gp: Publisher, workspace: str) -> Callable[[], None]:
        """Show the session's todo list in a workspace, under the session's id: now, whenever it is written, and no
        longer than the session lives. Answers with the call that takes it away. Publishing again is no news."""
        with self._lock:
            if self._published is not None and self._published.of == (gp, workspace) and self._published.until:
                return self._published.end
            publication = self._published = Publication(gp, self.id, workspace, self._latest)
            publication.catch_up()
            publication.until = (
                self.on_end(publication.end),
                self.dispatcher.subscribe(Publishable, publication.told),  # type: ignore[type-abstract]  # any that fits
                self.dispatcher.subscribe(SessionRestored, publication.told),
            )
        return publication.end

    def now(self) -> datetime:
        """The time by the session's clock, in UTC."""
        moment = self._clock()
        if moment.tzinfo is None:
            raise ValueError(f"the clock of {self.id} tells {moment} without a time zone: let it tell UTC")
        return moment.astimezone(UTC)

    def end(self) -> None:
        """End the children, newest first, then this session: it forgets everything and says so.

        Ending again does nothing. What fails on the way is raised when all is done.
        """
        failures = Failures()
        with self._lock:
            if self._ended:
                return
            self._ended = True
            for child in reversed(self.children):
                with failures:
                    child.end()
            self._forget()
            while self._endings:
                with failures:
                    self._endings.pop(0).callback()
            if self.parent is not None:
                self.parent._children.remove(self)  # noqa: SLF001 - of its own class
            with failures:
                self.dispatcher.deliver(SessionClosed(session_id=self.id, at=self.now()), failures)
        failures.report(f"ending {self.id}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def __repr__(self) -> str:
        return f"<Session {self.id}{' (ended)' if self._ended else ''}>"

    def _run(self, event: object) -> None:
        """Take an event and all that it brings about in, or leave it to the dispatch that is running."""
        self._check_alive()
        queue = self._queue
        queue.append(event)
        failures = Failures()
        # A loop in a loop: a finalizer or a signal handler may dispatch at any moment, also between the last look
        # into the queue and the moment when we are no longer busy.
        while queue and not self._busy:
            self._drain(failures)
        if failures.found:
            failures.report(f"dispatching {type(event).__qualname__}")

    def _drain(self, failures: Failures) -> None:
        queue = self._queue
        interrupted = True
        self._busy = True
        try:
            while queue:
                with failures:
                    self._take_in(queue.popleft(), failures)
            interrupted = False
        finally:
            self._busy = False
            if interrupted:
                queue.clear()

    def _take_in(self, event: object, failures: Failures) -> None:
        row = self._quick.get(type(event))
        if row is not None:
            row.add(event)
        else:
            for change in self._prepared(event):
                change()
        self.dispatcher.deliver(event, failures)

    def _prepared(self, event: object) -> list[Change]:
        """The changes that an event makes, none of them made. If that fails, what it dispatched is dropped."""
        context = _Context(self)
        waiting = len(self._queue)
        self._reducing = True
        try:
            changes = [step.prepare(event, context) for step in self._plan(type(event))]
            self._check_alive()
            waiting = len(self._queue)
        finally:
            self._reducing = False
            while len(self._queue) > waiting:
                self._queue.pop()
        return changes

    def _plan(self, kind: type) -> tuple[Step, ...]:
        steps = self._plans.get(kind)
        if steps is None:
            if issubclass(kind, type):
                raise TypeError("dispatch takes an event, not a class of events: dispatch an instance")
            reducers = self._reducers.get(kind) or {kind: (cast("AnyReducer", append),)}
            steps = self._plans[kind] = plans.plan(reducers, self._row)
            if len(steps) == 1 and isinstance(steps[0], Appending):
                self._quick[kind] = steps[0].row
        return steps

    def _register(self, kind: type, event: type, reducer: object) -> None:
        plans.check(kind, event, reducer)
        with self._lock:
            self._check_alive()
            fed = self._reducers.setdefault(event, {})
            present = fed.get(kind, ())
            if reducer not in present:
                fed[kind] = (*present, cast("AnyReducer", reducer))
                self._plans.pop(event, None)
                self._quick.pop(event, None)

    def _latest(self) -> list[tuple[type, object]]:
        return [(kind, self[kind].latest()) for kind in list(self._rows)]

    def _row(self, kind: type) -> Row[object]:
        return self._rows.setdefault(kind, Row())

    def _hold(self, runs: Mapping[type, Run[object]]) -> None:
        for kind in [*self._rows, *runs]:
            if kind in runs:
                self._row(kind).take(runs[kind])
            else:
                self._rows[kind].clear()

    def _forget(self) -> None:
        self._quick.clear()
        self._plans.clear()
        self._rows.clear()
        self._queue.clear()

    def _adopt(self, child: "Session") -> None:
        with self._lock:
            self._check_alive()
            self._children.append(child)

    def _unsay(self, ending: "_Ending") -> None:
        with self._lock:
            if ending in self._endings:
                self._endings.remove(ending)

    def _check_alive(self) -> None:
        if self._ended:
            raise SessionEnded(self.id)


class _Context:
    """Makes the context of one event when the first reducer asks; the built-in ones never do."""

    __slots__ = ("_made", "_session")

    def __init__(self, session: Session) -> None:
        self._session: Final = session
        self._made: ReducerContext | None = None

    def __call__(self) -> ReducerContext:
        if self._made is None:
            self._made = ReducerContext(session=self._session, at=self._session.now())
        return self._made


@dataclass(frozen=True, slots=True, eq=False)
class _Ending:
    """A callback for the end; the same one may be there twice."""

    callback: Callable[[], object]


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
