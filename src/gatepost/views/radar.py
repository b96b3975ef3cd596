"""The radar: now, why, verify, next, blockers. One screen, one truth."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from gatepost.domain import policies
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Member
from gatepost.domain.nodes import Node
from gatepost.domain.offers import EVERYTHING, Offer
from gatepost.domain.policies import NO_DEMAND, Demand
from gatepost.domain.refusals import StepAddress
from gatepost.domain.roots import Plan, Root, Task, kind_of, shown_status
from gatepost.domain.steps import Step, provenance
from gatepost.domain.tallies import Tally
from gatepost.replies.radar import Blocker, RadarReply, Reason, Verification
from gatepost.replies.reply import SuggestedCall
from gatepost.replies.roots import Counts, RootHeading
from gatepost.replies.steps import CurrentStep, DoneStep, HeldStep, StepClaim, StepNote
from gatepost.views import progress
from gatepost.views.budget import Cut, View, clipped, nothing, only, rows, without
from gatepost.views.offers import next_offered
from gatepost.views.progress import checklist, root_counts

CUTS: Final = (
    *progress.CUTS,
    Cut("last_done", rows("last_done")),
    Cut("texts", clipped("now.notes", 200)),
    Cut("held_titles", without("held", "title")),
    Cut("held", rows("held", least=1)),
    Cut("blocker_titles", without("blockers", "title")),
    Cut("texts", clipped("blockers", 100)),
    Cut("texts", clipped("why", 400)),
    Cut("blockers", rows("blockers", least=1)),
    Cut("criteria", rows("verify.criteria")),
    Cut("tests", rows("verify.tests")),
    Cut("checks", without("verify", "checks")),
    Cut("notes", rows("now.notes", least=1)),
    Cut("texts", clipped("now.answer", 200)),
    Cut("now_blockers", without("now", "blockers")),
    Cut("notes", without("now", "notes")),
    Cut("texts", clipped("target", 80)),
    Cut("texts", clipped("now", 80)),
    Cut("texts", clipped("why", 100)),
    Cut("blockers", rows("blockers")),
    Cut("held", rows("held")),
    Cut("why", nothing("why")),
    Cut("target", only("target", "id", "revision")),
    Cut("verify", only("verify", "unconfirmed")),
    Cut("now", only("now", "task", "step_id")),
    Cut("next", only("next", "tool", "arguments", "supply")),
    Cut("next", only("next.arguments", "task", "step_id")),
    Cut("next", only("next", "tool", "arguments")),
    Cut("counts", only("counts", "total", "done")),
    Cut("verify", nothing("verify")),
)


class Facts(Struct, frozen=True, kw_only=True):
    """What the radar is drawn from: the target, the task that is worked on and its first ready step, what blocks
    that task, and what blocks anything in the target."""

    target: Root
    tally: Tally
    task: Root | None = None
    revision: int = 0
    plan: Plan | None = None
    step: Member | None = None
    where: StepAddress | None = None
    step_revision: int = 1
    claim: StepClaim | None = None
    """The caller's, on the step."""
    notes: tuple[StepNote, ...] | None = None
    last_done: tuple[DoneStep, ...] | None = None
    steps: Tally | None = None
    blocked: Sequence[tuple[Step, StepAddress]] = ()
    unmet: Sequence[tuple[str, Root]] = ()
    all_blocked: Sequence[tuple[Step, StepAddress]] = ()
    all_unmet: Sequence[tuple[str, Root]] = ()
    unapproved: Plan | None = None
    """The plan that waits for a person, and its tasks with it."""
    unproven: tuple[Step, StepAddress, int] | None = None
    demand: Demand = NO_DEMAND
    """What the policy of the step asks for."""
    stale: tuple[Checkpoint, ...] = ()
    """The proofs of the step whose files have changed since."""
    stale_steps: int = 0
    """How many done steps of the task have such proofs, as far as was looked."""
    held: tuple[HeldStep, ...] = ()
    """What others hold in the target."""
    goals: tuple[str, str] | None = None
    """A taskdoc's name and its goals, where nothing nearer says why."""
    offer: Offer = EVERYTHING


def radar(workspace: str, facts: Facts, max_chars: int | None) -> View[RadarReply]:
    """The radar of a plan or task."""
    reply = RadarReply(
        target=heading(facts.target, facts.tally),
        now=_now(facts),
        why=why(facts),
        verify=_verify(facts),
        next=next_call(workspace, facts),
        blockers=blockers(facts),
        held=facts.held or None,
        counts=root_counts(facts.target, facts.tally),
        last_done=facts.last_done,
        stale_steps=facts.stale_steps or None,
    )
    return View(reply, CUTS, max_chars)


