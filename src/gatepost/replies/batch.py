"""The reply of a batch."""

from typing import Any

from gatepost.replies.reply import WriteReply


class Batched(WriteReply, frozen=True, kw_only=True):
    """The reply or error of each call, in order, and the revisions of what they changed."""

    results: tuple[dict[str, Any], ...]
    revisions: dict[str, int] | None = None
    changed: bool
    warnings: tuple[str, ...] | None = None
