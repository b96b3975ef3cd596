"""The three built-in reducers. They need no context, so they accept any."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


def append(state: tuple[T, ...], event: T, *, context: object) -> tuple[T, ...]:  # noqa: ARG001 - a reducer
    """Add the event at the end. The cost does not depend on the slice's length."""
    return (*state, event)


def replace_latest(state: tuple[T, ...], event: T, *, context: object) -> tuple[T, ...]:  # noqa: ARG001
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

    def __call__(self, state: tuple[T, ...], event: T, *, context: object) -> tuple[T, ...]:  # noqa: ARG002
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
