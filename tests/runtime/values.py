"""Values and events that the tests of the session share, and reducers that do this and that."""

from dataclasses import dataclass
from typing import NoReturn

from gatepost.runtime import ReducerContext


@dataclass(frozen=True, slots=True)
class Note:
    """A value that is its own event."""

    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """A value with a key."""

    key: str
    worth: int


@dataclass(frozen=True, slots=True)
class Joker(Card):
    """A card that goes by another way."""


@dataclass(frozen=True, slots=True)
class Count:
    """How far we are."""

    number: int


@dataclass(frozen=True, slots=True)
class Increment:
    """One more."""

    by: int = 1


@dataclass(frozen=True, slots=True)
class Echo:
    """Brings about so many notes."""

    times: int = 1


class Broken(Exception):
    """What a reducer raises that fails."""


def key_of(card: Card) -> str:
    """What a card is known by."""
    return card.key


def count(state: tuple[Count, ...], event: Increment, *, context: ReducerContext) -> tuple[Count, ...]:
    """Keep one number, and raise it."""
    number = state[-1].number if state else 0
    return (Count(number + event.by),)


def fail(state: tuple[object, ...], event: object, *, context: ReducerContext) -> NoReturn:
    """Never work."""
    raise Broken(f"no to {event}")
