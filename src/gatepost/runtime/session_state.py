"""The state of a session: the values of each slice, and the reducers of each event type."""

import threading
from collections.abc import Mapping
from typing import Final, cast

from gatepost.runtime import transitions
from gatepost.runtime.reducers import append
from gatepost.runtime.slice_values import SliceValues, ValueRange
from gatepost.runtime.transitions import AnyReducer, Append, Context, PreparedChange, Transition


class SessionState:
    """Slices and reducers. One thread at a time may prepare and apply changes; reading needs no lock.

    The lock is held only briefly and never while user code runs, so any thread may wait for it.
    """

    __slots__ = ("_append_only", "_fast_path_enabled", "_reducers", "_transitions", "fast_path", "lock", "rows")

    def __init__(self) -> None:
        self.lock: Final = threading.RLock()
        self.rows: Final[dict[type, SliceValues[object]]] = {}
        self.fast_path: Final[dict[type, SliceValues[object]]] = {}
        """The slice of each event type that is only appended. Empty while the fast path is disabled."""
        self._append_only: Final[dict[type, SliceValues[object]]] = {}
        self._fast_path_enabled = True
        self._reducers: Final[dict[type, dict[type, tuple[AnyReducer, ...]]]] = {}
        self._transitions: Final[dict[type, tuple[Transition, ...]]] = {}

    def set_fast_path(self, *, enabled: bool) -> None:
        """Set whether events that are only appended may skip transitions."""
        with self.lock:
            self._fast_path_enabled = enabled
            if enabled:
                self.fast_path.update(self._append_only)
            else:
                self.fast_path.clear()

    def prepared(self, event: object, context: Context) -> list[PreparedChange]:
        """The changes of an event, not yet applied."""
        return [each.prepare(event, context) for each in self._transitions_for(type(event))]

    def make(self, changes: list[PreparedChange]) -> None:
        """Apply prepared changes. A snapshot sees all of them or none."""
        with self.lock:
            for change in changes:
                change()

    def register(self, kind: type, event: type, reducer: object) -> None:
        """Register a reducer for a slice and an exact event type."""
        with self.lock:
            by_slice = self._reducers.setdefault(event, {})
            present = by_slice.get(kind, ())
            if reducer not in present:
                by_slice[kind] = (*present, cast("AnyReducer", reducer))
                self._transitions.pop(event, None)
                self._append_only.pop(event, None)
                self.fast_path.pop(event, None)

    def kinds(self) -> set[type]:
        """The types of slices and events that reducers are registered for."""
        with self.lock:
            return {*self._reducers, *(kind for by_slice in self._reducers.values() for kind in by_slice)}

    def hold(self) -> dict[type, ValueRange[object]]:
        """The present values, which never change. The cost does not depend on their number."""
        with self.lock:
            return {kind: row.hold() for kind, row in self.rows.items()}

    def take(self, runs: Mapping[type, ValueRange[object]]) -> None:
        """Replace all slices by values that `hold` returned."""
        with self.lock:
            for kind in [*self.rows, *runs]:
                if kind in runs:
                    self._row(kind).take(runs[kind])
                else:
                    self.rows[kind].clear()

    def copied(self, other: "SessionState") -> None:
        """Copy another state with its reducers."""
        with other.lock:
            runs = other.hold()
            self._reducers.update({event: dict(by_slice) for event, by_slice in other._reducers.items()})  # noqa: SLF001
        self.take(runs)

    def forget(self) -> None:
        """Remove everything."""
        with self.lock:
            self._append_only.clear()
            self.fast_path.clear()
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
            raise TypeError("dispatch takes an event, not a class: dispatch an instance")
        with self.lock:
            reducers = self._reducers.get(kind) or {kind: (cast("AnyReducer", append),)}
            found = self._transitions[kind] = transitions.transitions_for(reducers, self._row)
            if len(found) == 1 and isinstance(found[0], Append):
                self._append_only[kind] = found[0].row
                self.set_fast_path(enabled=self._fast_path_enabled)
        return found

    def _row(self, kind: type) -> SliceValues[object]:
        return self.rows.setdefault(kind, SliceValues())
