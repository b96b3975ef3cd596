"""How an event changes a slice: the reducer's shape, and the three that most slices need."""

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
    """Where and when an event is taken in. All reducers of one event get the same; `at` is in UTC."""

    session: "Session"
    at: datetime


class LazyContext:
    """Makes the context of one event when the first reducer asks; the built-in ones never do."""

    __slots__ = ("_at", "_made", "_session")

    def __init__(self, session: "Session", at: datetime | None = None) -> None:
        self._session = session
        self._at = at
        self._made: ReducerContext | None = None

    def __call__(self) -> ReducerContext:
        """The context, the same one for all."""
        if self._made is None:
            self._made = ReducerContext(session=self._session, at=self._at or self._session.now())
        return self._made


class Reducer(Protocol[S, E_contra]):
    """Answers with what a slice holds after an event, given what it holds. Pure: it changes nothing itself."""

    def __call__(self, state: tuple[S, ...], event: E_contra, /, *, context: ReducerContext) -> tuple[S, ...]: ...


def append(state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG001 - a reducer
    """Add the event to the end. Registered as it is, it costs the same at any length."""
    return (*state, event)


def replace_latest(state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG001
    """Keep the event and nothing else."""
    return (event,)


def upsert_by(key: Callable[[T], Hashable]) -> "UpsertBy[T]":
    """A reducer that puts the event in the place of the value with the same key, or else at the end.

    Keys are compared as in a dict. Registered as it is, it costs the same at any length, but for one copy of the
    slice after a snapshot. Two of the same key function are equal, and so registered once.
    """
    if not callable(key):
        raise TypeError(
            f"upsert_by({key!r}): give a function from a value to its key, as in upsert_by(lambda v: v.id)"
        )
    return UpsertBy(key)


@dataclass(frozen=True, slots=True)
class UpsertBy(Generic[T]):
    """What `upsert_by` makes."""

    key: Callable[[T], Hashable]

    def __call__(self, state: tuple[T, ...], event: T, *, context: ReducerContext) -> tuple[T, ...]:  # noqa: ARG002
        """The event stands where the first of its key stood; further ones of that key are gone."""
        return self.within(state, event)

    def within(self, state: tuple[T, ...], event: T) -> tuple[T, ...]:
        """The same, for those who have no context."""
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
