"""The context pack's reply: a radar and the latest events."""

from gatepost.replies.events import LoggedEvent
from gatepost.replies.radar import RadarReply
from gatepost.replies.reply import Part


class LatestEvents(Part, frozen=True, kw_only=True):
    """The latest events, oldest first. `next` is the `since` with which the delta continues; `earlier` says that
    older events were left out."""

    events: tuple[LoggedEvent, ...]
    next: int
    earlier: bool


class ContextPackReply(RadarReply, frozen=True, kw_only=True):
    """The radar, and the latest events."""

    delta: LatestEvents
