"""Steps: the work, and what proves it. The rules for closing and reopening it are in `step_rules`."""

from collections.abc import Callable

from gatepost.domain.checkpoints import ALWAYS, CHECKPOINTS, Checkpoint, Confirmation, Optional, Provenance, Support
from gatepost.domain.checks import Check
from gatepost.domain.claims import Claim
from gatepost.domain.policies import Policy
from gatepost.domain.questions import Answer, Question
from gatepost.domain.value import Value


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
    question: Question | None = None
    answer: Answer | None = None
    done_at: str | None = None
    claim: Claim | None = None
    formerly: tuple[str, ...] = ()
    """The paths that it had before it was moved. Evidence that was captured there is still there."""

    @property
    def done(self) -> bool:
        """Whether the step is closed."""
        return self.done_at is not None

    @property
    def waits_for(self) -> str | None:
        """What a blocked step waits for, in words: the reason, or else the question."""
        return self.reason or (None if self.question is None else self.question.ask)

    @property
    def needed(self) -> tuple[Checkpoint, ...]:
        """The checkpoints that must be confirmed before the step is done."""
        wanted = {*ALWAYS, *self.required, *self.evidenced, *[check.checkpoint for check in self.checks]}
        return tuple([name for name in CHECKPOINTS if name in wanted])

    @property
    def missing(self) -> tuple[Checkpoint, ...]:
        """The needed checkpoints that are not confirmed."""
        have = {mark.checkpoint for mark in self.confirmed}
        return tuple([name for name in self.needed if name not in have])

    @property
    def by_checks(self) -> tuple[Checkpoint, ...]:
        """The checkpoints that only checks confirm."""
        checked = {check.checkpoint for check in self.checks}
        return tuple([name for name in CHECKPOINTS if name in checked])

    @property
    def undescribed(self) -> tuple[Checkpoint, ...]:
        """The checkpoints that every step needs and of which neither a text nor a check says what they take."""
        if self.criteria and self.tests:
            return ()
        checked = self.by_checks
        return tuple(name for name in ALWAYS if not getattr(self, name) and name not in checked)

    @property
    def relied_on(self) -> tuple[Confirmation, ...]:
        """The confirmations that closing the step rests on."""
        needed = self.needed
        return tuple([mark for mark in self.confirmed if mark.checkpoint in needed])

    @property
    def checked(self) -> bool:
        """Whether a check made one of its proofs."""
        return any(mark.basis == "machine" for mark in self.confirmed)

    def covers(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """The patterns of the files that the checks of a checkpoint are about; none means all files."""
        found = [check.covers for check in self.checks if check.checkpoint == checkpoint]
        return tuple(sorted({name for names in found for name in names})) if all(found) else ()

    @property
    def asserted(self) -> tuple[Checkpoint, ...]:
        """The checkpoints that were confirmed on a word alone."""
        return tuple(mark.checkpoint for mark in self.confirmed if mark.provenance == "asserted")


Staleness = Callable[[Step, Confirmation], bool]
"""Whether files that a proof covers have changed since it was made."""


def never_stale(_step: Step, _mark: Confirmation) -> bool:
    """For views that do not look at the source tree."""
    return False


def stale_proofs(member: object, is_stale: Staleness) -> tuple[Checkpoint, ...]:
    """The checkpoints of a step whose files have changed since a check proved them. Task nodes have none."""
    if not isinstance(member, Step):
        return ()
    return tuple(mark.checkpoint for mark in member.confirmed if is_stale(member, mark))


def provenance(member: object) -> dict[Checkpoint, Provenance] | None:
    """What each confirmation of a step rests on; nothing if there is none."""
    if not isinstance(member, Step):
        return None
    return {mark.checkpoint: mark.provenance for mark in member.confirmed} or None
