"""The rules of steps: each takes a step and returns the changed one with its events, or refuses.

Reads need none of them, so they are apart from the step itself.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from gatepost.domain import confirmations, gate, policies, refusals
from gatepost.domain.checkpoints import ALWAYS, CHECKPOINTS, Checkpoint, CheckpointMark, Marks, in_order
from gatepost.domain.checks import Check
from gatepost.domain.confirmations import CheckPassed
from gatepost.domain.events import StepBlocked, StepDefined, StepDone, StepReopened, StepUnblocked, StepVerified
from gatepost.domain.gate import OpenBelow
from gatepost.domain.policies import NO_DEMAND, Demand
from gatepost.domain.questions import Answer, Question, Via
from gatepost.domain.refusals import StepAddress
from gatepost.domain.steps import Step
from gatepost.domain.value import Event, Stamp

Change = tuple[Step, tuple[Event, ...]]


def verify(step: Step, where: StepAddress, marks: Marks, stamp: Stamp, demand: Demand = NO_DEMAND) -> Change:
    """Confirm checkpoints, or withdraw confirmations of an open step. A done step takes what suits its policy."""
    marked = _mark(step, where, marks, stamp)
    if marked == step:
        return step, ()
    if step.done:
        gate.pass_policy(where, [mark for mark in marked.confirmed if mark not in step.confirmed], demand)
    return marked, (_verified(step, marked, marks),)


def finish(
    step: Step,
    where: StepAddress,
    below: OpenBelow,
    stamp: Stamp,
    demand: Demand = NO_DEMAND,
    *,
    reason: str | None = None,
) -> Change:
    """Close a step that passes the gate. A step that is done stays done."""
    if step.done:
        return step, ()
    gate.pass_open(where, blocked=step.blocked, reason=step.waits_for, below=below)
    if step.missing:
        raise gate.unproven(where, step.missing, step.checks)
    gate.pass_policy(where, step.relied_on, demand)
    return replace(step, done_at=stamp.at, claim=None), (StepDone(reason=reason),)


def close(
    step: Step, where: StepAddress, below: OpenBelow, marks: Marks, stamp: Stamp, demand: Demand = NO_DEMAND
) -> Change:
    """Confirm and close in one go: both happen, or neither. A done step gets the confirmations that it lacks."""
    if step.done:
        held = {mark.checkpoint for mark in step.confirmed}
        return verify(
            step,
            where,
            {name: mark for name, mark in marks.items() if name not in held or not mark.confirmed},
            stamp,
            demand,
        )
    gate.pass_open(where, blocked=step.blocked, reason=step.waits_for, below=below)
    marked = _mark(step, where, marks, stamp)
    denied = {name for name, mark in marks.items() if not mark.confirmed}
    missing = marked.missing
    unmet = tuple(name for name in CHECKPOINTS if name in denied or name in missing)
    if unmet:
        raise gate.unproven(where, unmet, step.checks)
    gate.pass_policy(where, marked.relied_on, demand)
    confirmed = (_verified(step, marked, marks),) if marks else ()
    return replace(marked, done_at=stamp.at, claim=None), (*confirmed, StepDone())


def force(
    step: Step, where: StepAddress, below: OpenBelow, reason: str, stamp: Stamp, demand: Demand = NO_DEMAND
) -> Change:
    """Close despite missing checkpoints, and record which were. What the policy does not accept is missing."""
    if step.done:
        return step, ()
    gate.pass_open(where, blocked=step.blocked, reason=step.waits_for, below=below)
    short = policies.unproven(step.relied_on, demand.policy) + policies.unsigned(step.relied_on, demand)
    refused = {item.checkpoint for item in short}
    left = replace(step, confirmed=tuple(mark for mark in step.confirmed if mark.checkpoint not in refused))
    event = StepDone(forced=bool(left.missing), missing=left.missing, reason=reason)
    return replace(left, done_at=stamp.at, claim=None), (event,)


def reopen(step: Step, *, reason: str | None = None, because: str | None = None) -> Change:
    """Reopen a step and withdraw every confirmation: it must be proven again, with new evidence."""
    if not step.done:
        return step, ()
    withdrawn = tuple(mark.checkpoint for mark in step.confirmed)
    event = StepReopened(reason=reason, because=because, withdrawn=withdrawn)
    return replace(step, done_at=None, confirmed=(), supported=()), (event,)


def evidence(step: Step, names: tuple[Checkpoint, ...], seq: int) -> Step:
    """Evidence supports what it names, and makes those checkpoints of an open step required."""
    if not names:
        return step
    supported = replace(step, supported=confirmations.newest(step.supported, names, seq))
    new = {name for name in names if name not in ALWAYS and name not in step.required}
    if step.done or not new - set(step.evidenced):
        return supported
    return replace(supported, evidenced=in_order((*step.evidenced, *new)))  # type: ignore[arg-type]  # ALWAYS is removed


def check(
    step: Step, passed: Mapping[Checkpoint, CheckPassed], failed: tuple[Checkpoint, ...], stamp: Stamp
) -> Change:
    """Confirm what passed its checks. What failed them loses what earlier checks of an open step confirmed."""
    lost = [] if step.done else [mark.checkpoint for mark in step.confirmed if mark.checkpoint in failed]
    held = {mark.checkpoint: mark for mark in step.confirmed if mark.checkpoint not in lost}
    for name, proof in passed.items():
        held[name] = confirmations.confirm_by_check(name, proof, stamp, held.get(name))
    if not (lost or passed):
        return step, ()
    checked = replace(step, confirmed=confirmations.in_order(held.values()))
    marks = {name: CheckpointMark(confirmed=name in passed) for name in CHECKPOINTS if name in {*passed, *lost}}
    return checked, (_verified(step, checked, marks),)


def block(step: Step, where: StepAddress, reason: str | None, question: Question | None = None) -> Change:
    """Mark an open step as blocked. A reason or question that is not given again stays."""
    if step.done:
        raise refusals.StepIsDone(where, "it cannot be blocked")
    asked = question is not None and not question.same_as(step.question)
    if step.blocked and reason in (None, step.reason) and not asked:
        return step, ()
    held = replace(step, blocked=True, answer=None, reason=reason or step.reason)
    if not asked or question is None:
        return held, (StepBlocked(reason=reason),)
    event = StepBlocked(reason=reason, ask=question.ask, options=question.options, for_=question.for_)
    return replace(held, question=question), (event,)


def unblock(
    step: Step, stamp: Stamp, reason: str | None = None, answer: str | None = None, via: Via | None = None
) -> Change:
    """Unblock a step. What is said with it is kept with the step, for the one who waited."""
    if not step.blocked:
        return step, ()
    said = answer or reason
    asked = step.question.ask if step.question is not None else step.reason
    kept = Answer(answer=said, question=asked, actor=stamp.actor, at=stamp.at, via=via) if said else None
    event = StepUnblocked(reason=reason, answer=answer, via=via)
    return replace(step, blocked=False, reason=None, question=None, answer=kept), (event,)


def define(step: Step, where: StepAddress, changes: dict[str, Any]) -> Change:
    """Change a step's definition. New criteria, tests or checks void what the old ones confirmed."""
    fields = tuple(name for name, value in changes.items() if getattr(step, name) != value)
    if not fields:
        return step, ()
    promised = [name for name in fields if name in ("criteria", "tests", "required", "checks")]
    if step.done and promised:
        raise refusals.StepIsDone(where, f"its {' and '.join(promised)} cannot be changed")
    void = {*fields, *_with_other_checks(step, changes.get("checks", step.checks))}
    kept = tuple(mark for mark in step.confirmed if mark.checkpoint not in void)
    withdrawn = tuple(mark.checkpoint for mark in step.confirmed if mark.checkpoint in void)
    supported = tuple(support for support in step.supported if support.checkpoint not in void)
    changed = {name: changes[name] for name in fields}
    event = StepDefined(fields=fields, withdrawn=withdrawn)
    return replace(step, confirmed=kept, supported=supported, **changed), (event,)


