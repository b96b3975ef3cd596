"""Claims: hold a step or a whole task, so that nobody else works on it, and release it."""

from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import claims, places
from gatepost.domain.documents import claim_of
from gatepost.domain.records import StepReleased
from gatepost.domain.refusals import InvalidInput, StepIsDone
from gatepost.domain.roots import Root, Task
from gatepost.engine.claims import Held
from gatepost.engine.draft import Draft
from gatepost.engine.log import brief
from gatepost.engine.reader import Found, address
from gatepost.operations.claimed_work import next_place, take
from gatepost.operations.fields import KNOWN, PlanId, RootId, one_target
from gatepost.operations.radar import gather
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import name_of, outcome
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.operations.targets import find_target
from gatepost.operations.way_on import next_step, steps_left
from gatepost.replies.claims import WorkClaimed, WorkReleased
from gatepost.views.radar import blockers, empty_next, next_call
from gatepost.wire.prose import Note

Ttl = Annotated[
    int, Meta(ge=claims.SHORTEST, le=claims.LONGEST, description="Seconds without a call that end it.", extra=KNOWN)
]


class ClaimWork(Write[WorkClaimed], frozen=True, kw_only=True):
    """Claim a step or a whole task."""

    task: RootId | None = None
    plan: PlanId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    whole: Annotated[bool, Meta(description="The task with everything in it.", extra=KNOWN)] = False
    ttl_s: Ttl | None = None
    take_over: Annotated[Note, Meta(description="Why you take it from its holder.", extra=KNOWN)] | None = None


class ReleaseWork(Write[WorkReleased], frozen=True, kw_only=True):
    """Release a step or a whole task."""

    task: RootId
    path: StepPath | None = None
    step_id: StepId | None = None


@operation("tasks_claim", "core", "tasks")
def claim(draft: Draft, command: ClaimWork) -> WorkClaimed:
    """Hold a step, so that others work elsewhere: the one you name, else the next ready one."""
    found = _wanted(draft, command)
    if found is None:
        return _nothing_free(draft, command)
    task = draft.root(places.root_id(found.place))
    until = take(draft, found, command.ttl_s, command.take_over)
    step = None if command.whole else found.value.id
    return WorkClaimed(
        task=task.value.id,
        step=None if command.whole else name_of(found),
        whole=command.whole,
        until=until,
        revision=task.tally.revision,
        events=brief(draft.logged, task.place, step),
        now=next_step(draft, task, claimed=found),
        left=steps_left(draft.tally(task.place)),
        changed=draft.changed,
    )


@operation("tasks_release", "tasks")
def release(draft: Draft, command: ReleaseWork) -> WorkReleased:
    """Release a step that you claimed, or the whole task if you name no step."""
    root = draft.root_at(command.task, command.expected_revision)
    named = command.path is not None or command.step_id is not None
    found: Found[Any] = draft.member(root, command.path, command.step_id) if named else root
    held = claim_of(found.value)
    if held is not None:
        if draft.claims.is_others(held):
            raise draft.claims.refusal(Held(found.place, held))
        draft.put(found.place, replace(found.value, claim=None))
        draft.log(root.place, StepReleased(), found if named else None)
    step = name_of(found) if named else None
    known = None if step is None else step.step_id
    return WorkReleased(task=command.task, step=step, **outcome(draft, root.place, known))


def _wanted(draft: Draft, command: ClaimWork) -> Found[Any] | None:
    """What a call wants to hold: a whole task, the step that it names, or the next one that is ready."""
    target = one_target(command.task, command.plan)
    root = None
    if target is not None:
        field = "plan" if command.task is None else "task"
        root = draft.root_at(target, command.expected_revision, field=field)
    elif command.expected_revision is not None:
        raise InvalidInput([("expected_revision", "needs a `task` or `plan` whose revision it is")])
    named = command.path is not None or command.step_id is not None
    if named or command.whole:
        if root is None or not isinstance(root.value, Task):
            raise InvalidInput([("task", "is required: the task to claim, or the task of the step")])
        if named and command.whole:
            raise InvalidInput([("whole", "holds a task with everything in it; leave out the step")])
        return _open_step(draft, root, command) if named else _open_task(root)
    if command.take_over is not None:
        raise InvalidInput([("take_over", "needs a step to take over, or `whole` for a task")])
    found = draft.members([place] if (place := next_place(draft, root)) is not None else [])
    return found[0] if found else None


def _open_step(draft: Draft, root: Found[Root], command: ClaimWork) -> Found[Any]:
    step = draft.member(root, command.path, command.step_id)
    if step.value.done:
        raise StepIsDone(address(step), "there is nothing left to claim")
    return step


def _open_task(root: Found[Root]) -> Found[Any]:
    if root.value.done:
        raise InvalidInput([("task", f"{root.value.id} is done: there is nothing left to claim")])
    return root


def _nothing_free(draft: Draft, command: ClaimWork) -> WorkClaimed:
    """The reply if nothing can be claimed: what others hold, what else is in the way, and what to do instead."""
    target = find_target(draft, command.task, command.plan)
    if target is None:
        return WorkClaimed(step=None, next=empty_next(draft.workspace, draft.caller.offer), changed=False)
    facts = gather(draft, target)
    return WorkClaimed(
        step=None,
        held=facts.held or None,
        blockers=blockers(facts) or None,
        next=next_call(draft.workspace, facts),
        changed=False,
    )
