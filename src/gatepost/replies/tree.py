"""What tree answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class TreeReply(Reply, frozen=True, kw_only=True):
    """The task, the step or task node that was named, the step that is worked on, and rows of children.

    `children` is how many numbers were given, at the least as many as there are children; none if there are none.
    """

    target: dict[str, Any] | None
    now: dict[str, Any] | None
    children: int
    rows: list[dict[str, Any]]
    has_more: bool
    parent: dict[str, Any] | UnsetType = UNSET
