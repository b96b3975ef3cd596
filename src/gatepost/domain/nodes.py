"""Task nodes: tasks inside a step's plan. They have a status instead of checkpoints; the steps below prove them."""

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gatepost.domain.claims import Claim
from gatepost.domain.refusals import StepAddress
from gatepost.domain.roots import DONE, Priority, Status
from gatepost.domain.value import Event, Value

if TYPE_CHECKING:
    from gatepost.domain.gate import OpenBelow


class Node(Value, frozen=True, kw_only=True, tag="node", tag_field="kind"):
    """A task inside a step."""

    id: str
    title: str
    status: Status = "TODO"
    priority: Priority = "MEDIUM"
    description: str | None = None
    claim: Claim | None = None
    formerly: tuple[str, ...] = ()
    """The paths that it had before it was moved."""

    @property
    def done(self) -> bool:
        """Whether the node is complete."""
        return self.status == DONE


def added(node: Node) -> Event:
    """The event of a new node."""
    from gatepost.domain.events import TaskNodeAdded

    return TaskNodeAdded(title=node.title)


def define(
    node: Node, where: StepAddress, below: "OpenBelow", changes: dict[str, Any]
) -> tuple[Node, tuple[Event, ...]]:
    """Set the given fields that differ. DONE requires everything below to be done."""
    from gatepost.domain.events import TaskNodeDefined

    fields = tuple(name for name, value in changes.items() if getattr(node, name) != value)
    if not fields:
        return node, ()
    if changes.get("status") == DONE and not node.done:
        from gatepost.domain import gate

        gate.pass_open(where, blocked=False, reason=None, below=below)
    changed = replace(node, **{name: changes[name] for name in fields})
    return (replace(changed, claim=None) if changed.done else changed), (TaskNodeDefined(fields=fields),)


def reopen(node: Node, because: str) -> tuple[Node, tuple[Event, ...]]:
    """Reopen a node that has open work below it."""
    from gatepost.domain.events import TaskNodeDefined

    if not node.done:
        return node, ()
    return replace(node, status="ACTIVE"), (TaskNodeDefined(fields=("status",), because=because),)
