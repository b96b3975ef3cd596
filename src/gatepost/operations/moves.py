"""Moves: a task to another plan, a step with everything below it to another parent."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from gatepost.domain import moves, places
from gatepost.domain.documents import Document, Member
from gatepost.domain.events import StepMoved
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step
from gatepost.engine import policies
from gatepost.engine.draft import Draft
from gatepost.engine.former_places import relocated
from gatepost.engine.reader import Found
from gatepost.operations.fields import PlanId
from gatepost.operations.registry import operation
from gatepost.operations.roots import check_dependencies
from gatepost.operations.step_commands import (
    StepCommand,
    check_selected,
    name_of,
    outcome,
    path_or_id,
    select_member,
)
from gatepost.operations.steps import reopen_from, reopen_roots
from gatepost.replies.root_writes import Moved

Parent = Annotated[str, Meta(max_length=200, description="The step to move it below: its path or id.")]


class Move(StepCommand[Moved], frozen=True, kw_only=True):
    """Move a task or a step."""

    parent: Parent | UnsetType | None = UNSET
    plan: PlanId | UnsetType | None = UNSET


@operation("tasks_move", "tasks")
def move(draft: Draft, command: Move) -> Moved:
    """Move a task to another `plan` (null: to none), or a step, with everything below it, below another `parent`
    (none: the task). It becomes the last one there. Ids stay; a step has a new path."""
    check_selected(command)
    _check(command)
    root = draft.root_at(command.task, command.expected_revision)
    if not isinstance(root.value, Task):
        raise InvalidInput([("task", f"{command.task} is a plan; tasks and their steps can be moved")])
    task = Found(root.place, root.value, root.tally)
    if command.plan is UNSET:
        return _move_member(draft, task, select_member(draft, root, command), command.parent or None)
    if command.plan is not None:
        draft.root(command.plan, field="plan")
    return _move_task(draft, task, command.plan)


def _check(command: Move) -> None:
    """Refuse a call that moves neither a task nor a step, or both."""
    selected = command.path is not None or command.step_id is not None
    if selected and command.plan is not UNSET:
        raise InvalidInput([("plan", "applies only when you move a task; a step cannot leave its task")])
    if not selected and command.parent is not UNSET:
        raise InvalidInput([("parent", "needs `step_id` or `path`, which name the step to move")])
    if not selected and command.plan is UNSET:
        raise InvalidInput([("plan", "is required to move a task; `step_id` or `path`, to move a step of it")])


def _move_task(draft: Draft, task: Found[Task], plan: str | None) -> Moved:
    value, events = moves.to_plan(task.value, plan)
    for event in events:
        check_dependencies(draft, value)
        held = policies.holding(draft, task.place)
        draft.put(task.place, value)
        loosened = policies.looser(held, policies.holding(draft, task.place))
        draft.log(task.place, replace(event, loosened=loosened))
        if plan is not None and not value.done:
            reopen_roots(draft, places.at_id(plan), value.id)
    return Moved(task=value.id, plan=plan, moved=1, **outcome(draft, task.place))


def _move_member(draft: Draft, task: Found[Task], found: Found[Member], parent: str | None) -> Moved:
    over: Found[Document] = task
    if parent is not None:
        over = draft.member(task, *path_or_id("parent", parent), field="parent")
    below = list(draft.spans(*places.below(found.place)))
    height = max(places.depth(item.place) for item in (found, *below)) - places.depth(found.place) + 1
    moves.check_parent(found.value, found.place, over.value, over.place, height)
    place = found.place if _is_last(draft, found, over.place) else _put_below(draft, found, below, over.place)
    if place != found.place and not found.value.done:
        reopen_from(draft, over.place, found.value.id)
    step = name_of(Found(place, found.value, found.tally))
    answered = outcome(draft, task.place, found.value.id)
    return Moved(task=task.value.id, step=step, moved=len(below) + 1, **answered)


def _is_last(draft: Draft, found: Found[Member], parent: str) -> bool:
    """Whether a step or task node is already below this parent, and the last of its kind there."""
    over, kind, _ = places.apart(found.place)
    after = places.below(found.place)[1], places.after(over, kind)
    return over == parent and not draft.span(*after, 1)


def _put_below(draft: Draft, found: Found[Member], below: list[Found[Document]], parent: str) -> str:
    """Move a step or task node, with everything below it, below another parent. Returns its new place."""
    held = policies.holding(draft, found.place)
    old, new = found.place, draft.new_place(parent, places.apart(found.place)[1])
    for item in (found, *below):
        if isinstance(item.value, Step | Node):
            place = places.moved(item.place, old, new)
            draft.relocate(item.place, place, relocated(draft, item.value, item.place, place))
    event = StepMoved(
        from_=places.path_of(old),
        to=places.path_of(new),
        loosened=policies.looser(held, policies.holding(draft, new)),
    )
    draft.log(places.root_of(new), event, Found(new, found.value, found.tally))
    return new
