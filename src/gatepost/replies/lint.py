"""What lint answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class LintReply(Reply, frozen=True, kw_only=True):
    """What was found, by name and by number; `at_least` says that there may be more than were counted."""

    target: dict[str, Any] | None
    findings: list[dict[str, Any]]
    count: int
    counts: dict[str, Any]
    has_more: bool
    at_least: bool | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET
