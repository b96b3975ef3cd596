"""The shape all state has: frozen, keyword-only, and silent about what is at its default."""

from msgspec import Struct


class Value(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An immutable piece of state. Equal values encode to equal bytes."""


class Stamp(Struct, frozen=True):
    """Who did something, and when (RFC 3339, UTC)."""

    at: str
    actor: str
