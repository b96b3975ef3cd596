"""The radar's reply."""

from msgspec import UNSET, UnsetType, field

from gatepost.domain.checkpoints import Checkpoint, Optional, Provenance
from gatepost.domain.checks import Check
from gatepost.domain.policies import Approver, Policy
from gatepost.domain.questions import Question
from gatepost.domain.roots import Status
from gatepost.replies.reply import Part, SuggestedCall, TargetReply, cuttable
from gatepost.replies.roots import Counts, RootHeading
from gatepost.replies.steps import CurrentStep, DoneStep, HeldStep


class Reason(Part, frozen=True, kw_only=True):
    """What the work is for, and which plan, task or taskdoc says so."""

    source: str = field(name="from")
    text: str


class Verification(Part, frozen=True, kw_only=True):
    """What would prove the current step, and the checkpoints that are not confirmed yet.

    `checks` are the commands that prove checkpoints; those are confirmed by running them. `confirmed` says what
    each confirmation rests on; `policy` what they must rest on, if a word is not enough; `stale` names those whose
    files have changed since.
    """

    criteria: tuple[str, ...] = cuttable(())
    tests: tuple[str, ...] = cuttable(())
    required: tuple[Optional, ...] = cuttable(())
    checks: tuple[Check, ...] | None = None
    confirmed: dict[Checkpoint, Provenance] | None = None
    policy: Policy | None = None
    stale: tuple[Checkpoint, ...] | None = None
    unconfirmed: tuple[Checkpoint, ...]


class Blocker(Part, frozen=True, kw_only=True):
    """A task that waits for another one (`depends_on`), a plan that waits for the `approval` of a person, or a
    blocked step with its reason and its question."""

    task: str
    depends_on: str | None = None
    status: Status | None = None
    approval: Approver | None = None
    step_id: str | None = None
    path: str | None = None
    title: str = cuttable("")
    reason: str | UnsetType | None = UNSET
    question: Question | None = None


class RadarReply(TargetReply, frozen=True, kw_only=True):
    """What to do now, why, how to verify it, the call to send next, what is in the way, and the steps that
    were closed last, newest first. `held` is what others work on. `stale_steps` counts the done steps of the task,
    up to 200, whose files have changed since checks proved them."""

    target: RootHeading | None
    now: CurrentStep | None
    why: Reason | None
    verify: Verification | None
    next: SuggestedCall | None = None
    blockers: tuple[Blocker, ...]
    counts: Counts
    held: tuple[HeldStep, ...] | None = None
    last_done: tuple[DoneStep, ...] | None = None
    stale_steps: int | None = None
