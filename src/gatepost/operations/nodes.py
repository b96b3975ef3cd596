"""Task nodes: tasks inside a step, with steps of their own."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from gatepost.domain import nodes, places
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import DONE, Priority, Root, Status
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found, address
from gatepost.operations.deletion import remove_member
from gatepost.operations.demands import check_approved
from gatepost.operations.fields import RootId
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import StepCommand, begin, name_of, outcome, path_or_id, select_member
from gatepost.operations.steps import reopen_from
from gatepost.replies.step_writes import NodeChanged
from gatepost.wire.lines import Title
from gatepost.wire.prose import Prose

ParentStep = Annotated[str, Meta(max_length=200, description="The step that contains it: its path or id.")]


class AddNode(Write[NodeChanged], frozen=True, kw_only=True):
    """Add a task node to a step."""

    task: RootId
    parent_step: ParentStep
    title: Title
    status: Status = "TODO"
    priority: Priority = "MEDIUM"
    description: Prose | None = None


class DefineNode(StepCommand[NodeChanged], frozen=True, kw_only=True):
    """Change a task node."""

    title: Title | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    priority: Priority | UnsetType | None = UNSET
    description: Prose | UnsetType | None = UNSET


class DeleteNode(StepCommand[NodeChanged], frozen=True, kw_only=True):
    """Delete a task node and everything below it."""


@operation("tasks_task_add", "tasks")
def add_node(draft: Draft, command: AddNode) -> NodeChanged:
    """Add a task node inside a step (s:0.t:0). It can have steps of its own."""
    named = path_or_id("parent_step", command.parent_step)
    root = draft.root_at(command.task, command.expected_revision)
    parent = draft.step(root, *named, field="parent_step")
    if places.depth(parent.place) >= places.MAX_DEPTH:
        raise InvalidInput([("parent_step", f"is at the deepest of {places.MAX_DEPTH} levels")])
    if command.status == DONE:
        check_approved(draft, root)
    place, node_id = draft.new_node(parent.place)
    node = Node(
        id=node_id,
        title=command.title,
        status=command.status,
        priority=command.priority,
        description=command.description,
    )
    draft.put(place, node)
    draft.log(root.place, nodes.added(node), Found(place, node, draft.tally(place)))
    if not node.done:
        reopen_from(draft, parent.place, node_id)
    return _changed(draft, root, place, node)


@operation("tasks_task_define", "tasks")
def define_node(draft: Draft, command: DefineNode) -> NodeChanged:
    """Change a task node's title, status, priority or description. DONE requires that every step below it is
    done."""
    root, found = _select(draft, command)
    names = ("title", "status", "priority", "description")
    given = {name: value for name in names if (value := getattr(command, name)) is not UNSET}
    if given.get("priority", "") is None:
        given["priority"] = "MEDIUM"
    reopens = found.value.done and given.get("status", DONE) != DONE
    value, events = nodes.define(found.value, address(found), draft.open_below(found), given)
    record_node(draft, root, found, value, events)
    if reopens:
        reopen_from(draft, places.above(found.place)[0], value.id)
    return _changed(draft, root, found.place, value)


@operation("tasks_task_delete", "tasks", destructive=True)
def delete_node(draft: Draft, command: DeleteNode) -> NodeChanged:
    """Delete a task node and everything below it. Can be undone."""
    root, found = _select(draft, command)
    remove_member(draft, root, found)
    return _changed(draft, root, found.place, found.value)


def record_node(
    draft: Draft, root: Found[Root], found: Found[Node], value: Node, events: tuple[Event, ...]
) -> None:
    """Let a node be this. Wording it is planning; a new status is work."""
    if value.done and not found.value.done:
        check_approved(draft, root)
    for event in events:
        draft.put(found.place, value)
        said = begin(draft, root, event) if value.status != found.value.status else event
        draft.log(root.place, said, found)


def _select(draft: Draft, command: StepCommand[Any]) -> tuple[Found[Root], Found[Node]]:
    if command.path is None and command.step_id is None:
        raise InvalidInput([("path", "or `step_id` is required to select the task node")])
    root = draft.root_at(command.task, command.expected_revision)
    found = select_member(draft, root, command)
    if not isinstance(found.value, Node):
        field = "path" if command.step_id is None else "step_id"
        raise InvalidInput([(field, f"{address(found)} is a step, not a task node")])
    return root, Found(found.place, found.value, found.tally)


def _changed(draft: Draft, root: Found[Root], place: str, node: Node) -> NodeChanged:
    named = name_of(Found(place, node, draft.tally(place)))
    return NodeChanged(task=root.value.id, node=named, **outcome(draft, root.place, node.id))
