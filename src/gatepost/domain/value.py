"""The base of all state: frozen, keyword-only, and without fields at their default when encoded."""

from _thread import RLock
from typing import Any, Final, TypeVar

from msgspec import Struct, json

T = TypeVar("T")

_preparing: Final = RLock()
_prepared: Final[set[Any]] = set()


class Value(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An immutable piece of state. Equal values encode to equal bytes."""


class Event(Value, frozen=True, kw_only=True, tag_field="type"):
    """One event. `task_status` is set by work that made a task ACTIVE; `taskdoc` is a renamed taskdoc's current
    name.
    """

    task_status: str | None = None
    taskdoc: str | None = None


class Stamp(Struct, frozen=True):
    """Who did something, and when (RFC 3339, UTC)."""

    at: str
    actor: str


def prepared(kind: T) -> T:
    """A type that can be decoded by any thread. Every type that msgspec decodes passes through here or `decoder`.

    msgspec works out what a type holds when it first meets the type. A second thread that meets it meanwhile uses
    the unfinished result, and the process crashes.
    """
    try:
        if kind in _prepared:
            return kind
    except TypeError:  # some annotations have no hash
        decoder(kind)
        return kind
    decoder(kind)
    _prepared.add(kind)
    return kind


def decoder(kind: Any) -> json.Decoder[Any]:
    """A decoder of JSON texts of a type."""
    with _preparing:
        return json.Decoder(kind)
