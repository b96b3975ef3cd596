"""What context answer."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from gatepost.replies.reply import Reply


class ContextReply(Reply, frozen=True, kw_only=True):
    """Plans, then tasks, each in the order they were made.

    With `text`: those that say the words, hits in titles first, then the newest first; each with its best `hits`
    (`{in, path?, step_id?, seq?, snippet?}`), and the `taskdocs` that say them. `more_hits`: only the newest texts
    were looked at; `cursor` goes on with older ones, also from a page without items.
    """

    items: list[dict[str, Any]]
    has_more: bool
    taskdocs: list[dict[str, Any]] | UnsetType = UNSET
    more_hits: Annotated[bool, Meta(description="Older texts were not looked at: `cursor`.")] | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET
