"""The way on: what a write to a task answers besides what it did, so that no radar is needed between two steps."""

from collections.abc import Callable, Collection
from typing import Any

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.checkpoints import ALWAYS
from gatepost.domain.roots import Root, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.engine.draft import Draft
from gatepost.engine.read_ahead import read_ahead, read_all_ahead
from gatepost.engine.reader import Found, Reader
from gatepost.operations.demands import demand_of
from gatepost.operations.notes import notes
from gatepost.replies.batch import Batched
from gatepost.replies.step_writes import NextStep, StepsLeft, TaskWrite


def with_way_on(draft: Draft, command: Any, change: Callable[[], Any]) -> Any:
    """The reply of a change, with the step to go on with and what is left. Replies about other things stay as they
    are."""
    task = getattr(command, "task", None)
    before = None if task is None else _ready_in(draft, task)
    reply = change()
    if isinstance(reply, TaskWrite):
        written = getattr(reply, "step", None)
        known = {before} if written is None else {before, written.step_id}
        waiting = before if written is not None and before != written.step_id else None
        return _added(draft, reply, reply.task, known, waiting)
    if isinstance(reply, Batched) and reply.changed:
        tasks = [name for name in reply.revisions or {} if name.startswith("TASK")]
        return _added(draft, reply, tasks[-1], (), None, named=True) if tasks else reply
    return reply


def _ready_in(draft: Draft, task: str) -> str | None:
    """The id of the step of a task that is to be done now; none if there is none, or no such task."""
    place = places.of_id(task)
    found = None if place is None else draft.at(place)
    if found is None or not isinstance(found.value, Task):
        return None
    root: Found[Root] = Found(found.place, found.value, found.tally)
    if found.tally.claimed:  # then it takes several reads, and rules read the plan as well
        plan = [] if found.value.plan is None else [places.at_id(found.value.plan)]
        read_all_ahead(draft, lambda scout: scout.all_at(plan), lambda scout: scout.members(scout.ready(root)))
    steps = draft.members(draft.ready(root))
    return steps[0].value.id if steps else None


def _added(
    draft: Draft,
    reply: Any,
    task: str,
    known: Collection[str | None],
    waiting: str | None,
    *,
    named: bool = False,
) -> Any:
    found = draft.at(places.at_id(task))
    if found is None or not isinstance(found.value, Task):
        return reply
    root: Found[Root] = Found(found.place, found.value, found.tally)
    now = next_step(draft, root, known, waiting)
    way = None
    if now is None:
        from gatepost.operations.radar import gather
        from gatepost.views.offers import next_offered
        from gatepost.views.radar import next_call

        way = next_offered(draft.caller.offer, next_call(draft.workspace, gather(draft, root)))
    left = steps_left(root.tally)
    if now is not None and named:
        now = replace(now, task=task)
    return replace(reply, now=now, left=left, next=reply.next or way)


def steps_left(tally: Tally) -> StepsLeft:
    """How much of a task is left."""
    return StepsLeft(open=tally.open, blocked=tally.blocked or None)


def next_step(
    reader: Reader,
    task: Found[Root],
    known: Collection[str | None] = (),
    waiting: str | None = None,
    claimed: Found[Any] | None = None,
) -> NextStep | None:
    """The step of a task to go on with: in full, or only its name and revision if the caller knows it.

    A step that was `waiting` while the caller wrote to another one may have an answer that is new to the caller.
    What the caller has just `claimed` goes before what it held already.
    """
    found = reader.members(_ready_at(reader, task, claimed) or reader.ready(task))
    if not found:
        return None
    step = found[0]
    value = step.value
    said: dict[str, Any] = {}
    if isinstance(value, Step) and value.id == waiting:
        said = {"answer": value.answer}
    elif isinstance(value, Step) and value.id not in known:
        at = Found(step.place, value, step.tally)
        read_ahead(reader, lambda scout: demand_of(scout, at), lambda scout: notes(scout, at.place, at.value.id))
        said = {
            "criteria": value.criteria or None,
            "tests": value.tests or None,
            "unconfirmed": None if value.missing == ALWAYS else value.missing,
            "checks": value.checks or None,
            "policy": demand_of(reader, at).shown,
            "blockers": value.blockers or None,
            "notes": notes(reader, step.place, value.id),
            "answer": value.answer,
        }
    path, revision = places.path_of(step.place), step.tally.step_revision
    return NextStep(step_id=value.id, path=path, title=value.title, revision=revision, **said)


def _ready_at(reader: Reader, task: Found[Root], claimed: Found[Any] | None) -> list[str]:
    if claimed is None or task.tally.waiting:
        return []
    if terms.NOW in terms.moving(claimed.value, claimed.tally):
        return [claimed.place]
    return reader.claims.ready_in(task, claimed.place)
