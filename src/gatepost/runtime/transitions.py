"""Transitions: what an event type does to each slice, first prepared, then applied.

Preparing runs user code and may fail; applying may not. So an event changes all its slices or none.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar, cast

from gatepost.runtime.reducers import UpsertBy, append, replace_latest
from gatepost.runtime.slice_values import KeyIndex, SliceValues

T = TypeVar("T")

AnyReducer = Callable[..., object]
PreparedChange = Callable[[], None]
Context = Callable[[], object]
"""Returns the context of an event, which is created when the first reducer needs it."""


class Transition(Protocol):
    """The effect of an event type on one slice."""

    def prepare(self, event: object, context: Context) -> PreparedChange:
        """Compute the change without applying it."""


def transitions_for(
    reducers: Mapping[type, Sequence[AnyReducer]], row: Callable[[type], SliceValues[object]]
) -> tuple[Transition, ...]:
    """The transitions of an event type, given its reducers for each slice."""
    return tuple(_transition(kind, row(kind), tuple(several)) for kind, several in reducers.items())


def check(kind: type, event: type, reducer: object) -> None:
    """Refuse a reducer that cannot work: not callable, or adding values of another type to the slice."""
    if not isinstance(event, type):
        raise TypeError(f"register({event!r}, …): the first argument must be the class of the events")
    if not callable(reducer):
        raise TypeError(f"register({event.__qualname__}, {reducer!r}): a reducer must be callable")
    if inspect.iscoroutinefunction(reducer):
        raise TypeError(
            f"{name(reducer)} is async. A reducer must return the new state directly. Await in a subscriber."
        )
    stores_events = reducer is append or reducer is replace_latest or isinstance(reducer, UpsertBy)
    if stores_events and not issubclass(event, kind):
        raise TypeError(
            f"{name(reducer)} would put a {event.__qualname__} into the slice of {kind.__qualname__}. Register a "
            f"reducer that makes a {kind.__qualname__} of it, or register on session[{event.__qualname__}]."
        )


def name(reducer: object) -> str:
    """A reducer's name for people."""
    if isinstance(reducer, UpsertBy):
        return f"upsert_by({name(reducer.key)})"
    return str(getattr(reducer, "__qualname__", reducer))


def _transition(kind: type, row: SliceValues[object], reducers: tuple[AnyReducer, ...]) -> Transition:
    if len(reducers) > 1:
        return Reduce(kind, row, reducers)
    (reducer,) = reducers
    if reducer is append:
        return Append(row)
    if reducer is replace_latest:
        return ReplaceLatest(row)
    if isinstance(reducer, UpsertBy):
        return Upsert(kind, row, reducer)
    return Reduce(kind, row, reducers)


class Append:
    """Adds the event at the end."""

    __slots__ = ("row",)

    def __init__(self, row: SliceValues[object]) -> None:
        self.row: Final = row

    def prepare(self, event: object, context: Context) -> PreparedChange:  # noqa: ARG002 - a transition
        """Needs no computation."""
        return partial(self.row.add, event)


class ReplaceLatest:
    """Keeps only the event."""

    __slots__ = ("_row",)

    def __init__(self, row: SliceValues[object]) -> None:
        self._row: Final = row

    def prepare(self, event: object, context: Context) -> PreparedChange:  # noqa: ARG002 - a transition
        """Needs no computation."""
        return partial(self._row.put, (event,))


class Upsert:
    """Replaces the value with the event's key, found by an index."""

    __slots__ = ("_index", "_kind", "_reducer", "_row")

    def __init__(self, kind: type, row: SliceValues[object], reducer: UpsertBy[object]) -> None:
        self._kind: Final = kind
        self._row: Final = row
        self._reducer: Final = reducer
        self._index: Final = KeyIndex(reducer.key)

    def prepare(self, event: object, context: Context) -> PreparedChange:  # noqa: ARG002 - a transition
        """Find the position. If other reducers added several values with the key, go through all values."""
        row = self._row
        try:
            place, several = self._index.find(row, self._reducer.key(event))
            if several:
                return partial(row.put, self._reducer.within(row.all(), event))
        except BaseException as error:
            error.add_note(_note(event, self._reducer, self._kind))
            raise
        if place is None:
            return partial(row.add, event)
        return partial(self._index.replace, row, place, event)


class Reduce:
    """Runs reducers, each on the result of the one before."""

    __slots__ = ("_kind", "_reducers", "_row")

    def __init__(self, kind: type, row: SliceValues[object], reducers: tuple[AnyReducer, ...]) -> None:
        self._kind: Final = kind
        self._row: Final = row
        self._reducers: Final = reducers

    def prepare(self, event: object, context: Context) -> PreparedChange:
        """Run them."""
        before = state = self._row.all()
        for reducer in self._reducers:
            try:
                state = _tuple(reducer(state, event, context=context()), reducer)
            except BaseException as error:
                error.add_note(_note(event, reducer, self._kind))
                raise
        return _nothing if state is before else partial(self._row.put, state)


def _note(event: object, reducer: object, kind: type) -> str:
    return (
        f"{name(reducer)} was processing a {type(event).__qualname__} for the slice of {kind.__qualname__}; "
        "no slice was changed."
    )


def _tuple(given: object, reducer: AnyReducer) -> tuple[object, ...]:
    # A named tuple is a value, not a state: the reducer forgot to put it into a tuple.
    if type(given) is not tuple:
        raise TypeError(
            f"{name(reducer)} returned a {type(given).__qualname__}: a reducer must return the slice's new "
            "state as a tuple, as in `return (*state, value)`."
        )
    return cast("tuple[object, ...]", given)


def _nothing() -> None:
    """Change nothing."""
