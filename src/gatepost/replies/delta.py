"""The reply that lists events."""

from gatepost.replies.events import LoggedEvent
from gatepost.replies.reply import Reply


class DeltaReply(Reply, frozen=True, kw_only=True):
    """Events, oldest first. `next` is the `since` of the next page."""

    events: tuple[LoggedEvent, ...]
    next: int
    has_more: bool
