"""A tree, one level at a time: the children of one node from any of them on, however many there are.

A child goes by its number: steps by their ordinals, and after them the task nodes by theirs. A number is a place,
so a window anywhere among a hundred thousand siblings is one range. A deleted child leaves its number empty.
"""

from typing import Annotated, TypeGuard

from msgspec import Meta

from gatepost.domain import places
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Document, Member
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Root
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.engine.reader import Found, Reader
from gatepost.operations.claim_rows import row_claim, with_claims
from gatepost.operations.fields import RootId
from gatepost.operations.registry import Command, operation
from gatepost.operations.step_commands import name_of
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.operations.targets import find_target
from gatepost.replies.tree import TreeReply, TreeRow
from gatepost.views.root_rows import root_row
from gatepost.views.step_rows import step_row

Number = Annotated[
    int, Meta(ge=0, le=10**9, description="Start at the child with this number (`at`), or the next one.")
]
Window = Annotated[int, Meta(ge=1, le=500, description="The maximum number of rows.")]


class Tree(Command[TreeReply], frozen=True, kw_only=True):
    """Ask for the children of a task, a step or a task node."""

    task: RootId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    first: Number = 0
    limit: Window = 200


@operation("tasks_tree")
def tree(reader: Reader, command: Tree) -> TreeReply:
    """List what is directly below a task or one of its steps (path or step_id): steps, then task nodes, each with
    its number (`at`), starting at number `first`. A step_id alone selects its task."""
    task = find_target(reader, command.task or _home_of(reader, command.step_id), None)
    if task is None:
        return TreeReply(target=None, now=None, children=0, rows=(), has_more=False)
    if not places.is_task(task.place):
        asked = f"is {task.value.id}" if command.task else f"is required: the focus is {task.value.id}"
        raise InvalidInput([("task", f"{asked}, a plan; steps belong to tasks")])
    now = _now(reader, task)
    holder: Found[Document] = task
    parent: TreeRow | None = None
    if command.path is not None or command.step_id is not None:
        named = reader.member(task, command.path, command.step_id)
        holder, parent = named, _row(reader, named, now)
    found = _children(reader, holder, command.first, command.limit + 1)
    return TreeReply(
        target=with_claims(reader, task, root_row(task.value, task.tally)),
        now=None if now is None else name_of(now),
        children=_numbers(holder.tally),
        rows=tuple(_row(reader, child, now, _number(holder, child.place)) for child in found[: command.limit]),
        has_more=len(found) > command.limit,
        parent=parent,
    )


def _home_of(reader: Reader, step_id: str | None) -> str | None:
    """The task that a step belongs to, where it alone was named."""
    place = None if step_id is None else reader.find(step_id)
    return None if place is None else places.root_id(places.root_of(place))


def _now(reader: Reader, task: Found[Root]) -> Found[Member] | None:
    """The step that the task's radar shows."""
    return next(iter(reader.members(reader.ready(task))), None)


def _children(reader: Reader, holder: Found[Document], first: int, limit: int) -> list[Found[Member]]:
    """A limited number of children from an ordinal on. Their own descendants lie between them and are skipped.

    Children without anything below lie side by side: the more of them in a row, the more are read at once.
    """
    start, (_, end) = _place(holder, first), places.below(holder.place)
    found: list[Found[Member]] = []
    reach = 1
    while len(found) < limit:
        asked = min(reach, limit - len(found))
        page = list(filter(_is_member, reader.span(start, end, asked)))
        leaves = next((at for at, child in enumerate(page) if child.tally.total), len(page))
        found += page[: leaves + 1]
        if leaves < len(page):
            start, reach = places.below(page[leaves].place)[1], 1
        elif len(page) < asked:
            break
        else:
            start, reach = page[-1].place + "\0", 2 * reach
    return found


def _is_member(found: Found[Document]) -> TypeGuard[Found[Member]]:
    return isinstance(found.value, Step | Node)


def _place(holder: Found[Document], number: int) -> str:
    """The place of the child with an ordinal, whether or not it exists."""
    steps = holder.tally.next_step
    if number < steps:
        return places.child(holder.place, places.STEP, number)
    return places.child(holder.place, places.NODE, number - steps)


def _number(holder: Found[Document], place: str) -> int:
    _, kind, ordinal = places.apart(place)
    return ordinal if kind == places.STEP else holder.tally.next_step + ordinal


def _numbers(tally: Tally) -> int:
    return tally.next_step + tally.next_node if tally.total else 0


def _row(reader: Reader, found: Found[Member], now: Found[Member] | None, at: int | None = None) -> TreeRow:
    step = found.value if isinstance(found.value, Step) else None
    shown = step_row(found.place, found.value, found.tally, reader.is_stale)
    return TreeRow(
        at=at,
        kind="task" if step is None else "step",
        blocked=shown.blocked or False,
        now=now is not None and found.place == now.place,
        children=_numbers(found.tally),
        checkpoints={} if step is None else _checkpoints(step),
        provenance=shown.provenance,
        stale=shown.stale,
        claim=row_claim(reader, found.value),
        required=() if step is None else step.required,
        step_id=shown.step_id,
        path=shown.path,
        title=shown.title,
        done=shown.done,
        counts=shown.counts,
        status=shown.status,
        unconfirmed=shown.unconfirmed,
        forced=step is not None and step.done and bool(step.missing),
    )


def _checkpoints(step: Step) -> dict[Checkpoint, bool]:
    """The checkpoints that a step needs, and whether each is confirmed."""
    return {name: name not in step.missing for name in step.needed}
