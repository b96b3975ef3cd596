"""Events: one past-tense type each, named as on the wire. Where it happened is added when it is logged.

Those that only add to the log are in `records`.
"""

from functools import cache
from typing import Final, Union

import msgspec
from msgspec import field

from gatepost.domain.checkpoints import Checkpoint, CheckpointMark, Provenance
from gatepost.domain.questions import Via
from gatepost.domain.records import (
    EvidenceCaptured,
    MindCleared,
    SessionClosed,
    SessionKept,
    SessionOpened,
    StepClaimed,
    StepNoted,
    StepReleased,
    TodoCleared,
)
from gatepost.domain.value import Event, decoder


class PlanCreated(Event, frozen=True, kw_only=True, tag="plan_created"):
    title: str


class TaskCreated(Event, frozen=True, kw_only=True, tag="task_created"):
    title: str
    plan: str | None = None


class PlanEdited(Event, frozen=True, kw_only=True, tag="plan_edited"):
    fields: tuple[str, ...]


class TaskEdited(Event, frozen=True, kw_only=True, tag="task_edited"):
    fields: tuple[str, ...]


class TaskCompleted(Event, frozen=True, kw_only=True, tag="task_completed"):
    pass


class TaskReopened(Event, frozen=True, kw_only=True, tag="task_reopened"):
    """`because` names the step or task whose reopening or arrival reopened this one."""

    because: str | None = None
    status: str = "ACTIVE"


class StepsAdded(Event, frozen=True, kw_only=True, tag="steps_added"):
    """`first` and `last` are paths below one parent; the steps below them were added with them."""

    count: int
    first: str
    last: str


class StepDefined(Event, frozen=True, kw_only=True, tag="step_defined"):
    """`withdrawn` names the confirmations that the change made void."""

    fields: tuple[str, ...]
    withdrawn: tuple[Checkpoint, ...] = ()


class StepVerified(Event, frozen=True, kw_only=True, tag="step_verified"):
    """`provenance` says what each confirmation rests on, `evidence` is the `seq` of the event that captured it, and
    `signed` names what another actor had confirmed already. `commit` is the one that checks ran on.
    """

    checkpoints: dict[Checkpoint, CheckpointMark]
    provenance: dict[Checkpoint, Provenance] = field(default_factory=dict)
    evidence: dict[Checkpoint, int] = field(default_factory=dict)
    signed: tuple[Checkpoint, ...] = ()
    commit: str | None = None


class StepDone(Event, frozen=True, kw_only=True, tag="step_done"):
    """`forced` means that `missing` was skipped; `reason` says why."""

    forced: bool = False
    missing: tuple[Checkpoint, ...] = ()
    reason: str | None = None


class StepReopened(Event, frozen=True, kw_only=True, tag="step_reopened"):
    """`because` names the step whose reopening or arrival reopened this one; `withdrawn` the lost confirmations."""

    reason: str | None = None
    because: str | None = None
    withdrawn: tuple[Checkpoint, ...] = ()


class StepBlocked(Event, frozen=True, kw_only=True, tag="step_blocked"):
    """`ask` is a question, `options` are answers to choose from, `for` is who must answer."""

    reason: str | None = None
    ask: str | None = None
    options: tuple[str, ...] = ()
    for_: str | None = field(default=None, name="for")


class StepUnblocked(Event, frozen=True, kw_only=True, tag="step_unblocked"):
    """`answer` answers what the step waited for. `via: elicitation`: the user of the actor's client
    gave it.
    """

    reason: str | None = None
    answer: str | None = None
    via: Via | None = None


class StepDeleted(Event, frozen=True, kw_only=True, tag="step_deleted"):
    """`count` includes the steps below."""

    title: str
    count: int
    reason: str | None = None


class StepMoved(Event, frozen=True, kw_only=True, tag="step_moved", rename={"from_": "from"}):
    """A step or task node, with everything below it: its path before and now. `loosened` names what the policy
    demands less of there."""

    from_: str
    to: str
    loosened: tuple[str, ...] = ()


class TaskMoved(Event, frozen=True, kw_only=True, tag="task_moved", rename={"from_": "from"}):
    """The task's plan before and now, if any. `loosened` names what the policy demands less of there."""

    from_: str | None
    to: str | None
    loosened: tuple[str, ...] = ()


class TaskDeleted(Event, frozen=True, kw_only=True, tag="task_deleted"):
    title: str
    steps: int
    reason: str | None = None


class PlanDeleted(Event, frozen=True, kw_only=True, tag="plan_deleted"):
    title: str
    tasks: int
    reason: str | None = None


class PlanUpdated(Event, frozen=True, kw_only=True, tag="plan_updated"):
    fields: tuple[str, ...]


