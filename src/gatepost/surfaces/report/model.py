"""What a report says: the steps of a plan or task with their proofs, and what deserves a second look."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from gatepost.domain.checkpoints import CHECKPOINTS, Checkpoint, Provenance
from gatepost.replies.events import LoggedEvent
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.handoff import HandoffReply
from gatepost.replies.lint import Risk
from gatepost.replies.policies import PolicyFields
from gatepost.replies.resume import ListedStep
from gatepost.replies.roots import RootDetail
from gatepost.replies.step_details import StepProof


class Evidence(Struct, frozen=True):
    """A piece of evidence, and the event that captured it, if the log was read that far."""

    piece: KeptEvidence
    captured: LoggedEvent | None


class CheckpointReport(Struct, frozen=True):
    """One checkpoint of a step: what it demands, what it was confirmed on, and its evidence, newest first."""

    name: Checkpoint
    texts: tuple[str, ...]
    commands: tuple[str, ...]
    proof: StepProof | None
    evidence: tuple[Evidence, ...]

    def rests_on(self, evidence: Evidence) -> bool:
        """Whether the proof was made on this evidence."""
        return self.proof is not None and self.proof.evidence == evidence.piece.seq is not None


class StepReport(Struct, frozen=True, kw_only=True):
    """A step or task node. `closed` is the event that closed it; `together` if others were closed at once."""

    task: str
    step: ListedStep
    closed: LoggedEvent | None
    together: bool
    checkpoints: tuple[CheckpointReport, ...]
    evidence: tuple[Evidence, ...]
    """What names no checkpoint."""

    @property
    def name(self) -> str:
        """Its task and its path."""
        return f"{self.task} {self.step.path}"

    @property
    def depth(self) -> int:
        """How far it is below the task."""
        return self.step.path.count(".")

    @property
    def proofs(self) -> tuple[StepProof, ...]:
        """Its confirmations."""
        return self.step.confirmed or ()

    @property
    def on_a_word(self) -> bool:
        """Whether it is done, and a confirmation rests on a word alone."""
        return self.step.done and any(proof.provenance == "asserted" for proof in self.proofs)

    @property
    def stale(self) -> bool:
        """Whether files have changed since a proof was made."""
        return any(proof.stale for proof in self.proofs)

    @property
    def forced(self) -> bool:
        """Whether it was closed without a confirmation that it needs."""
        return self.step.done and bool(self.step.unconfirmed)

    @property
    def doubts(self) -> list[str]:
        """Why it deserves a second look."""
        said = {
            "word alone": self.on_a_word,
            "stale": self.stale,
            "forced": self.forced,
            "closed in bulk": self.together,
        }
        return [word for word, applies in said.items() if applies]


class TaskReport(Struct, frozen=True):
    """A task with all its steps in tree order, and the evidence of the task itself."""

    root: RootDetail
    steps: tuple[StepReport, ...]
    evidence: tuple[Evidence, ...]


class Report(Struct, frozen=True, kw_only=True):
    """A plan with its tasks, or a task. `moved` if somebody wrote while it was read."""

    workspace: str
    root: RootDetail
    handoff: HandoffReply
    tasks: tuple[TaskReport, ...]
    evidence: tuple[Evidence, ...]
    """The evidence of a plan itself."""
    holds: PolicyFields | None
    """What the policy wants beyond the default."""
    made_at: str
    moved: bool

    @property
    def steps(self) -> list[StepReport]:
        """Every step of every task."""
        return [step for task in self.tasks for step in task.steps]

    @property
    def provenance(self) -> Counter[Provenance]:
        """How many proofs rest on what."""
        return Counter(proof.provenance for step in self.steps for proof in step.proofs)

    @property
    def doubts(self) -> list[tuple[str, str, list[StepReport]]]:
        """What deserves a second look: what it is called, what it means, and the steps. Only what there is."""
        steps = self.steps
        groups = [
            ("On a word alone", "confirmed without a note, evidence or a check", [s for s in steps if s.on_a_word]),
            ("Stale", "files have changed since the proof was made", [s for s in steps if s.stale]),
            ("Forced", "closed without a confirmation that the step needs", [s for s in steps if s.forced]),
            ("Closed in bulk", "closed by one actor within a second", [s for s in steps if s.together]),
        ]
        return [group for group in groups if group[2]]

    @property
    def open(self) -> list[StepReport]:
        """The steps that are not done."""
        return [step for step in self.steps if not step.step.done]

    @property
    def risks(self) -> list[Risk]:
        """Other risks: those that are not about how steps were closed or why they are open."""
        shown = ("WORD_ALONE", "STALE_PROOF", "UNPROVEN", "CLOSED_IN_BULK", "BLOCKED")
        return [risk for risk in self.handoff.risks.items if risk.code not in shown]


def step_report(
    task: str, step: ListedStep, events: Mapping[int, LoggedEvent], closed: LoggedEvent | None, *, together: bool
) -> StepReport:
    """A step with its evidence sorted by checkpoint. Each piece is under one: the first that it names."""
    sorted_by: dict[Checkpoint | None, list[Evidence]] = {}
    for piece in step.evidence or ():
        named = min(piece.checkpoints or (), key=CHECKPOINTS.index, default=None)
        sorted_by.setdefault(named, []).append(captured(piece, events))
    proofs = {proof.checkpoint: proof for proof in step.confirmed or ()}
    texts = {"criteria": step.criteria or (), "tests": step.tests or ()}
    commands = {name: tuple(it.line for it in step.checks or () if it.checkpoint == name) for name in CHECKPOINTS}
    wanted = {*proofs, *sorted_by, *(step.unconfirmed or ()), *(step.required or ())}
    return StepReport(
        task=task,
        step=step,
        closed=closed,
        together=together,
        checkpoints=tuple(
            CheckpointReport(
                name, texts.get(name, ()), commands[name], proofs.get(name), tuple(sorted_by.get(name, ()))
            )
            for name in CHECKPOINTS
            if name in wanted and (name in proofs or texts.get(name) or commands[name] or name in sorted_by)
        ),
        evidence=tuple(sorted_by.get(None, ())),
    )


def captured(piece: KeptEvidence, events: Mapping[int, LoggedEvent]) -> Evidence:
    """A piece of evidence, with who captured it."""
    return Evidence(piece, None if piece.seq is None else events.get(piece.seq))
