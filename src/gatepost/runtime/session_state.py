"""What a session holds: a row of values for each type, and the reducers that each type of event sets in motion."""

import threading
from collections.abc import Mapping
from typing import Final, cast

from gatepost.runtime import transitions
from gatepost.runtime.reducers import append
from gatepost.runtime.slice_values import SliceValues, ValueRange
from gatepost.runtime.transitions import AnyReducer, Append, Context, PreparedChange, Transition


class SessionState:
    """Slices and reducers. One thread at a time may prepare and make changes; reading needs no lock.

    The lock is held for moments in which nobody else's code runs, so everyone may wait for it.
    """

    __slots__ = ("_appended", "_hurries", "_reducers", "_transitions", "lock", "quick", "rows")

    def __init__(self) -> None:
        self.lock: Final = threading.RLock()
        self.rows: Final[dict[type, SliceValues[object]]] = {}
        self.quick: Final[dict[type, SliceValues[object]]] = {}
        """The row of each type whose events are appended there, and do nothing else; none while those count too."""
        self._appended: Final[dict[type, SliceValues[object]]] = {}
        self._hurries = True
        self._reducers: Final[dict[type, dict[type, tuple[AnyReducer, ...]]]] = {}
        self._transitions: Final[dict[type, tuple[Transition, ...]]] = {}

    def hurry(self, *, allowed: bool) -> None:
        """Say whether events that are only appended may go the short way."""
        with self.lock:
            self._hurries = allowed
            if allowed:
                self.quick.update(self._appended)
            else:
                self.quick.clear()

    def prepared(self, event: object, context: Context) -> list[PreparedChange]:
        """The changes that an event makes, none of them made."""
        return [each.prepare(event, context) for each in self._transitions_for(type(event))]

    def make(self, changes: list[PreparedChange]) -> None:
        """Make changes that were prepared; nobody who takes a snapshot sees some of them."""
        with self.lock:
            for change in changes:
                change()

    def register(self, kind: type, event: type, reducer: object) -> None:
        """Have a reducer change the slice of a type with each event of exactly a type."""
        with self.lock:
            fed = self._reducers.setdefault(event, {})
            present = fed.get(kind, ())
            if reducer not in present:
                fed[kind] = (*present, cast("AnyReducer", reducer))
                self._transitions.pop(event, None)
                self._appended.pop(event, None)
                self.quick.pop(event, None)

    def kinds(self) -> set[type]:
        """The types of slices and events that reducers are registered for."""
        with self.lock:
            return {*self._reducers, *(kind for fed in self._reducers.values() for kind in fed)}

    def hold(self) -> dict[type, ValueRange[object]]:
        """Everything that is here now, for good, at the same cost however much there is."""
        with self.lock:
            return {kind: row.hold() for kind, row in self.rows.items()}

    def take(self, runs: Mapping[type, ValueRange[object]]) -> None:
        """Hold exactly what was held once."""
        with self.lock:
            for kind in [*self.rows, *runs]:
                if kind in runs:
                    self._row(kind).take(runs[kind])
                else:
                    self.rows[kind].clear()

    def copied(self, other: "SessionState") -> None:
        """Become what another state is now, with its reducers."""
        with other.lock:
            runs = other.hold()
            self._reducers.update({event: dict(fed) for event, fed in other._reducers.items()})  # noqa: SLF001
        self.take(runs)

    def forget(self) -> None:
        """Hold nothing."""
        with self.lock:
            self._appended.clear()
            self.quick.clear()
            self._transitions.clear()
            self.rows.clear()

    def latest(self) -> list[tuple[type, object]]:
        """The newest value of every slice."""
        return [(kind, row.latest()) for kind, row in list(self.rows.items())]

    def _transitions_for(self, kind: type) -> tuple[Transition, ...]:
        found = self._transitions.get(kind)
        return self._first_transitions_for(kind) if found is None else found

    def _first_transitions_for(self, kind: type) -> tuple[Transition, ...]:
        if issubclass(kind, type):
            raise TypeError("dispatch takes an event, not a class of events: dispatch an instance")
        with self.lock:
            reducers = self._reducers.get(kind) or {kind: (cast("AnyReducer", append),)}
            found = self._transitions[kind] = transitions.transitions_for(reducers, self._row)
            if len(found) == 1 and isinstance(found[0], Append):
                self._appended[kind] = found[0].row
                self.hurry(allowed=self._hurries)
        return found

    def _row(self, kind: type) -> SliceValues[object]:
        return self.rows.setdefault(kind, SliceValues())