def empty(workspace: str, max_chars: int | None, offer: Offer) -> View[RadarReply]:
    """The radar of a workspace in which there is nothing to do."""
    reply = RadarReply(
        target=None,
        now=None,
        why=None,
        verify=None,
        next=empty_next(workspace, offer),
        blockers=(),
        counts=Counts(),
    )
    return View(reply, CUTS, max_chars)


def empty_next(workspace: str, offer: Offer) -> SuggestedCall:
    """The call to make in a workspace in which there is nothing to do."""
    start = {"workspace": workspace, "kind": "task"}
    because = "There is no open task here."
    return next_offered(
        offer, SuggestedCall(tool="tasks_create", arguments=start, supply=("title",), because=because)
    )


class _Next(Struct, frozen=True):
    """A call to make, why, what only the caller can add to it, and the target if that is to be added."""

    tool: str
    arguments: Mapping[str, Any]
    because: str
    supply: tuple[str, ...] = ()
    target: str | None = None


def next_call(workspace: str, facts: Facts) -> SuggestedCall:
    """The one call to make next, and why. As it is, it closes, confirms and unblocks nothing."""
    call = _next(facts)
    arguments = {"workspace": workspace, **call.arguments}
    made = SuggestedCall(
        tool=call.tool,
        arguments=arguments,
        supply=call.supply or None,
        target=call.target,
        because=call.because,
    )
    return next_offered(facts.offer, made)


def _next(facts: Facts) -> _Next:
    task = facts.task
    if task is None:
        return _next_without_task(facts)
    at = {"expected_revision": facts.revision}
    if facts.step is not None and facts.where is not None:
        return _next_of_step(facts.step, facts.where, {"expected_step_revision": facts.step_revision}, facts.demand)
    if task.done:
        return _Next("tasks_context", {"ready": True}, "It is done; this lists what can be worked on.")
    obstacle = _next_behind_obstacle(facts)
    if obstacle is not None:
        return obstacle
    if facts.unproven is not None:
        forced, where, revision = facts.unproven
        selector = {**where.selector, "expected_step_revision": revision}
        if set(forced.missing) & set(forced.by_checks):
            return _Next("tasks_check", selector, "It was forced closed. Its checks are still to be run.")
        because = "It was forced closed. Confirm this once you have verified it."
        return _Next("tasks_close_step", selector, because, _to_confirm(forced))
    if facts.steps is not None and facts.steps.total:
        return _Next("tasks_complete", at, f"All steps of {task.id} are done.", ("task",), task.id)
    return _Next("tasks_decompose", {"task": task.id, **at}, "It has no steps yet.", ("steps",))


def _next_behind_obstacle(facts: Facts) -> _Next | None:
    """What to do about a task in which no step is ready for the caller, if others must do something first."""
    if facts.unapproved is not None:
        return _Next("tasks_radar", {"plan": facts.unapproved.id}, "A person must approve this plan first.")
    if facts.unmet:
        return _Next("tasks_radar", {"task": facts.unmet[0][1].id}, "It waits for this one.")
    if facts.held and facts.steps is not None and facts.steps.ready:
        because = (
            f"Others hold every step that is ready in {facts.target.id}. This lists what else can be worked on."
        )
        return _Next("tasks_context", {"ready": True}, because)
    if facts.blocked:
        step, where = facts.blocked[0]
        because = f"All open steps are blocked: {step.waits_for or step.title}"
        return _Next("tasks_resume", where.selector, because)
    return None


def _next_of_step(step: Member, where: StepAddress, at: Mapping[str, Any], demand: Demand) -> _Next:
    selector = {**where.selector, **at}
    if isinstance(step, Node):
        because = "Nothing below it is open: set its status to DONE once it is."
        return _Next("tasks_task_define", selector, because, ("status",))
    asked = _next_by_policy(step, selector, demand)
    if asked is not None:
        return asked
    missing, by_checks = set(step.missing), set(step.by_checks)
    if step.checks and missing <= by_checks:
        because = "Its checks prove it." if missing else "All is confirmed: run its checks and close it."
        return _Next("tasks_close_step", {**selector, "run_checks": True}, because)
    if missing & by_checks:
        because = f"Its checks prove {' and '.join(step.by_checks)}. Confirm only what you have verified."
        return _Next("tasks_close_step", {**selector, "run_checks": True}, because, _to_confirm(step))
    because = "Confirm only what you have verified." if missing else "All is confirmed: confirm again to close it."
    return _Next("tasks_close_step", selector, because, _to_confirm(step))


