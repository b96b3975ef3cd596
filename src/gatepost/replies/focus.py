"""The replies about the focus."""

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, Reply, WriteReply


class InFocus(Part, frozen=True, kw_only=True):
    """A plan or task by its id and title."""

    id: str
    title: str


class FocusReply(Reply, frozen=True, kw_only=True):
    """What is in focus, and the focus's own revision."""

    focus: InFocus | None
    revision: int


class FocusChanged(WriteReply, frozen=True, kw_only=True):
    """What is in focus now. `revision` is the focus's own."""

    focus: str | None
    revision: int
    events: tuple[BriefEvent, ...]
