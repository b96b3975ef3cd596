"""What all replies have in common."""

from msgspec import UNSET, Struct, UnsetType


class Reply(Struct, frozen=True, kw_only=True):
    """What is answered. That of a write also has `revision`, `events` and `changed`.

    `redacted` says how many credentials were replaced in what was stored.
    """

    redacted: int | UnsetType = UNSET
