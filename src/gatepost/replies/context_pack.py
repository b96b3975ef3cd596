"""What context pack answer."""

from typing import Any

from gatepost.replies.radar import RadarReply


class ContextPackReply(RadarReply, frozen=True, kw_only=True):
    """The radar, and the delta: events, oldest first; `next` is the `since` of a tasks_delta that goes on."""

    delta: dict[str, Any]
