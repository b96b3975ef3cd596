"""Parts of replies that show a step in a list or in full: its row, its proofs and its checks."""

from typing import Literal

from gatepost.domain.checkpoints import Checkpoint, Optional, Provenance, Signature
from gatepost.domain.checks import Check
from gatepost.domain.policies import Policy, ProofLevel, Signer
from gatepost.domain.questions import Answer, Question
from gatepost.domain.roots import Priority, Status
from gatepost.replies.reply import Part, cuttable
from gatepost.replies.steps import StepClaim


class StepCounts(Part, frozen=True, kw_only=True):
    """How many steps there are below."""

    total: int
    done: int
    open: int
    blocked: int


class StepRow(Part, frozen=True, kw_only=True):
    """A step or task node in a list. `revision` is its own, for `expected_step_revision`; `blocked` is the reason,
    or true; `status` is a task node's. `provenance` says what each confirmation rests on, and `stale` names those
    whose files have changed since; a step in full has them in `confirmed`. `claim` says who works on it now."""

    step_id: str
    path: str = cuttable("")
    title: str = cuttable("")
    revision: int = cuttable(0)
    done: bool
    counts: StepCounts | None = None
    status: Status | None = None
    blocked: str | bool | None = None
    unconfirmed: tuple[Checkpoint, ...] | None = None
    provenance: dict[Checkpoint, Provenance] | None = None
    stale: tuple[Checkpoint, ...] | None = None
    claim: StepClaim | None = None


class ProofBasis(Part, frozen=True, kw_only=True):
    """What a checkpoint was confirmed on: a word alone (asserted), a note, evidence, a check that ran (machine), or
    a person (human).

    `evidence` is the `seq` of the event that captured it, `commit` the one that the checks ran on, `dirty` if there
    were changes on top of it, `worktree` the linked worktree of git that they ran in. `stale`: files that the proof
    covers have changed since. `signed` is who else confirmed it.
    """

    checkpoint: Checkpoint
    provenance: Provenance
    note: str | None = None
    evidence: int | None = None
    commit: str | None = None
    dirty: bool = False
    worktree: str | None = None
    stale: bool = False
    signed: Signature | None = None


class StepProof(ProofBasis, frozen=True, kw_only=True):
    """What a checkpoint was confirmed on, by whom and when."""

    actor: str
    at: str


CheckState = Literal["passed", "failed", "stale", "not_run"]


class CheckResult(Part, frozen=True, kw_only=True):
    """How the newest run of a check came out. A check that passed, but no longer proves anything, is `not_run`.

    `evidence` is the `seq` of the event that captured the output.
    """

    state: CheckState
    seconds: float | None = None
    exit_code: int | None = None
    evidence: int | None = None


class Need(Part, frozen=True, kw_only=True):
    """A confirmation that does not do for the policy: the `proof` that it wants, or who must sign it off."""

    checkpoint: Checkpoint
    proof: ProofLevel | None = None
    signoff: Signer | None = None


class StepDetail(StepRow, frozen=True, kw_only=True):
    """A step or task node in full. A task node has a priority and a description; all else is a step's.

    `results` says how each of the `checks` came out, in their order. `policy` is what is set for the step itself;
    `needs` is what closing it takes beyond the confirmations that it has and lacks.
    """

    priority: Priority | None = None
    description: str | None = None
    criteria: tuple[str, ...] | None = None
    tests: tuple[str, ...] | None = None
    blockers: tuple[str, ...] | None = None
    required: tuple[Optional, ...] | None = None
    checks: tuple[Check, ...] | None = None
    results: tuple[CheckResult, ...] | None = None
    policy: Policy | None = None
    confirmed: tuple[StepProof, ...] | None = None
    needs: tuple[Need, ...] | None = None
    question: Question | None = None
    answer: Answer | None = None
    done_at: str | None = None
