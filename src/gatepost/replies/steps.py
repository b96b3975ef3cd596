"""Steps and task nodes in replies: rows, details, and what writes to them answer."""

from gatepost.domain.checkpoints import Checkpoint, Confirmation, Optional
from gatepost.domain.roots import Priority, Status
from gatepost.replies.events import LoggedEvent
from gatepost.replies.reply import Part, WriteReply, cuttable


class StepName(Part, frozen=True, kw_only=True):
    """A step by its id and its path."""

    step_id: str
    path: str


class StepCounts(Part, frozen=True, kw_only=True):
    """How many steps there are below."""

    total: int
    done: int
    open: int
    blocked: int


class StepRow(Part, frozen=True, kw_only=True):
    """A step or task node in a list. `blocked` is the reason, or true; `status` is a task node's."""

    step_id: str
    path: str = cuttable("")
    title: str = cuttable("")
    done: bool
    counts: StepCounts | None = None
    status: Status | None = None
    blocked: str | bool | None = None
    unconfirmed: tuple[Checkpoint, ...] | None = None


class StepDetail(StepRow, frozen=True, kw_only=True):
    """A step or task node in full. A task node has a priority and a description; all else is a step's."""

    priority: Priority | None = None
    description: str | None = None
    criteria: tuple[str, ...] | None = None
    tests: tuple[str, ...] | None = None
    blockers: tuple[str, ...] | None = None
    required: tuple[Optional, ...] | None = None
    confirmed: tuple[Confirmation, ...] | None = None
    done_at: str | None = None


class StepChanged(WriteReply, frozen=True, kw_only=True):
    """A step changed, and its task with it."""

    task: str
    revision: int
    step: StepName
    events: tuple[LoggedEvent, ...]
    changed: bool


class StepsCreated(WriteReply, frozen=True, kw_only=True):
    """The new steps, each before the steps below it."""

    task: str
    revision: int
    steps: tuple[StepName, ...]
    events: tuple[LoggedEvent, ...]
    changed: bool


class Noted(WriteReply, frozen=True, kw_only=True):
    """The plan, task or step that the note was added to."""

    task: str
    revision: int
    step: StepName | None = None
    events: tuple[LoggedEvent, ...]
    changed: bool


class NodeChanged(WriteReply, frozen=True, kw_only=True):
    """A task node changed, and its task with it."""

    task: str
    revision: int
    node: StepName
    events: tuple[LoggedEvent, ...]
    changed: bool
