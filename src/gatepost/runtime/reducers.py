"""Reducers: how an event changes a slice, and three built-in reducers."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from gatepost.runtime.session import Session

T = TypeVar("T")
S = TypeVar("S")
E_contra = TypeVar("E_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducerContext:
    """The session and time of an event. All reducers of one event get the same context; `at` is in UTC."""

    session: "Session"
    at: datetime


class LazyContext:
    """Creates an event's context when the first reducer needs it. Built-in reducers never do."""

    __slots__ = ("_at", "_made", "_session")

    def __init__(self, session: "Session", at: datetime | None = None) -> None:
        self._session = session
        self._at = at
        self._made: ReducerContext | None = None

    def __call__(self) -> ReducerContext:
        """The context, the same object for all reducers."""
        if self._made is None:
            self._made = ReducerContext(session=self._session, at=self._at or self._session.now())
        return self._made


class Reducer(Protocol[S, E_contra]):
    """Returns a slice's new values, given its present values and an event. Pure: it changes nothing itself."""

    def __call__(self, state: tuple[S, ...], event: E_contra, /, *, context: ReducerContext) -> tuple[S, ...]: ...


def append(state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG001 - a reducer
    """Add the event at the end. The cost does not depend on the slice's length."""
    return (*state, event)


def replace_latest(state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG001
    """Keep only the event."""
    return (event,)


def upsert_by(key: Callable[[T], Hashable]) -> "UpsertBy[T]":
    """A reducer that replaces the value with the event's key, or else adds the event at the end.

    Keys are compared as in a dict. The cost does not depend on the slice's length, except for one copy of the slice
    after a snapshot. Two reducers with the same key function are equal, and so are registered once.
    """
    if not callable(key):
        raise TypeError(
            f"upsert_by({key!r}): give a function from a value to its key, as in upsert_by(lambda v: v.id)"
        )
    return UpsertBy(key)


@dataclass(frozen=True, slots=True)
class UpsertBy(Generic[T]):
    """The reducer that `upsert_by` returns."""

    key: Callable[[T], Hashable]

    def __call__(self, state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG002
        """Put the event where the first value with its key was, and drop further values with that key."""
        return self.within(state, event)

    def within(self, state: tuple[T, ...], event: T) -> tuple[T, ...]:
        """The same, without a context."""
        # A set of one compares as an index does: by hash, then identity, then equality.
        wanted = {self.key(event)}
        places = [place for place, value in enumerate(state) if self.key(value) in wanted]
        if not places:
            return (*state, event)
        first, *others = places
        doubles = set(others)
        return tuple(
            event if place == first else value for place, value in enumerate(state) if place not in doubles
        )
