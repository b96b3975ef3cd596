"""Plans and tasks: what they share, and the rules for their status."""

from typing import Any, Final, Literal

from msgspec.structs import replace

from gatepost.domain.claims import Claim
from gatepost.domain.policies import Policy
from gatepost.domain.value import Event, Value

Status = Literal["TODO", "ACTIVE", "DONE"]
Priority = Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]
Kind = Literal["plan", "task"]

TODO: Final = "TODO"
ACTIVE: Final = "ACTIVE"
DONE: Final = "DONE"


class Approval(Value, frozen=True, kw_only=True):
    """Who allowed work on a plan, and when."""

    actor: str
    at: str
    note: str | None = None


class Plan(Value, frozen=True, kw_only=True, tag="plan", tag_field="kind"):
    """A container of tasks, with their contract."""

    id: str
    title: str
    status: Status = "TODO"
    description: str | None = None
    context: str | None = None
    priority: Priority = "MEDIUM"
    domain: str | None = None
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    contract: str | None = None
    contract_data: dict[str, Any] | None = None
    steps: tuple[str, ...] = ()
    current: int = 0
    doc: str | None = None
    policy: Policy | None = None
    approved: Approval | None = None
    created_at: str = ""

    @property
    def done(self) -> bool:
        """Whether the plan is complete."""
        return self.status == DONE

    @property
    def waits_for_approval(self) -> bool:
        """Whether a person must approve the plan before its tasks can be worked on."""
        wanted = self.policy is not None and self.policy.approval == "human"
        return wanted and self.approved is None and not self.done


class Task(Value, frozen=True, kw_only=True, tag="task", tag_field="kind"):
    """A piece of work, alone or in a plan, with a tree of steps."""

    id: str
    title: str
    status: Status = "TODO"
    plan: str | None = None
    description: str | None = None
    context: str | None = None
    priority: Priority = "MEDIUM"
    domain: str | None = None
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    policy: Policy | None = None
    created_at: str = ""
    claim: Claim | None = None
    """Holds the task with everything in it."""

    @property
    def done(self) -> bool:
        """Whether the task is complete."""
        return self.status == DONE


Root = Plan | Task


def edit(root: Root, changes: dict[str, Any]) -> tuple[Root, tuple[Event, ...]]:
    """Set the given fields that differ; the others stay."""
    fields = tuple(name for name, value in changes.items() if getattr(root, name) != value)
    if not fields:
        return root, ()
    return replace(root, **{name: changes[name] for name in fields}), (_edited(root, fields),)


def set_status(root: Root, status: Status) -> tuple[Root, tuple[Event, ...]]:
    """Set the status of a plan or task. The gate decides before whether it may be DONE."""
    from gatepost.domain.events import TaskCompleted, TaskReopened

    if status == root.status:
        return root, ()
    changed = replace(root, status=status)
    if status == DONE:
        ended = replace(changed, claim=None) if isinstance(changed, Task) else changed
        return ended, (TaskCompleted(),)
    if root.done:
        return changed, (TaskReopened(status=status),)
    return changed, (_edited(root, ("status",)),)


def checklist(plan: Plan, changes: dict[str, Any]) -> tuple[Plan, tuple[Event, ...]]:
    """Set the given fields of a plan's checklist. A new list starts at its beginning, unless the call says
    otherwise.
    """
    from gatepost.domain.events import PlanUpdated

    if "steps" in changes and changes["steps"] != plan.steps:
        changes = {"current": 0, **changes}
    fields = tuple(name for name, value in changes.items() if getattr(plan, name) != value)
    if not fields:
        return plan, ()
    return replace(plan, **{name: changes[name] for name in fields}), (PlanUpdated(fields=fields),)


def contract(plan: Plan, changes: dict[str, Any]) -> tuple[Plan, tuple[Event, ...]]:
    """Set the contract's text, its data, or both."""
    from gatepost.domain.events import ContractUpdated

    fields = tuple(name for name, value in changes.items() if getattr(plan, name) != value)
    if not fields:
        return plan, ()
    return replace(plan, **{name: changes[name] for name in fields}), (ContractUpdated(fields=fields),)


def shown_status(root: Root, begun: int) -> Status:
    """The status to show: a plan is ACTIVE once one of its tasks or its checklist has begun."""
    if isinstance(root, Plan) and root.status == TODO and (begun or root.current):
        return ACTIVE
    return root.status


def shown(root: Root, begun: int) -> Root:
    """A plan or task with the status to show."""
    status = shown_status(root, begun)
    return root if status == root.status else replace(root, status=status)


def begin(root: Root) -> Root:
    """Make something TODO ACTIVE with the first work on it."""
    return replace(root, status="ACTIVE") if root.status == TODO else root


def reopen(root: Root, because: str) -> tuple[Root, tuple[Event, ...]]:
    """Reopen a root that has open work."""
    from gatepost.domain.events import TaskReopened

    if not root.done:
        return root, ()
    return replace(root, status="ACTIVE"), (TaskReopened(because=because),)


def kind_of(root: Root) -> Kind:
    """ "plan" or "task"."""
    return "plan" if isinstance(root, Plan) else "task"


def _edited(root: Root, fields: tuple[str, ...]) -> Event:
    from gatepost.domain.events import PlanEdited, TaskEdited

    return PlanEdited(fields=fields) if isinstance(root, Plan) else TaskEdited(fields=fields)
