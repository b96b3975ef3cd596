"""What todos answer."""

from typing import Any

from gatepost.replies.reply import Reply


class TodosReply(Reply, frozen=True, kw_only=True):
    """A session's list."""

    items: list[str]
    session: str
    revision: int


class TodosWritten(Reply, frozen=True, kw_only=True):
    """A session's list as it is stored; the event in the log holds the items too."""

    items: list[str]
    session: str
    revision: int
    events: list[dict[str, Any]]
    changed: bool
