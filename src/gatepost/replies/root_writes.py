"""What calls that change plans and tasks answer. Reads do not load it."""

from gatepost.domain.roots import Kind, Status
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import JsonObject, JsonValue, Part, WriteReply
from gatepost.replies.step_details import StepRow
from gatepost.replies.step_writes import TaskWrite
from gatepost.replies.steps import StepName


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


class Moved(TaskWrite, frozen=True, kw_only=True):
    """The task and its plan now, or the step and its path now. `moved` counts it and everything below."""

    plan: str | None = None
    step: StepName | None = None
    moved: int


class Patched(TaskWrite, frozen=True, kw_only=True):
    """The task or plan that was patched, and the step if one was named."""

    step: StepName | None = None


class FieldChange(Part, frozen=True, kw_only=True):
    """One field before and after. Its values are whatever the field holds."""

    where: str
    field: str
    before: JsonValue
    after: JsonValue


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
    contract_data: JsonObject | None
    events: tuple[BriefEvent, ...]
