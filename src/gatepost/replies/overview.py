"""The reply that shows a workspace at a glance."""

from gatepost.replies.events import LoggedEvent
from gatepost.replies.radar import RadarReply
from gatepost.replies.reply import Part, Reply
from gatepost.replies.roots import RootRow
from gatepost.replies.taskdocs import TaskdocRow


class OverviewRow(RootRow, frozen=True, kw_only=True):
    """A plan or task, with its last change; of a plan also the number of its tasks."""

    updated_at: str | None = None
    actor: str | None = None
    tasks: int | None = None


class MoreRows(Part, frozen=True, kw_only=True):
    """Whether there are more plans and tasks than are listed."""

    plans: bool
    tasks: bool


class TodoListRow(Part, frozen=True, kw_only=True):
    """A session's todo list, and how many items it has."""

    session: str
    items: int


class OpenWork(Part, frozen=True, kw_only=True):
    """How many tasks are not done and how many have blocked steps; `at_least` if counting stopped early."""

    tasks: int
    blocked: int
    at_least: bool = False


class OverviewReply(Reply, frozen=True, kw_only=True):
    """The workspace up to `seq`: radar, plans and tasks (open ones first), who was active, what happened last."""

    seq: int
    workspaces: tuple[str, ...]
    radar: RadarReply | None
    plans: tuple[OverviewRow, ...]
    tasks: tuple[OverviewRow, ...]
    more: MoreRows
    actors: tuple[LoggedEvent, ...]
    activity: tuple[LoggedEvent, ...]
    taskdocs: tuple[TaskdocRow, ...]
    sessions: tuple[TodoListRow, ...]
    open: OpenWork
