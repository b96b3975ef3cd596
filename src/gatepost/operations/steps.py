"""Steps: add, define, prove, close, reopen."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict

from gatepost.domain import nodes, places, roots, step_rules
from gatepost.domain.checkpoints import CHECKPOINTS, CheckpointMark, Marks
from gatepost.domain.documents import Member
from gatepost.domain.events import StepsAdded
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.roots import Root
from gatepost.domain.step_rules import Change
from gatepost.domain.steps import Step
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found, address
from gatepost.operations import editable
from gatepost.operations.checkmarks import Checkmarks
from gatepost.operations.demands import demand_on
from gatepost.operations.editable import MOST_STEPS, NewStep, NewSteps, StepChanges
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import (
    StepCommand,
    begin,
    check_selected,
    name_of,
    outcome,
    select_member,
    select_step,
)
from gatepost.replies.checks import StepClosed
from gatepost.replies.step_writes import StepChanged, StepsCreated
from gatepost.replies.steps import StepName
from gatepost.wire.prose import Note


class Decompose(StepCommand[StepsCreated], frozen=True, kw_only=True):
    """Add steps to a task, or below one of its steps."""

    steps: NewSteps


class Define(StepChanges[StepChanged], frozen=True, kw_only=True):
    """Change what a step says."""


class Verify(StepCommand[StepChanged], frozen=True, kw_only=True):
    """Confirm checkpoints."""

    checkpoints: Checkmarks


class Finish(StepCommand[StepChanged], frozen=True, kw_only=True):
    """Close a step that is proven."""


class CloseStep(StepCommand[StepClosed], frozen=True, kw_only=True):
    """Confirm and close."""

    checkpoints: Checkmarks | None = None
    run_checks: bool = False


class Progress(StepCommand[StepChanged], frozen=True, kw_only=True):
    """Close or reopen."""

    completed: bool
    force: bool = False
    reason: Note | None = None


@operation("tasks_decompose", "core", "tasks")
def decompose(draft: Draft, command: Decompose) -> StepsCreated:
    """Add steps to a task, or below one of its steps. They can nest."""
    check_new_steps(command.steps)
    check_selected(command)
    root = draft.root_at(command.task, command.expected_revision)
    if not places.is_task(root.place):
        raise InvalidInput([("task", f"{command.task} is a plan; steps belong to tasks")])
    parent: Found[Any] = root
    if command.path is not None or command.step_id is not None:
        parent = select_member(draft, root, command)
    made = add_steps(draft, parent.place, command.steps)
    event = StepsAdded(count=len(made), first=made[0].path, last=places.path_of(_last(draft, parent.place)))
    draft.log(root.place, event, parent if parent is not root else None)
    reopen_from(draft, parent.place, made[0].step_id)
    known = None if parent is root else parent.value.id
    return StepsCreated(task=command.task, steps=tuple(made), **outcome(draft, root.place, known))


@operation("tasks_define", "core", "tasks")
def define(draft: Draft, command: Define) -> StepChanged:
    """Change what a step says; null clears. New criteria, tests or checks void their confirmation."""
    changes = editable.changes(command)
    misplaced = {"approval", "stale"} & set(changes["policy"].given if changes.get("policy") else ())
    if misplaced:
        raise InvalidInput(
            [
                (f"policy.{name}", "cannot be set for a step: set it for the task or plan")
                for name in sorted(misplaced)
            ]
        )
    root, step = select_step(draft, command)
    change = step_rules.define(step.value, address(step), changes)
    return record_step(draft, root, step, change, begins=False)


@operation("tasks_verify", "tasks")
def verify(draft: Draft, command: Verify) -> StepChanged:
    """Confirm checkpoints of a step, or withdraw confirmations (confirmed: false), without closing it."""
    marks = marks_of(command.checkpoints)
    if not marks:
        raise InvalidInput([("checkpoints", "must name at least one checkpoint")])
    root, step = select_step(draft, command)
    demand = demand_on(draft, root, step)
    return record_step(draft, root, step, step_rules.verify(step.value, address(step), marks, draft.stamp, demand))


@operation("tasks_done", "tasks")
def finish(draft: Draft, command: Finish) -> StepChanged:
    """Close a step whose checkpoints are confirmed."""
    root, step = select_step(draft, command)
    demand = demand_on(draft, root, step)
    change = step_rules.finish(step.value, address(step), draft.open_below(step), draft.stamp, demand)
    return record_step(draft, root, step, change)


@operation("tasks_close_step", "core", "tasks")
def close_step(draft: Draft, command: CloseStep) -> StepClosed:
    """Close a step and confirm what you verified. `run_checks` runs its checks first."""
    marks = marks_of(command.checkpoints)
    if "criteria" not in marks and "tests" not in marks and not command.run_checks:
        raise _unnamed()
    root, step = select_step(draft, command)
    if not marks and not step.value.checks:
        raise _unnamed()
    demand = demand_on(draft, root, step)
    change = step_rules.close(step.value, address(step), draft.open_below(step), marks, draft.stamp, demand)
    return StepClosed(**asdict(record_step(draft, root, step, change)))


def _unnamed() -> InvalidInput:
    return InvalidInput([("checkpoints", "must name `criteria` or `tests`")])


@operation("tasks_progress", "tasks")
def progress(draft: Draft, command: Progress) -> StepChanged:
    """Close a step (completed: true, through the gate) or reopen it (false), which also reopens what depends on it
    being done. `force` with a `reason` skips unconfirmed checkpoints and is recorded."""
    if command.force and not command.completed:
        raise InvalidInput([("force", "can only be used to complete a step")])
    if command.force and command.reason is None:
        raise InvalidInput([("reason", "is required with `force`")])
    root, step = select_step(draft, command)
    where = address(step)
    if not command.completed:
        reply = record_step(draft, root, step, step_rules.reopen(step.value, reason=command.reason))
        if not reply.changed:
            return reply
        reopen_from(draft, places.above(step.place)[0], step.value.id)
        return _changed(draft, root, step)
    below, demand = draft.open_below(step), demand_on(draft, root, step)
    if command.force and command.reason is not None:
        change = step_rules.force(step.value, where, below, command.reason, draft.stamp, demand)
    else:
        change = step_rules.finish(step.value, where, below, draft.stamp, demand, reason=command.reason)
    return record_step(draft, root, step, change)


def check_new_steps(new: tuple[NewStep, ...]) -> None:
    """Refuse more steps than one call may carry, or deeper ones than a tree may have."""
    count, depth, layer = 0, 0, list(new)
    while layer:
        count += len(layer)
        depth += 1
        layer = [below for step in layer for below in step.steps]
    if depth > places.MAX_DEPTH:
        raise InvalidInput([("steps", f"are nested {depth} deep; a tree has at most {places.MAX_DEPTH} levels")])
    if count > MOST_STEPS:
        raise TooLarge(
            f"`steps` holds {count:,} steps; the limit for one call is {MOST_STEPS:,}.",
            "Send them in several calls.",
        )


def add_steps(draft: Draft, parent: str, new: tuple[NewStep, ...]) -> list[StepName]:
    """Create steps below a place, in the order given, each before its own steps."""
    if places.depth(parent) >= places.MAX_DEPTH:
        deepest = places.path_of(parent)
        raise InvalidInput([("steps", f"go deeper than {places.MAX_DEPTH} levels, below {deepest}")])
    made = []
    for item in new:
        place, step_id = draft.new_step(parent)
        draft.put(place, editable.new_step(step_id, item))
        made.append(StepName(step_id=step_id, path=places.path_of(place)))
        if item.steps:
            made.extend(add_steps(draft, place, item.steps))
    return made


def reopen_roots(draft: Draft, root: str, because: str) -> None:
    """A task that holds open work is not done, nor is a plan that holds an open task."""
    found = draft.at(root)
    if found is None or not isinstance(found.value, roots.Plan | roots.Task):
        return
    value, events = roots.reopen(found.value, because)
    for event in events:
        draft.put(root, value)
        draft.log(root, event)
    if isinstance(value, roots.Task) and value.plan is not None and not value.done:
        plan = places.of_id(value.plan)
        if plan is not None:
            reopen_roots(draft, plan, value.id)


def record_step(
    draft: Draft, root: Found[Root], step: Found[Step], change: Change, *, begins: bool = True
) -> StepChanged:
    """Write a change of a step, and answer with what it did."""
    value, events = change
    if events:
        draft.put(step.place, value)
        if begins:
            events = (begin(draft, root, events[0]), *events[1:])
        for event in events:
            draft.log(root.place, event, step)
    return _changed(draft, root, Found(step.place, value, step.tally))


def _changed(draft: Draft, root: Found[Root], step: Found[Step]) -> StepChanged:
    return StepChanged(task=root.value.id, step=name_of(step), **outcome(draft, root.place, step.value.id))


def reopen_from(draft: Draft, place: str, because: str) -> None:
    """Reopen what is done from a place upwards."""
    for over in (place, *places.above(place)):
        found = draft.at(over)
        if found is not None and isinstance(found.value, Step | Node):
            value, events = _reopened(found.value, because)
            for event in events:
                draft.put(over, value)
                draft.log(places.root_of(over), event, Found(over, value, found.tally))
    reopen_roots(draft, places.root_of(place), because)


def _reopened(member: Member, because: str) -> tuple[Member, tuple[Event, ...]]:
    if isinstance(member, Node):
        return nodes.reopen(member, because)
    return step_rules.reopen(member, because=because)


def _last(draft: Draft, parent: str) -> str:
    return places.child(parent, places.STEP, draft.tally(parent).next_step - 1)


def marks_of(given: Checkmarks | None) -> Marks:
    """What a call says of checkpoints."""
    if given is None:
        return {}
    return {
        name: CheckpointMark(confirmed=mark.confirmed, note=None if mark.note is UNSET else mark.note)
        for name in CHECKPOINTS
        if (mark := getattr(given, name)) is not UNSET
    }
