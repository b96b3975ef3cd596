"""What history answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class HistoryReply(Reply, frozen=True, kw_only=True):
    """Operations, newest first."""

    operations: list[dict[str, Any]]
    has_more: bool
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


class Reversed(Reply, frozen=True, kw_only=True):
    """The operation taken back or brought back; `revision` is that of the task that was named, or of the first."""

    operation: int
    tool: str
    revision: int
    revisions: dict[str, int]
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET
