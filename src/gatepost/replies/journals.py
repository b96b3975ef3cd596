"""The replies about durable sessions."""

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, Reply, WriteReply


class SessionChanged(WriteReply, frozen=True, kw_only=True):
    """The session, and its revision now."""

    session: str
    revision: int
    events: tuple[BriefEvent, ...]


class SessionPart(Part, frozen=True, kw_only=True):
    """An entry, or a piece of a state, as it was given. Pieces with the same `seq` form one state."""

    seq: int
    entry: str | None = None
    state: str | None = None


class SessionHistoryReply(Reply, frozen=True, kw_only=True):
    """What was stored, oldest first. `cursor` is null on the last page."""

    session: str
    revision: int
    kept: tuple[SessionPart, ...]
    cursor: str | None
