"""What callers say of checkpoints."""

from msgspec import UNSET, Struct, UnsetType

from gatepost.wire.prose import Note


class Checkmark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the caller says of one checkpoint."""

    confirmed: bool
    note: Note | UnsetType = UNSET


class Checkmarks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the caller says of the checkpoints it names."""

    criteria: Checkmark | UnsetType = UNSET
    tests: Checkmark | UnsetType = UNSET
    security: Checkmark | UnsetType = UNSET
    perf: Checkmark | UnsetType = UNSET
    docs: Checkmark | UnsetType = UNSET
