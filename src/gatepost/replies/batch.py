"""What batch answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class Batched(Reply, frozen=True, kw_only=True):
    """The reply of each call, in order; `revisions` of what was touched."""

    results: list[dict[str, Any]]
    revisions: dict[str, int] | UnsetType = UNSET
    changed: bool
    warnings: list[str] | UnsetType = UNSET
