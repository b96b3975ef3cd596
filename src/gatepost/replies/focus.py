"""What focus answer."""

from typing import Any

from msgspec import Struct

from gatepost.replies.reply import Reply


class InFocus(Struct, frozen=True, kw_only=True):
    """A plan or task by its id and title."""

    id: str
    title: str


class FocusReply(Reply, frozen=True, kw_only=True):
    """What is in focus, and the focus's own revision."""

    focus: InFocus | None
    revision: int


class FocusChanged(Reply, frozen=True, kw_only=True):
    """What is in focus now; `revision` is the focus's own."""

    focus: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
