"""The radar: what to do now, in a plan, a task, or wherever the focus is."""

from typing import Annotated, Any, Final

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.documents import Member, claim_of
from gatepost.domain.policies import NO_DEMAND, Demand
from gatepost.domain.refusals import InvalidInput, StepAddress
from gatepost.domain.roots import Plan, Root, Task, shown
from gatepost.domain.steps import Step, stale_proofs
from gatepost.engine.reader import Found, Reader, address
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations import taskdoc_lookup
from gatepost.operations.claim_rows import row_claim
from gatepost.operations.demands import demand_of
from gatepost.operations.done_steps import last_done
from gatepost.operations.fields import KNOWN, MaxChars, PlanId, RootId, one_target
from gatepost.operations.notes import notes
from gatepost.operations.past_views import At, dated
from gatepost.operations.registry import Command, operation
from gatepost.operations.staleness import stale_steps
from gatepost.operations.targets import find_target, root_at
from gatepost.replies.radar import RadarReply
from gatepost.replies.steps import HeldStep
from gatepost.views import radar as views
from gatepost.views.budget import View
from gatepost.views.radar import Facts, reason_of

_BLOCKED_SHOWN: Final = 10
_WAITING_SHOWN: Final = 5
_TASKS_TRIED: Final = 20


class Radar(Command[RadarReply], frozen=True, kw_only=True):
    """Ask for one screen."""

    task: RootId | None = None
    plan: PlanId | None = None
    at: At | None = None
    claim: Annotated[bool, Meta(description="Claim the step to work on.", extra=KNOWN)] = False
    max_chars: MaxChars | None = None


@operation("tasks_radar", "core", "tasks")
@dated
def look(reader: Reader, command: Radar) -> View[RadarReply]:
    """What to do now, why, how to verify it, the next call and what blocks. Start here."""
    if command.claim:
        claim_first(reader, command)
    target = find_target(reader, command.task, command.plan)
    if target is None:
        from gatepost.operations.elsewhere import elsewhere

        return elsewhere(reader, "tasks_radar", nothing(reader, command.max_chars))
    return views.radar(command.workspace, gather(reader, target), command.max_chars)


def claim_first(reader: Reader, command: Radar) -> None:
    """Hold the step that the radar shows as `now`. Only a draft can."""
    from gatepost.engine.draft import Draft
    from gatepost.operations.claimed_work import take_next

    if command.at is not None:
        raise InvalidInput([("claim", "cannot be given together with `at`: only what is there now can be claimed")])
    named = one_target(command.task, command.plan) or reader.focus()[0]
    if isinstance(reader, Draft):
        take_next(reader, None if named is None else reader.root(named))


def nothing(reader: Reader, max_chars: int | None) -> View[RadarReply]:
    """The radar of a workspace in which there is nothing to do."""
    return views.empty(reader.workspace, max_chars, reader.caller.offer)


def gather(reader: Reader, target: Found[Root]) -> Facts:
    """What the radar of a plan or task is drawn from."""
    offer = reader.caller.offer
    held = _held(reader, target)
    if isinstance(target.value, Plan):
        return _with_goals(reader, replace(_of_plan(reader, target), held=held, offer=offer))
    facts = _of_task(reader, target, target)
    everything = replace(facts, all_blocked=facts.blocked, all_unmet=facts.unmet, held=held, offer=offer)
    return _with_goals(reader, everything)


def gather_below(reader: Reader, task: Found[Root], top: Found[Member]) -> Facts:
    """The facts for the radar of a step, with everything below it."""
    first, end = top.place, places.below(top.place)[1]
    ready: list[str] = []
    if task.tally.claimed or claim_of(task.value) is not None:
        ready = reader.claims.ready_in(task, first)
    elif not task.tally.waiting:
        ready = reader.postings(((terms.NOW,),), first, end, 1)
    found = reader.members([] if task.tally.waiting else ready)
    blocked = reader.steps(reader.postings(((terms.BLOCKED,),), first, end, _BLOCKED_SHOWN))
    stuck = [(step.value, address(step)) for step in blocked]
    facts = gather(reader, task)
    path = places.path_of(top.place)
    held = tuple(item for item in facts.held if item.path is None or places.is_within(item.path, path))
    known = replace(facts, blocked=stuck, all_blocked=stuck, held=held, unproven=None)
    return replace(known, **_of_step(reader, found[0] if found else None))


def _held(reader: Reader, target: Found[Root]) -> tuple[HeldStep, ...]:
    if not target.tally.claimed and claim_of(target.value) is None:
        return ()
    from gatepost.operations.held_steps import held_by_others  # only what is claimed needs it

    return held_by_others(reader, target)


def _with_goals(reader: Reader, facts: Facts) -> Facts:
    """Where neither task nor plan says why, the goals of the plan's taskdoc do, or of the only one there is."""
    if reason_of(facts.target) or reason_of(facts.plan):
        return facts
    target = facts.target
    plan = target.plan or target.id if isinstance(target, Task) else target.id
    names = taskdoc_lookup.bound_to(reader, plan) or [
        name for name in taskdoc_lookup.named(reader) if taskdoc_lookup.taskdoc(reader, name).value.plan is None
    ]
    goals = taskdoc_lookup.section(reader, names[0], "goals").value.content if len(names) == 1 else ""
    return replace(facts, goals=(reader.called(names[0]), goals)) if goals.strip() else facts


