"""Moves: a task to another plan, a step to another place in its task."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.documents import Document, Member
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step

if TYPE_CHECKING:  # every write looks at what was moved, and few move anything
    from gatepost.domain.events import TaskMoved

Changed = Iterable[tuple[str, Document | None, Document | None]]
"""Places, each with its document before and after."""


def to_plan(task: Task, plan: str | None) -> "tuple[Task, tuple[TaskMoved, ...]]":
    """Move a task to another plan, or to none. If it is already there, nothing changes."""
    if task.plan == plan:
        return task, ()
    from gatepost.domain.events import TaskMoved

    return replace(task, plan=plan), (TaskMoved(from_=task.plan, to=plan),)


def check_parent(member: Member, place: str, parent: Document, at: str, height: int) -> None:
    """Refuse a new parent that cannot hold what is moved, which is `height` levels high."""
    if at == place or at.startswith(place + "."):
        raise InvalidInput([("parent", f"must not be {places.path_of(place)} itself, or below it")])
    if isinstance(member, Node) and not isinstance(parent, Step):
        raise InvalidInput([("parent", f"must be a step: {member.id} is a task node, and only steps hold those")])
    depth = places.depth(at) + height
    if depth > places.MAX_DEPTH:
        says = f"is too deep: this would have {depth} levels, and a tree has at most {places.MAX_DEPTH}"
        raise InvalidInput([("parent", says)])


def arrivals(changed: Changed) -> dict[str, str]:
    """The places to which a step or task node was moved, each with the place that it came from."""
    moves = list(changed)
    left = {before.id: place for place, before, after in moves if isinstance(before, Step | Node) and after is None}
    return {
        place: left[after.id]
        for place, before, after in moves
        if before is None and isinstance(after, Step | Node) and after.id in left
    }
