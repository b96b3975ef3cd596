"""The replies about todo lists."""

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Reply, WriteReply


class TodosReply(Reply, frozen=True, kw_only=True):
    """A session's todo list."""

    items: tuple[str, ...]
    session: str
    revision: int


class TodosWritten(WriteReply, frozen=True, kw_only=True):
    """A session's todo list as stored."""

    items: tuple[str, ...]
    session: str
    revision: int
    events: tuple[BriefEvent, ...]
