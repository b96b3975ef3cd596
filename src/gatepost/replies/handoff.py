"""The shift report."""

from msgspec import field

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.roots import Status
from gatepost.replies.lint import Risks
from gatepost.replies.radar import Blocker, Reason, Verification
from gatepost.replies.reply import Part, SuggestedCall, TargetReply, cuttable
from gatepost.replies.roots import Counts, RootHeading
from gatepost.replies.step_details import ProofBasis
from gatepost.replies.steps import CurrentStep, HeldStep, StepClaim, StepName, WrittenNote


class Proof(ProofBasis, frozen=True, kw_only=True):
    """What a checkpoint was confirmed on. `actor` and `at` are left out if they are those of the closing."""

    actor: str | None = None
    at: str | None = None


class WorkItem(Part, frozen=True, kw_only=True):
    """A task of a plan, or a step of a task. What is done says when and by whom it was closed, on which proof, with
    how many pieces of evidence, and whether it was forced; what is open, what it waits for, or who works on it.

    `reason` is why it is blocked, or what was said when it was closed.
    """

    task: str | None = None
    step_id: str | None = None
    path: str | None = None
    title: str = cuttable("")
    status: Status | None = None
    blocked: bool = False
    at: str | None = None
    actor: str | None = None
    proof: tuple[Proof, ...] | None = None
    evidence: int | None = None
    forced: bool = False
    unconfirmed: tuple[Checkpoint, ...] | None = None
    reason: str | None = None
    waits_for: tuple[str, ...] | None = None
    claim: StepClaim | None = None


class Work(Part, frozen=True, kw_only=True):
    """How much there is, and the first of it."""

    count: int
    items: tuple[WorkItem, ...]


class LogEnd(Part, frozen=True, kw_only=True):
    """The end of the log: its last `seq`, and the hash that covers everything up to it."""

    seq: int
    hash: str = cuttable("")


class OpenQuestion(Part, frozen=True, kw_only=True):
    """What a blocked step waits for, who said so and when; the answers to choose from, and who must answer."""

    task: str
    step_id: str
    path: str = cuttable("")
    title: str = cuttable("")
    question: str = cuttable("")
    options: tuple[str, ...] | None = None
    for_: str | None = field(default=None, name="for")
    actor: str | None = None
    at: str | None = None


class HandoffReply(TargetReply, frozen=True, kw_only=True):
    """What is done (latest first), what remains (in tree order), the questions that wait, what is at risk, and the
    newest notes (newest first); then the radar. `next` is the first thing to do. With `step`, all of it is about
    that step and what is below it."""

    target: RootHeading | None
    step: StepName | None = None
    done: Work
    remaining: Work
    questions: tuple[OpenQuestion, ...] | None = None
    risks: Risks
    notes: tuple[WrittenNote, ...] | None = None
    now: CurrentStep | None
    why: Reason | None
    verify: Verification | None
    next: SuggestedCall | None = None
    blockers: tuple[Blocker, ...]
    held: tuple[HeldStep, ...] | None = None
    counts: Counts
    log: LogEnd
