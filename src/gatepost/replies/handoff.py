"""What handoff answer."""

from typing import Any

from gatepost.replies.reply import Reply


class HandoffReply(Reply, frozen=True, kw_only=True):
    """Done (latest first), remaining (in tree order), risks; then the radar."""

    target: dict[str, Any] | None
    done: dict[str, Any]
    remaining: dict[str, Any]
    risks: dict[str, Any]
    now: dict[str, Any] | None
    why: dict[str, Any] | None
    verify: dict[str, Any] | None
    next: dict[str, Any]
    blockers: list[dict[str, Any]]
    counts: dict[str, Any]
    log: dict[str, Any]
    """The end of the log: its last `seq`, and the hash that covers everything up to it."""
    budget: dict[str, Any]
