"""Steps: the work, what proves it, and the rules for closing and reopening it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gatepost.domain import checkpoints, policies, refusals
from gatepost.domain.checkpoints import (
    CHECKPOINTS,
    Checkpoint,
    CheckpointMark,
    Confirmation,
    Marks,
    OpenBelow,
    Optional,
    Support,
    in_order,
)
from gatepost.domain.checks import Check
from gatepost.domain.policies import NO_DEMAND, Demand, Policy
from gatepost.domain.refusals import StepAddress
from gatepost.domain.value import Stamp, Value

if TYPE_CHECKING:  # reads need no events: what changes a step imports them
    from gatepost.domain.events import Event

Change = tuple["Step", tuple["Event", ...]]


class Answer(Value, frozen=True, kw_only=True):
    """What was said when a step was unblocked, by whom and when, and the reason for the block that it answers."""

    answer: str
    question: str | None = None
    actor: str
    at: str


class Step(Value, frozen=True, kw_only=True, tag="step", tag_field="kind"):
    """A node of a task's tree that closes only through its checkpoints."""

    id: str
    title: str
    criteria: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    required: tuple[Optional, ...] = ()
    checks: tuple[Check, ...] = ()
    policy: Policy | None = None
    evidenced: tuple[Optional, ...] = ()
    supported: tuple[Support, ...] = ()
    confirmed: tuple[Confirmation, ...] = ()
    blocked: bool = False
    reason: str | None = None
    answer: Answer | None = None
    done_at: str | None = None

    @property
    def done(self) -> bool:
        """Whether the step is closed."""
        return self.done_at is not None

    @property
    def missing(self) -> tuple[Checkpoint, ...]:
        """The required checkpoints that are not confirmed."""
        return checkpoints.missing(self.required + self.evidenced, self.confirmed)

    @property
    def relied_on(self) -> tuple[Confirmation, ...]:
        """The confirmations that closing the step rests on."""
        needed = (*checkpoints.ALWAYS, *self.required, *self.evidenced)
        return tuple(mark for mark in self.confirmed if mark.checkpoint in needed)

    @property
    def asserted(self) -> tuple[Checkpoint, ...]:
        """The checkpoints that were confirmed on a word alone."""
        return tuple(mark.checkpoint for mark in self.confirmed if mark.provenance == "asserted")


def verify(step: Step, where: StepAddress, marks: Marks, stamp: Stamp, demand: Demand = NO_DEMAND) -> Change:
    """Confirm checkpoints, or withdraw confirmations of an open step. What a done step gets must do for the policy."""
    from gatepost.domain.events import StepVerified

    marked = _mark(step, where, marks, stamp)
    if marked == step:
        return step, ()
    if step.done:
        _satisfy(where, [mark for mark in marked.confirmed if mark not in step.confirmed], demand)
    return marked, (StepVerified(checkpoints=dict(marks)),)


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
    from gatepost.domain.events import StepDone

    if step.done:
        return step, ()
    checkpoints.gate(where, blocked=step.blocked, reason=step.reason, below=below, unmet=step.missing)
    _satisfy(where, step.relied_on, demand)
    return replace(step, done_at=stamp.at), (StepDone(reason=reason),)


def close(
    step: Step, where: StepAddress, below: OpenBelow, marks: Marks, stamp: Stamp, demand: Demand = NO_DEMAND
) -> Change:
    """Confirm and close in one go: both happen, or neither."""
    from gatepost.domain.events import StepDone, StepVerified

    if step.done:
        return verify(step, where, marks, stamp, demand)
    marked = _mark(step, where, marks, stamp)
    denied = {name for name, mark in marks.items() if not mark.confirmed}
    unmet = tuple(name for name in CHECKPOINTS if name in denied or name in marked.missing)
    checkpoints.gate(where, blocked=step.blocked, reason=step.reason, below=below, unmet=unmet)
    _satisfy(where, marked.relied_on, demand)
    return replace(marked, done_at=stamp.at), (StepVerified(checkpoints=dict(marks)), StepDone())


def force(
    step: Step, where: StepAddress, below: OpenBelow, reason: str, stamp: Stamp, demand: Demand = NO_DEMAND
) -> Change:
    """Close despite missing checkpoints, and record which were. What the policy does not accept is missing."""
    from gatepost.domain.events import StepDone

    if step.done:
        return step, ()
    checkpoints.gate(where, blocked=step.blocked, reason=step.reason, below=below, unmet=())
    short = policies.unproven(step.relied_on, demand.policy) + policies.unsigned(step.relied_on, demand)
    refused = {item.checkpoint for item in short}
    left = replace(step, confirmed=tuple(mark for mark in step.confirmed if mark.checkpoint not in refused))
    event = StepDone(forced=bool(left.missing), missing=left.missing, reason=reason)
    return replace(left, done_at=stamp.at), (event,)


def reopen(step: Step, *, reason: str | None = None, because: str | None = None) -> Change:
    """Reopen a step and withdraw every confirmation: it must be proven again."""
    from gatepost.domain.events import StepReopened

    if not step.done:
        return step, ()
    withdrawn = tuple(mark.checkpoint for mark in step.confirmed)
    event = StepReopened(reason=reason, because=because, withdrawn=withdrawn)
    return replace(step, done_at=None, confirmed=()), (event,)


def evidence(step: Step, names: tuple[Checkpoint, ...]) -> Step:
    """Evidence for a checkpoint of an open step makes that checkpoint required."""
    new = {name for name in names if name not in checkpoints.ALWAYS and name not in step.required}
    if step.done or not new - set(step.evidenced):
        return step
    return replace(step, evidenced=in_order((*step.evidenced, *new)))  # type: ignore[arg-type]  # ALWAYS is removed


def block(step: Step, where: StepAddress, reason: str | None) -> Change:
    """Mark an open step as blocked. Repeating the reason, or giving none, changes nothing."""
    from gatepost.domain.events import StepBlocked

    if step.done:
        raise refusals.StepIsDone(where, "it cannot be blocked")
    if step.blocked and reason in (None, step.reason):
        return step, ()
    return replace(step, blocked=True, reason=reason, answer=None), (StepBlocked(reason=reason),)


def unblock(step: Step, stamp: Stamp, reason: str | None = None, answer: str | None = None) -> Change:
    """Unblock a step. What is said with it is kept with the step, for the one who waited."""
    from gatepost.domain.events import StepUnblocked

    if not step.blocked:
        return step, ()
    said = answer or reason
    kept = Answer(answer=said, question=step.reason, actor=stamp.actor, at=stamp.at) if said else None
    event = StepUnblocked(reason=reason, answer=answer)
    return replace(step, blocked=False, reason=None, answer=kept), (event,)


def define(step: Step, where: StepAddress, changes: dict[str, Any]) -> Change:
    """Change a step's definition. New criteria or tests void the confirmation of the old ones."""
    from gatepost.domain.events import StepDefined

    fields = tuple(name for name, value in changes.items() if getattr(step, name) != value)
    if not fields:
        return step, ()
    promised = [name for name in fields if name in ("criteria", "tests", "required")]
    if step.done and promised:
        raise refusals.StepIsDone(where, f"its {' and '.join(promised)} cannot be changed")
    kept = tuple(mark for mark in step.confirmed if mark.checkpoint not in fields)
    withdrawn = tuple(mark.checkpoint for mark in step.confirmed if mark.checkpoint in fields)
    changed = {name: changes[name] for name in fields}
    return replace(step, confirmed=kept, **changed), (StepDefined(fields=fields, withdrawn=withdrawn),)


def _satisfy(where: StepAddress, confirmations: Iterable[Confirmation], demand: Demand) -> None:
    """Refuse confirmations that do not do for the policy."""
    if demand.policy == policies.DEFAULT:
        return
    from gatepost.domain.proof_refusals import ProofRequired, SignoffRequired

    relied_on = tuple(confirmations)
    if weak := policies.unproven(relied_on, demand.policy):
        raise ProofRequired(where, weak)
    if unsigned := policies.unsigned(relied_on, demand):
        raise SignoffRequired(where, unsigned)


def _mark(step: Step, where: StepAddress, marks: Marks, stamp: Stamp) -> Step:
    held = {mark.checkpoint: mark for mark in step.confirmed}
    for name, mark in marks.items():
        before = held.get(name)
        if not mark.confirmed and before is not None:
            if step.done:
                raise refusals.StepIsDone(where, f"its confirmation of {name} cannot be withdrawn")
            del held[name]
        elif mark.confirmed and (before is None or _says_more(step, before, mark)):
            held[name] = Confirmation(checkpoint=name, at=stamp.at, actor=stamp.actor, note=mark.note)
    return replace(step, confirmed=_ordered(held.values()))


def _says_more(step: Step, before: Confirmation, mark: CheckpointMark) -> bool:
    """A new note is a change, but who confirmed a done step stays the same."""
    return not step.done and mark.note is not None and mark.note != before.note


def _ordered(confirmations: Iterable[Confirmation]) -> tuple[Confirmation, ...]:
    return tuple(sorted(confirmations, key=lambda mark: CHECKPOINTS.index(mark.checkpoint)))