def _with_other_checks(step: Step, checks: tuple[Check, ...]) -> set[Checkpoint]:
    """The checkpoints whose checks differ."""

    def of(name: Checkpoint, among: tuple[Check, ...]) -> list[Check]:
        return [check for check in among if check.checkpoint == name]

    return {name for name in CHECKPOINTS if of(name, step.checks) != of(name, checks)}


def _mark(step: Step, where: StepAddress, marks: Marks, stamp: Stamp) -> Step:
    held = {mark.checkpoint: mark for mark in step.confirmed}
    supported = {support.checkpoint: support.seq for support in step.supported}
    unrun = tuple(name for name in step.by_checks if name in marks and marks[name].confirmed and name not in held)
    if unrun:
        raise gate.checks_not_run(where, unrun, step.checks)
    for name, mark in marks.items():
        before = held.get(name)
        if not mark.confirmed and before is not None:
            if step.done:
                raise refusals.StepIsDone(where, f"its confirmation of {name} cannot be withdrawn")
            del held[name]
        elif mark.confirmed and before is None:
            held[name] = confirmations.confirm(name, mark, stamp, supported.get(name))
        elif mark.confirmed and before is not None:
            support = supported.get(name)
            held[name] = confirmations.confirm_again(before, mark, stamp, support, done=step.done)
    return replace(step, confirmed=confirmations.in_order(held.values()))


def _verified(before: Step, after: Step, marks: Marks) -> StepVerified:
    """The event of what was said of checkpoints, and what each confirmation of them rests on now."""
    said = [mark for mark in after.confirmed if mark.checkpoint in marks]
    signed = {mark.checkpoint: mark.signed for mark in before.confirmed}
    return StepVerified(
        checkpoints=dict(marks),
        provenance={mark.checkpoint: mark.provenance for mark in said},
        evidence={mark.checkpoint: mark.evidence for mark in said if mark.evidence is not None},
        signed=tuple(
            mark.checkpoint
            for mark in said
            if mark.signed is not None and mark.signed != signed.get(mark.checkpoint)
        ),
        commit=next((mark.tree.commit for mark in said if mark.tree is not None), None),
    )
