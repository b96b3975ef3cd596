"""What mirror answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class MirrorReply(Reply, frozen=True, kw_only=True):
    """Rows in tree order: path, step_id, title and status; of a plan: task, title and status."""

    target: dict[str, Any] | None
    items: list[dict[str, Any]]
    has_more: bool
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET
