"""What resume answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class ResumeReply(Reply, frozen=True, kw_only=True):
    """What the last round left, the target, the step if one was named, what stands below, what happened last."""

    target: dict[str, Any] | None
    steps: list[dict[str, Any]]
    has_more: bool
    re_entry: dict[str, Any] | UnsetType = UNSET
    step: dict[str, Any] | UnsetType = UNSET
    tasks: list[dict[str, Any]] | UnsetType = UNSET
    evidence: list[dict[str, Any]] | UnsetType = UNSET
    events: list[dict[str, Any]] | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET
