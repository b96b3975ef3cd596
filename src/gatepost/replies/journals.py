"""What journals answer."""

from typing import Any

from msgspec import Struct

from gatepost.replies.reply import Reply


class SessionChanged(Reply, frozen=True, kw_only=True):
    """How far a session is."""

    session: str
    revision: int
    events: list[dict[str, Any]]
    changed: bool


class SessionPart(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry, or a piece of a state, as it was given. Pieces with one `seq` are one state."""

    seq: int
    entry: str | None = None
    state: str | None = None


class SessionHistoryReply(Reply, frozen=True, kw_only=True):
    """What was kept, oldest first. With a `cursor` there is more."""

    session: str
    revision: int
    kept: list[SessionPart]
    cursor: str | None = None