class ContractUpdated(Event, frozen=True, kw_only=True, tag="contract_updated"):
    fields: tuple[str, ...]


class PolicySet(Event, frozen=True, kw_only=True, tag="policy_set"):
    """`loosened` names the fields that demand less than before. No step: of the plan, task or workspace."""

    fields: tuple[str, ...]
    loosened: tuple[str, ...] = ()


class PlanApproved(Event, frozen=True, kw_only=True, tag="plan_approved"):
    note: str | None = None


class TaskPatched(Event, frozen=True, kw_only=True, tag="task_patched"):
    fields: tuple[str, ...]


class TaskNodeAdded(Event, frozen=True, kw_only=True, tag="task_node_added"):
    title: str


class TaskNodeDefined(Event, frozen=True, kw_only=True, tag="task_node_defined"):
    """`because` names the step whose reopening or arrival reopened the node."""

    fields: tuple[str, ...]
    because: str | None = None


class TaskNodeDeleted(Event, frozen=True, kw_only=True, tag="task_node_deleted"):
    title: str
    count: int
    reason: str | None = None


class OperationUndone(Event, frozen=True, kw_only=True, tag="operation_undone"):
    operation: int
    tool: str


class OperationRedone(Event, frozen=True, kw_only=True, tag="operation_redone"):
    operation: int
    tool: str


class FocusSet(Event, frozen=True, kw_only=True, tag="focus_set"):
    focus: str
    before: str | None = None


class FocusCleared(Event, frozen=True, kw_only=True, tag="focus_cleared"):
    before: str


class TodoWritten(Event, frozen=True, kw_only=True, tag="todo_written"):
    items: tuple[str, ...]


class DigestSet(Event, frozen=True, kw_only=True, tag="digest_set"):
    summary: str


class TaskdocCreated(Event, frozen=True, kw_only=True, tag="taskdoc_created"):
    """`because` says where it came from, if nobody created it here."""

    because: str | None = None


class TaskdocBound(Event, frozen=True, kw_only=True, tag="taskdoc_bound"):
    bound_to: str | None
    before: str | None = None


class TaskdocRenamed(Event, frozen=True, kw_only=True, tag="taskdoc_renamed"):
    before: str


class TaskdocArchived(Event, frozen=True, kw_only=True, tag="taskdoc_archived"):
    """`before` is the plan that it was bound to."""

    before: str | None = None


class TaskdocUnarchived(Event, frozen=True, kw_only=True, tag="taskdoc_unarchived"):
    pass


class SectionReplaced(Event, frozen=True, kw_only=True, tag="section_replaced"):
    """The section's new revision and its text's hash; `because` says how it changed, if not by change_mind.

    `author` and `written_at` belong to an adopted text that its package vouches for.
    """

    revision: int
    sha256: str
    bytes: int
    because: str | None = None
    author: str | None = None
    written_at: str | None = None


class PackageRestored(Event, frozen=True, kw_only=True, tag="package_restored"):
    """These files of the package, other than sections, were written again."""

    files: tuple[str, ...]


class PackageTampered(Event, frozen=True, kw_only=True, tag="package_tampered"):
    """An agent's tool call changed these files of the package (`.`: the package itself). They were restored."""

    files: tuple[str, ...]
    call: str


EVENTS: Final[tuple[type[Event], ...]] = (
    *(PlanCreated, TaskCreated, PlanEdited, TaskEdited, TaskCompleted, TaskReopened),
    *(StepsAdded, StepDefined, StepNoted, StepVerified, StepDone, StepReopened, StepBlocked, StepUnblocked),
    *(StepDeleted, TaskDeleted, PlanDeleted, PlanUpdated, ContractUpdated, TaskPatched),
    *(TaskNodeAdded, TaskNodeDefined, TaskNodeDeleted, EvidenceCaptured, OperationUndone, OperationRedone),
    *(PolicySet, PlanApproved, StepMoved, TaskMoved, StepClaimed, StepReleased),
    *(FocusSet, FocusCleared, TodoWritten, TodoCleared, DigestSet),
    *(TaskdocCreated, TaskdocBound, TaskdocRenamed, TaskdocArchived, TaskdocUnarchived),
    *(SectionReplaced, PackageRestored, PackageTampered, MindCleared),
    *(SessionOpened, SessionKept, SessionClosed),
)
TYPES: Final[tuple[str, ...]] = tuple(str(event.__struct_config__.tag) for event in EVENTS)


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return decoder(Union[EVENTS])  # noqa: UP007 - of a tuple


def is_event(body: str) -> bool:
    """Whether a stored text is an event. For readers of damaged stores."""
    try:
        _decoder().decode(body)
    except msgspec.MsgspecError:
        return False
    return True
