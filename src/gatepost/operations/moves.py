"""Moves: a task to another plan, a step with everything below it to another parent."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from gatepost.domain import moves, places
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Task
from gatepost.engine import policies
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found
from gatepost.operations.fields import PlanId
from gatepost.operations.registry import operation
from gatepost.operations.roots import check_dependencies
from gatepost.operations.step_commands import StepCommand, check_selected, outcome
from gatepost.operations.steps import reopen_roots
from gatepost.replies.root_writes import Moved


class Move(StepCommand[Moved], frozen=True, kw_only=True):
    """Move a task or a step."""

    plan: PlanId | UnsetType | None = UNSET


@operation("tasks_move", "tasks")
def move(draft: Draft, command: Move) -> Moved:
    """Move a task to another `plan` (null: to none)."""
    check_selected(command)
    plan = command.plan
    if plan is UNSET:
        raise InvalidInput([("plan", "is required")])
    root = draft.root_at(command.task, command.expected_revision)
    if not isinstance(root.value, Task):
        raise InvalidInput([("task", f"{command.task} is a plan; tasks and their steps can be moved")])
    if plan is not None:
        draft.root(plan, field="plan")
    return _move_task(draft, Found(root.place, root.value, root.tally), plan)


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
