"""Plans and tasks in replies: headings, rows, details, and what writes to them answer."""

from typing import Any

from gatepost.domain.policies import Policy
from gatepost.domain.roots import Approval, Kind, Priority, Status
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, WriteReply, cuttable
from gatepost.replies.steps import StepName, StepRow, TaskWrite


class PartCounts(Part, frozen=True, kw_only=True):
    """How many there are, and how many of them are done and open."""

    total: int
    done: int
    open: int


class Counts(Part, frozen=True, kw_only=True):
    """How many steps there are below, and for a plan also how many tasks and checklist items."""

    total: int = cuttable(0)
    done: int = cuttable(0)
    open: int = cuttable(0)
    blocked: int = cuttable(0)
    tasks: PartCounts | None = None
    checklist: PartCounts | None = None


class Checklist(Part, frozen=True, kw_only=True):
    """A plan's checklist. `current` is the index of the item to do next."""

    steps: tuple[str, ...]
    current: int


class RootHeading(Part, frozen=True, kw_only=True):
    """The plan or task that a view is about."""

    id: str
    kind: Kind = cuttable("task")
    title: str = cuttable("")
    status: Status = cuttable("TODO")
    revision: int = cuttable(0)
    plan: str | None = None
    checklist: Checklist | None = None


class RootRow(Part, frozen=True, kw_only=True):
    """A plan or task in a list. `waiting_for` counts the dependencies that are not done, and an approval."""

    id: str
    kind: Kind = cuttable("task")
    title: str = cuttable("")
    status: Status
    revision: int = cuttable(0)
    counts: Counts = cuttable(Counts())
    priority: Priority = cuttable("MEDIUM")
    plan: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] | None = None
    waiting_for: int | None = None


class RootDetail(RootRow, frozen=True, kw_only=True):
    """A plan or task in full."""

    description: str | None = None
    context: str | None = None
    contract: str | None = None
    contract_data: dict[str, Any] | None = None
    created_at: str | None = None
    checklist: Checklist | None = None
    doc: str | None = None
    depends_on: tuple[str, ...] | None = None
    policy: Policy | None = None
    approved: Approval | None = None


class Created(WriteReply, frozen=True, kw_only=True):
    """The new plan or task, with its steps if it was given any."""

    id: str
    kind: Kind
    revision: int
    steps: tuple[StepName, ...] | None = None
    events: tuple[BriefEvent, ...]


class Edited(WriteReply, frozen=True, kw_only=True):
    """The plan or task that was edited."""

    task: str
    revision: int
    events: tuple[BriefEvent, ...]


class Completed(WriteReply, frozen=True, kw_only=True):
    """The plan or task, and its status now."""

    task: str
    status: Status
    revision: int
    events: tuple[BriefEvent, ...]


class Deleted(WriteReply, frozen=True, kw_only=True):
    """What was deleted, and how many documents with it. `unlinked` names what depended on it."""

    task: str
    revision: int
    deleted: int
    step: StepName | None = None
    unlinked: tuple[str, ...] | None = None
    events: tuple[BriefEvent, ...]


class Patched(TaskWrite, frozen=True, kw_only=True):
    """The task or plan that was patched, and the step if one was named."""

    step: StepName | None = None


class FieldChange(Part, frozen=True, kw_only=True):
    """One field before and after. Its values are whatever the field holds."""

    where: str
    field: str
    before: Any
    after: Any


class UnmetItem(Part, frozen=True, kw_only=True):
    """An open task, or a step and the checkpoints it still needs."""

    task: str | None = None
    step_id: str | None = None
    path: str | None = None
    missing: tuple[str, ...] | None = None


class Unmet(Part, frozen=True, kw_only=True):
    """Why the task cannot be completed: the refusal that it would get, and the steps that need something."""

    code: str
    message: str
    missing: tuple[UnmetItem | str, ...] | None = None
    open: int | None = None
    steps: tuple[StepRow, ...]


class TaskClosed(WriteReply, frozen=True, kw_only=True):
    """What changed, or without `apply` what would change, and what is unmet."""

    task: str
    applied: bool
    diff: tuple[FieldChange, ...]
    unmet: Unmet | None
    revision: int
    events: tuple[BriefEvent, ...]


class PlanChanged(WriteReply, frozen=True, kw_only=True):
    """The plan's checklist now, and the index of the item to do next."""

    plan: str
    revision: int
    steps: tuple[str, ...]
    current: int
    events: tuple[BriefEvent, ...]


class ContractChanged(WriteReply, frozen=True, kw_only=True):
    """The plan's contract now."""

    plan: str
    revision: int
    current: str | None
    contract_data: dict[str, Any] | None
    events: tuple[BriefEvent, ...]
