"""The hand-over: what the next shift has to know."""

from typing import Any, Final

from gatepost.domain import places, terms
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Step
from gatepost.engine.log import shown
from gatepost.engine.port import LAST_PLACE
from gatepost.engine.reader import Found, Reader
from gatepost.operations.elsewhere import elsewhere
from gatepost.operations.fields import Limit, MaxChars, PlanId, RootId
from gatepost.operations.lint import bare, blocked, scope_of, unproven, waiting, without_steps
from gatepost.operations.radar import OPEN, find_target, gather, nothing
from gatepost.operations.registry import Command, operation
from gatepost.replies.handoff import HandoffReply, LogEnd, Work, WorkItem
from gatepost.views import handoff as views
from gatepost.views import radar
from gatepost.views.budget import View

_LEAST_LOOKED_BACK: Final = 100
_NOTHING: Final = Work(count=0, items=())
_CLOSINGS: Final = ("step_done", "task_node_defined")


class Handoff(Command[HandoffReply], frozen=True, kw_only=True):
    """Ask for a shift report."""

    task: RootId | None = None
    plan: PlanId | None = None
    limit: Limit = 10
    max_chars: MaxChars | None = None


@operation("tasks_handoff", "tasks")
def hand_over(reader: Reader, command: Handoff) -> View[HandoffReply]:
    """Shift report for a task, a plan, or the focus: what is done, what remains, what is at risk, and the radar."""
    target = find_target(reader, command.task, command.plan)
    head = reader.head()
    end = LogEnd(seq=head.seq, hash=head.hash)
    if target is None:
        core = nothing(reader, command.max_chars)
        view = views.handoff(core, _NOTHING, _NOTHING, (), command.limit, end)
        return elsewhere(reader, "tasks_handoff", view)
    limit = command.limit
    scope = scope_of(reader, target)
    risks = (
        *waiting(reader, scope, limit),
        blocked(reader, scope, limit),
        unproven(reader, scope, limit),
        without_steps(scope),
        bare(reader, scope, limit),
    )
    if isinstance(target.value, Plan):
        done = Work(count=target.tally.tasks_done, items=_done_tasks(reader, target, limit))
        remaining = Work(count=target.tally.tasks_open, items=_open_tasks(reader, target, limit))
    else:
        done = Work(count=target.tally.done, items=_done_steps(reader, target, limit))
        remaining = Work(count=target.tally.open, items=_open_steps(reader, target, limit))
    core = radar.radar(command.workspace, gather(reader, target), command.max_chars)
    return views.handoff(core, done, remaining, risks, limit, end)


def _done_steps(reader: Reader, task: Found[Root], limit: int) -> tuple[WorkItem, ...]:
    """What was closed last and is still done, the latest first, as far as the end of the log tells."""
    found: dict[str, WorkItem] = {}
    for row in reader.recent(_looked_back(limit), task.place) if task.tally.done else ():
        if len(found) == limit:
            break
        if row.step_id is None or row.path is None or row.step_id in found:
            continue
        place = places.at_path(task.place, row.path)
        if place is None or shown(row)["type"] not in _CLOSINGS:
            continue
        for member in reader.members([place]):
            if member.value.done:
                title = member.value.title
                found[row.step_id] = WorkItem(step_id=row.step_id, path=row.path, title=title, at=row.at)
    return tuple(found.values())


def _open_steps(reader: Reader, task: Found[Root], limit: int) -> tuple[WorkItem, ...]:
    """The first open steps in tree order. Each is ready, blocked, or an ancestor of one of those. So the
    first postings of these two, with their ancestors, include the first open ones."""
    lowest = reader.among(((terms.NOW, terms.BLOCKED),), task.place, limit)
    over = {place for low in lowest for place in places.above(low)[:-1]}
    return tuple(
        WorkItem(
            step_id=member.value.id,
            path=places.path_of(member.place),
            title=member.value.title,
            blocked=isinstance(member.value, Step) and member.value.blocked,
        )
        for member in reader.members(sorted({*lowest, *over})[:limit])
    )


def _done_tasks(reader: Reader, plan: Found[Root], limit: int) -> tuple[WorkItem, ...]:
    """The tasks that were completed last, the latest first; then others that are done."""
    found: dict[str, WorkItem] = {}
    if not plan.tally.tasks_done:
        return ()
    for row in reader.recent(_looked_back(limit), None):
        if len(found) < limit and row.root is not None and shown(row)["type"] == "task_completed":
            _add_done(found, reader.at(row.root), plan, row.at)
    mine, done = (terms.plan(plan.value.id),), (terms.status("DONE"),)
    if len(found) < limit:
        for place in reader.postings((mine, done), "", LAST_PLACE, limit):
            _add_done(found, reader.at(place), plan, None)
    return tuple(found.values())[:limit]


def _add_done(found: dict[str, WorkItem], task: Found[Any] | None, plan: Found[Root], at: str | None) -> None:
    if task is None or not isinstance(task.value, Task) or task.value.plan != plan.value.id:
        return
    if task.value.done and task.value.id not in found:
        found[task.value.id] = WorkItem(task=task.value.id, title=task.value.title, at=at)


def _open_tasks(reader: Reader, plan: Found[Root], limit: int) -> tuple[WorkItem, ...]:
    mine = (terms.plan(plan.value.id),)
    found = reader.roots(reader.postings((mine, OPEN), "", LAST_PLACE, limit))
    return tuple(WorkItem(task=it.value.id, title=it.value.title, status=it.value.status) for it in found)


def _looked_back(limit: int) -> int:
    """How much of the log is read: a closing is one or two lines of it."""
    return max(_LEAST_LOOKED_BACK, 3 * limit)
