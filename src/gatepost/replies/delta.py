"""What delta answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class DeltaReply(Reply, frozen=True, kw_only=True):
    """Events, oldest first; `next` is the `since` of the next page."""

    events: list[dict[str, Any]]
    next: int
    has_more: bool
    budget: dict[str, Any] | UnsetType = UNSET
