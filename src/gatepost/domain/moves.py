"""Moves: where a task or a step goes, and what may not go there."""

from msgspec.structs import replace

from gatepost.domain.events import TaskMoved
from gatepost.domain.roots import Task


def to_plan(task: Task, plan: str | None) -> tuple[Task, tuple[TaskMoved, ...]]:
    """A task in another plan, or in none. In the plan that it is in already, nothing changes."""
    if task.plan == plan:
        return task, ()
    return replace(task, plan=plan), (TaskMoved(from_=task.plan, to=plan),)