def _next_by_policy(step: Step, selector: Mapping[str, Any], demand: Demand) -> _Next | None:
    """What a policy asks for before a step can be closed, where the caller cannot just confirm it."""
    by_checks = step.by_checks
    unchecked = [name for name in step.needed if name not in by_checks]
    if demand.policy.proof == "machine" and unchecked:
        because = f"Its policy asks for a check of {' and '.join(unchecked)}: a command that proves it."
        return _Next("tasks_define", selector, because, ("checks",))
    unsigned = [] if step.missing else policies.unsigned(step.relied_on, demand)
    if unsigned:
        names = " and ".join(item.checkpoint for item in unsigned)
        who = "A person" if unsigned[0].wants == "human" else "Somebody who did not work on it"
        because = f"{who} must confirm {names}. This lists what else can be worked on."
        return _Next("tasks_context", {"ready": True}, because)
    return None


def _to_confirm(step: Step) -> tuple[str, ...]:
    """The confirmations that closing a step takes: what is missing, and criteria or tests in any case."""
    by_checks = step.by_checks
    names: tuple[str, ...] = tuple([name for name in step.missing if name not in by_checks])
    if not {"criteria", "tests"} & set(names) and not step.checks:
        names = ("criteria", *names)
    return tuple(f"checkpoints.{name}" for name in names)


def _next_without_task(facts: Facts) -> _Next:
    """A plan in which no task can be worked on."""
    if facts.unapproved is not None:
        return _Next("tasks_resume", {"plan": facts.unapproved.id}, "A person must approve this plan first.")
    if facts.all_unmet:
        because = "The plan or one of its tasks waits for this one."
        return _Next("tasks_radar", {"task": facts.all_unmet[0][1].id}, because)
    plan = facts.target
    if plan.done:
        return _Next("tasks_context", {"ready": True}, "It is done; this lists what can be worked on.")
    at = {"expected_revision": facts.revision}
    if facts.tally.tasks and not facts.tally.tasks_open:
        if isinstance(plan, Plan) and plan.current < len(plan.steps):
            because = f"Once done: {plan.steps[plan.current]}"
            return _Next("tasks_plan", {"plan": plan.id, **at}, because, ("advance",))
        return _Next("tasks_complete", at, f"All tasks of {plan.id} are done.", ("task",), plan.id)
    first = {"kind": "task", "plan": plan.id, **at}
    return _Next("tasks_create", first, "The plan has no open task.", ("title",))


def heading(root: Root, tally: Tally) -> RootHeading:
    """The plan or task that a view is about."""
    return RootHeading(
        id=root.id,
        kind=kind_of(root),
        title=root.title,
        status=shown_status(root, tally.tasks_begun),
        revision=tally.revision,
        plan=root.plan if isinstance(root, Task) else None,
        checklist=checklist(root),
    )


def _now(facts: Facts) -> CurrentStep | None:
    if facts.step is None or facts.where is None:
        return None
    return CurrentStep(
        task=facts.where.task,
        step_id=facts.where.step_id,
        path=facts.where.path,
        title=facts.step.title,
        revision=facts.step_revision,
        blockers=(facts.step.blockers or None) if isinstance(facts.step, Step) else None,
        notes=facts.notes,
        claim=facts.claim,
        answer=facts.step.answer if isinstance(facts.step, Step) else None,
    )


def why(facts: Facts) -> Reason | None:
    """What the target is for: in its own words, or in those of its plan, of a taskdoc, or of the task at hand."""
    for root in (facts.target, facts.plan):
        text = reason_of(root)
        if root is not None and text:
            return Reason(source=root.id, text=text)
    if facts.goals is not None:
        return Reason(source=f"taskdoc {facts.goals[0]}", text=facts.goals[1])
    text = reason_of(facts.task)
    return Reason(source=facts.task.id, text=text) if facts.task is not None and text else None


def reason_of(root: Root | None) -> str | None:
    """What a plan or task itself says it is for."""
    if isinstance(root, Plan):
        return root.contract or root.description
    return None if root is None else root.description


def _verify(facts: Facts) -> Verification | None:
    step = facts.step
    if not isinstance(step, Step):
        return None
    return Verification(
        criteria=step.criteria,
        tests=step.tests,
        required=step.required,
        checks=step.checks or None,
        confirmed=provenance(step),
        policy=facts.demand.shown,
        stale=facts.stale or None,
        unconfirmed=step.missing,
    )


def blockers(facts: Facts) -> tuple[Blocker, ...]:
    """What is in the way in the target: an approval, dependencies and blocked steps."""
    waits = [
        Blocker(task=waiter, depends_on=root.id, status=root.status, title=root.title)
        for waiter, root in facts.all_unmet
    ]
    held = [
        Blocker(
            task=where.task,
            step_id=where.step_id,
            path=where.path,
            title=step.title,
            reason=step.waits_for,
            question=step.question,
        )
        for step, where in facts.all_blocked
    ]
    plan = facts.unapproved
    approval = [] if plan is None else [Blocker(task=plan.id, title=plan.title, approval="human")]
    return (*approval, *waits, *held)
