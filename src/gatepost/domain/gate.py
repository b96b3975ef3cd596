"""The gate: what a step needs before it is done."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from gatepost.domain import policies
from gatepost.domain.checkpoints import Checkpoint, Confirmation
from gatepost.domain.checks import Check
from gatepost.domain.policies import NO_DEMAND, Demand
from gatepost.domain.proof_refusals import ChecksNotRun, ProofRequired, SignoffRequired
from gatepost.domain.refusals import (
    CheckpointsNotConfirmed,
    ChildrenOpen,
    Refusal,
    StepAddress,
    StepIsBlocked,
    Suggestion,
)


class OpenBelow(Struct, frozen=True):
    """How much below a step is not done, and the first open steps in tree order."""

    count: int = 0
    first: tuple[StepAddress, ...] = ()


NOTHING_OPEN: Final = OpenBelow()


def pass_open(step: StepAddress, *, blocked: bool, reason: str | None, below: OpenBelow) -> None:
    """Refuse to close a step that is blocked, or has open work below it."""
    if blocked:
        raise StepIsBlocked(step, reason)
    if below.count:
        raise children_open(str(step), below)


def unproven(step: StepAddress, unmet: tuple[Checkpoint, ...], checks: tuple[Check, ...] = ()) -> Refusal:
    """The refusal that lists exactly the checkpoints that are missing, and how to get them."""
    by_checks = tuple(name for name in unmet if any(check.checkpoint == name for check in checks))
    if by_checks and by_checks == unmet:
        return checks_not_run(step, unmet, checks)
    names, by_word = " and ".join(unmet), " and ".join(name for name in unmet if name not in by_checks)
    run = f"Run the checks of the step: they confirm {' and '.join(by_checks)}. " if by_checks else ""
    return CheckpointsNotConfirmed(
        f"Cannot close {step}: {names} not confirmed.",
        f"{run}Verify {by_word}, then close the step and confirm only what passed.",
        Suggestion("tasks_resume", step.selector),
        missing=list(unmet),
    )


def pass_policy(step: StepAddress, relied_on: Iterable[Confirmation], demand: Demand) -> None:
    """Refuse to close a step on confirmations that are not what its policy wants."""
    if demand is NO_DEMAND:
        return
    marks = tuple(relied_on)
    if weak := policies.unproven(marks, demand.policy):
        raise ProofRequired(step, weak)
    if unsigned := policies.unsigned(marks, demand):
        raise SignoffRequired(step, unsigned)


def checks_not_run(step: StepAddress, names: tuple[Checkpoint, ...], checks: tuple[Check, ...]) -> ChecksNotRun:
    """The refusal of a word where a check decides. It names the checks."""
    wanted = [check for check in checks if check.checkpoint in names]
    lines = ", ".join(f"`{check.line}`" for check in wanted)
    return ChecksNotRun(
        f"{' and '.join(names)} of {step} {'is' if len(names) == 1 else 'are'} confirmed by running {lines}.",
        "Run the checks of the step. What passes is confirmed.",
        Suggestion("tasks_check", step.selector),
        missing=list(names),
        checks=[{"run": list(check.run), "for": check.checkpoint} for check in wanted],
    )


def children_open(holder: str, below: OpenBelow) -> ChildrenOpen:
    """The refusal that lists the open steps below a step or task."""
    first = below.first[0]
    return ChildrenOpen(
        f"{holder} has {below.count} open below it; the first is {first.step_id} at {first.path}.",
        "Close the steps below it, deepest first, then close this one.",
        Suggestion("tasks_resume", first.selector),
        missing=[{"step_id": item.step_id, "path": item.path} for item in below.first],
        open=below.count,
    )


def tasks_open(plan: str, count: int, first: list[str]) -> ChildrenOpen:
    """The refusal that lists the open tasks of a plan."""
    return ChildrenOpen(
        f"{plan} has {count} open tasks; the first is {first[0]}.",
        "Complete its tasks, then the plan.",
        Suggestion("tasks_radar", {"task": first[0]}),
        missing=[{"task": task} for task in first],
        open=count,
    )
