"""What overview answer."""

from typing import Any

from gatepost.replies.reply import Reply


class OverviewReply(Reply, frozen=True, kw_only=True):
    """The workspace up to `seq`: radar, plans and tasks (open ones first), who does what, and what there is else.

    `open` counts the tasks that are not done and the steps that are blocked; `at_least` if counting stopped early.
    """

    seq: int
    workspaces: list[str]
    radar: dict[str, Any] | None
    plans: list[dict[str, Any]]
    tasks: list[dict[str, Any]]
    more: dict[str, bool]
    actors: list[dict[str, Any]]
    activity: list[dict[str, Any]]
    taskdocs: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    open: dict[str, Any]
