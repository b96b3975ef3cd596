"""The way on: what a write to a task answers besides what it did, so that no radar is needed between two steps."""

from typing import Any

from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.checkpoints import ALWAYS
from gatepost.domain.roots import Root, Task
from gatepost.domain.steps import Step
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found, Reader
from gatepost.operations.notes import notes
from gatepost.operations.radar import gather, ready
from gatepost.replies.batch import Batched
from gatepost.replies.steps import NextStep, StepsLeft, TaskWrite
from gatepost.views.radar import next_call


def with_way_on(draft: Draft, reply: Any) -> Any:
    """A reply with the step to go on with and what is left. Replies that are not about a task stay as they are."""
    if isinstance(reply, TaskWrite):
        written = getattr(reply, "step", None)
        return _added(draft, reply, reply.task, None if written is None else written.step_id)
    if isinstance(reply, Batched) and reply.changed:
        tasks = [name for name in reply.revisions or {} if name.startswith("TASK")]
        return _added(draft, reply, tasks[-1], None) if tasks else reply
    return reply


def _added(draft: Draft, reply: Any, task: str, written: str | None) -> Any:
    found = draft.at(places.at_id(task))
    if found is None or not isinstance(found.value, Task):
        return reply
    root: Found[Root] = Found(found.place, found.value, found.tally)
    now = next_step(draft, root, written)
    way = None if now is not None else next_call(draft.workspace, gather(draft, root))
    left = StepsLeft(open=root.tally.open, blocked=root.tally.blocked or None)
    return replace(reply, now=now, left=left, next=reply.next or way)


def next_step(reader: Reader, task: Found[Root], written: str | None = None) -> NextStep | None:
    """The step of a task to go on with. The caller knows what proves the one that it has just written to."""
    found = reader.members(ready(reader, task))
    if not found:
        return None
    step = found[0]
    value = step.value
    said: dict[str, Any] = {}
    if isinstance(value, Step) and value.id != written:
        said = {
            "criteria": value.criteria or None,
            "tests": value.tests or None,
            "unconfirmed": None if value.missing == ALWAYS else value.missing,
            "blockers": value.blockers or None,
            "notes": notes(reader, step.place, value.id),
            "answer": value.answer,
        }
    return NextStep(
        task=task.value.id,
        step_id=value.id,
        path=places.path_of(step.place),
        title=value.title,
        revision=step.tally.step_revision,
        **said,
    )