def _of_task(reader: Reader, target: Found[Root], task: Found[Root]) -> Facts:
    """What can be worked on in a task; nothing while it waits for others."""
    first = reader.members(reader.ready(task))
    step = first[0] if first else None
    return Facts(
        target=target.value,
        tally=target.tally,
        task=task.value,
        revision=task.tally.revision,
        plan=_plan_of(reader, task.value),
        **_of_step(reader, step),
        last_done=last_done(reader, task.place),
        steps=task.tally,
        blocked=_blocked(reader, task, _BLOCKED_SHOWN),
        unmet=unmet(reader, task),
        unapproved=unapproved(reader, task),
        unproven=None if task.tally.open else _unproven(reader, task),
        stale_steps=len(stale_steps(reader, [task.place] if task.tally.done else [])[0]),
    )


def _of_step(reader: Reader, step: Found[Member] | None) -> dict[str, Any]:
    """What is known of the step to work on."""
    if step is None:
        return {"step": None, "claim": None, "where": None, "step_revision": 1, "notes": None, "demand": NO_DEMAND}
    return {
        "step": step.value,
        "claim": row_claim(reader, step.value),
        "where": address(step),
        "step_revision": step.tally.step_revision,
        "notes": notes(reader, step.place, step.value.id),
        "demand": _demand(reader, step),
        "stale": stale_proofs(step.value, reader.is_stale),
    }


def _of_plan(reader: Reader, plan: Found[Root]) -> Facts:
    """The plan's first task that has something to work on, and what blocks any of its tasks."""
    task = None if plan.tally.waiting else _task_of_plan(reader, plan)
    if task is None:
        facts = Facts(
            target=plan.value,
            tally=plan.tally,
            revision=plan.tally.revision,
            unapproved=unapproved(reader, plan),
        )
    else:
        facts = _of_task(reader, plan, task)
    return replace(facts, all_blocked=_blocked_in_plan(reader, plan), all_unmet=_unmet_in_plan(reader, plan))


def _task_of_plan(reader: Reader, plan: Found[Root]) -> Found[Root] | None:
    """The task that the caller works on, else the first of the queue, else one that only has to be completed."""
    from gatepost.operations.ready_queue import next_ready  # a task's radar does without

    mine = (terms.plan(plan.value.id),)
    step = next_ready(reader, plan)
    if step is not None:
        return root_at(reader, places.root_of(step))
    stuck = None
    for place in reader.postings((mine, (terms.READY, terms.HELD)), "", LAST_PLACE, _TASKS_TRIED):
        task = reader.root(places.root_id(place))
        if task.tally.waiting or task.value.done:
            continue
        if not task.tally.open:
            return task
        stuck = stuck or task
    return stuck


def _blocked_in_plan(reader: Reader, plan: Found[Root]) -> list[tuple[Step, StepAddress]]:
    mine = (terms.plan(plan.value.id),)
    shown: list[tuple[Step, StepAddress]] = []
    for place in reader.postings((mine, (terms.HELD,)), "", LAST_PLACE, _BLOCKED_SHOWN):
        if len(shown) < _BLOCKED_SHOWN:
            task = reader.root(places.root_id(place))
            shown.extend(_blocked(reader, task, _BLOCKED_SHOWN - len(shown)))
    return shown


def _unmet_in_plan(reader: Reader, plan: Found[Root]) -> list[tuple[str, Root]]:
    mine = (terms.plan(plan.value.id),)
    waiting = reader.postings((mine, (terms.WAITS,)), "", LAST_PLACE, _WAITING_SHOWN)
    tasks = reader.roots(waiting)
    return [pair for root in (plan, *tasks) for pair in own_unmet(reader, root)]


def _blocked(reader: Reader, task: Found[Root], limit: int) -> list[tuple[Step, StepAddress]]:
    if not task.tally.blocked:
        return []
    found = reader.among(((terms.BLOCKED,),), task.place, limit)
    return [(step.value, address(step)) for step in reader.steps(found)]


def _unproven(reader: Reader, task: Found[Root]) -> tuple[Step, StepAddress, int] | None:
    found = reader.steps(reader.among(((terms.UNPROVEN,),), task.place, 1))
    return (found[0].value, address(found[0]), found[0].tally.step_revision) if found else None


def unmet(reader: Reader, root: Found[Root]) -> list[tuple[str, Root]]:
    """The dependencies that a plan or task still waits for, each with the id of the one that waits: it, or its
    plan."""
    own = own_unmet(reader, root)
    if isinstance(root.value, Plan) or root.value.plan is None or not root.tally.waiting:
        return own
    return own + own_unmet(reader, reader.root(root.value.plan))


def own_unmet(reader: Reader, root: Found[Root]) -> list[tuple[str, Root]]:
    """The dependencies of a plan or task itself that are not done, each with its id."""
    if not root.tally.waiting:
        return []
    needed = reader.roots([places.at_id(name) for name in root.value.depends_on])
    return [
        (root.value.id, shown(found.value, found.tally.tasks_begun)) for found in needed if not found.value.done
    ]


def _demand(reader: Reader, member: Found[Member]) -> Demand:
    if not isinstance(member.value, Step):
        return NO_DEMAND
    return demand_of(reader, Found(member.place, member.value, member.tally))


def unapproved(reader: Reader, root: Found[Root]) -> Plan | None:
    """The plan that waits for a person's approval, and its tasks with it."""
    plan = (
        root.value if isinstance(root.value, Plan) else _plan_of(reader, root.value) if root.tally.waiting else None
    )
    return plan if plan is not None and plan.waits_for_approval else None


def _plan_of(reader: Reader, root: Root) -> Plan | None:
    if not isinstance(root, Task) or root.plan is None:
        return None
    found = reader.values([places.at_id(root.plan)])
    return found[0] if found and isinstance(found[0], Plan) else None
