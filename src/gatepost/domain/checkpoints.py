"""The five checkpoints, and the gate for closing a step."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from msgspec import Struct

from gatepost.domain.people import is_person
from gatepost.domain.refusals import (
    CheckpointsNotConfirmed,
    ChildrenOpen,
    StepAddress,
    StepIsBlocked,
    Suggestion,
)
from gatepost.domain.value import Value

Checkpoint = Literal["criteria", "tests", "security", "perf", "docs"]
Optional = Literal["security", "perf", "docs"]

CHECKPOINTS: Final[tuple[Checkpoint, ...]] = get_args(Checkpoint)
ALWAYS: Final[tuple[Checkpoint, ...]] = ("criteria", "tests")


Basis = Literal["evidenced", "machine", "human"]
Provenance = Literal["asserted", "noted", "evidenced", "machine", "human"]
"""What a confirmation rests on, the weakest first: a word alone, a note, evidence, a check that ran, a person."""


class TreeMark(Value, frozen=True, kw_only=True):
    """The source tree that a proof was made on.

    `digest` covers the content of the files that the proof is about. Without one, the proof never goes stale.
    """

    commit: str | None = None
    dirty: bool | None = None
    digest: str | None = None
    worktree: str | None = None


class Signature(Value, frozen=True, kw_only=True):
    """A second actor, or a person, who confirmed what was confirmed already."""

    actor: str
    at: str
    note: str | None = None


class Confirmation(Value, frozen=True, kw_only=True):
    """Who confirmed a checkpoint, when, and on what.

    `basis` is set by Gatepost, never by a caller. `evidence` is the `seq` of the event that captured the evidence,
    `tree` the source tree that a check ran on.
    """

    checkpoint: Checkpoint
    at: str
    actor: str
    note: str | None = None
    basis: Basis | None = None
    evidence: int | None = None
    tree: TreeMark | None = None
    signed: Signature | None = None

    @property
    def provenance(self) -> Provenance:
        """What the confirmation rests on."""
        if self.basis == "machine":
            return "machine"
        if self.basis == "human" or (self.signed is not None and is_person(self.signed.actor)):
            return "human"
        return self.basis or ("asserted" if self.note is None else "noted")


class Support(Value, frozen=True, kw_only=True):
    """The newest evidence for a checkpoint: the `seq` of the event that captured it."""

    checkpoint: Checkpoint
    seq: int


class CheckpointMark(Value, frozen=True, kw_only=True):
    """What a call says about one checkpoint."""

    confirmed: bool
    note: str | None = None


Marks = Mapping[Checkpoint, CheckpointMark]


class OpenBelow(Struct, frozen=True):
    """How much below a step is not done, and the first open steps in tree order."""

    count: int = 0
    first: tuple[StepAddress, ...] = ()


NOTHING_OPEN: Final = OpenBelow()


def in_order(names: tuple[Optional, ...]) -> tuple[Optional, ...]:
    """Each name once, in the order of the checkpoints, so that equal demands are equal values."""
    return tuple(sorted(set(names), key=CHECKPOINTS.index))


def missing(required: tuple[Optional, ...], confirmed: tuple[Confirmation, ...]) -> tuple[Checkpoint, ...]:
    """The checkpoints that a step still needs before it is done."""
    have = {confirmation.checkpoint for confirmation in confirmed}
    return tuple(name for name in CHECKPOINTS if name not in have and (name in ALWAYS or name in required))


def gate(
    step: StepAddress, *, blocked: bool, reason: str | None, below: OpenBelow, unmet: tuple[Checkpoint, ...]
) -> None:
    """Refuse to close a step that is blocked, has open work below it, or is not proven."""
    if blocked:
        raise StepIsBlocked(step, reason)
    if below.count:
        raise children_open(str(step), below)
    if unmet:
        raise unproven(step, unmet)


def unproven(step: StepAddress, unmet: tuple[Checkpoint, ...]) -> CheckpointsNotConfirmed:
    """The refusal that lists exactly the checkpoints that are missing."""
    names = " and ".join(unmet)
    return CheckpointsNotConfirmed(
        f"Cannot close {step}: {names} not confirmed.",
        f"Verify {names}, then close the step and confirm only what passed.",
        Suggestion("tasks_resume", step.selector),
        missing=list(unmet),
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
