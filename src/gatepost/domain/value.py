"""The base of all state: frozen, keyword-only, and without fields at their default when encoded."""

from msgspec import Struct


class Value(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An immutable piece of state. Equal values encode to equal bytes."""


class Stamp(Struct, frozen=True):
    """Who did something, and when (RFC 3339, UTC)."""

    at: str
    actor: str
