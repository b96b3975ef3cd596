"""What radar answer."""

from typing import Any

from gatepost.replies.reply import Reply


class RadarReply(Reply, frozen=True, kw_only=True):
    """Now, why, verify, next, blockers."""

    target: dict[str, Any] | None
    now: dict[str, Any] | None
    why: dict[str, Any] | None
    verify: dict[str, Any] | None
    next: dict[str, Any]
    blockers: list[dict[str, Any]]
    counts: dict[str, Any]
    budget: dict[str, Any]
