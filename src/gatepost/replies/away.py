"""What happened while somebody was away."""

from typing import Literal

from msgspec import field

from gatepost.domain.checkpoints import Checkpoint, Provenance
from gatepost.replies.history import MomentInLog
from gatepost.replies.reply import Part, Reply, cuttable

Proven = Literal["asserted", "noted", "evidenced", "machine", "human", "unproven"]


class FinishedStep(Part, frozen=True, kw_only=True):
    """A step that was closed and still is: by whom, when, and what each confirmation rests on. `unconfirmed` is
    what a forced step still lacks."""

    task: str
    step_id: str
    path: str
    title: str = cuttable("")
    at: str = cuttable("")
    actor: str = cuttable("")
    provenance: dict[Checkpoint, Provenance] | None = None
    unconfirmed: tuple[Checkpoint, ...] | None = None


class FinishedSteps(Part, frozen=True, kw_only=True):
    """How many steps were finished, how many of them on which proof (the weakest of each), and the newest."""

    count: int
    proven: dict[Proven, int] = cuttable({})
    items: tuple[FinishedStep, ...]


class FinishedRoot(Part, frozen=True, kw_only=True):
    """A plan or task that was completed, and still is."""

    id: str
    title: str = cuttable("")
    at: str = cuttable("")
    actor: str = cuttable("")


class FinishedRoots(Part, frozen=True, kw_only=True):
    """How many plans and tasks were completed, and the newest."""

    plans: int
    tasks: int
    items: tuple[FinishedRoot, ...]


class AskedQuestion(Part, frozen=True, kw_only=True):
    """What a step waited for, and the answer that lifted the block. Without `answered_at`, it still waits."""

    task: str
    step_id: str
    path: str
    title: str = cuttable("")
    ask: str | None = None
    actor: str | None = None
    at: str | None = None
    answer: str | None = None
    answered_by: str | None = None
    answered_at: str | None = None


class AskedQuestions(Part, frozen=True, kw_only=True):
    """How many questions were asked or answered, how many of these still wait, and the newest."""

    count: int
    waiting: int
    items: tuple[AskedQuestion, ...]


class StuckStep(Part, frozen=True, kw_only=True):
    """A step that is blocked now, and what it waits for."""

    task: str
    step_id: str
    path: str
    title: str = cuttable("")
    waits_for: str | None = None


class StuckSteps(Part, frozen=True, kw_only=True):
    """How many steps are blocked now, and the first of them; `at_least` if counting stopped early."""

    count: int
    at_least: bool = False
    items: tuple[StuckStep, ...]


class Worker(Part, frozen=True, kw_only=True):
    """Somebody who changed something: how many operations, how many steps closed, and when last."""

    actor: str
    operations: int
    closed: int = 0
    last: str = cuttable("")


class NewRoots(Part, frozen=True, kw_only=True):
    """How many plans and tasks were created."""

    plans: int = 0
    tasks: int = 0


class AwayReply(Reply, frozen=True, kw_only=True):
    """A digest of what happened since a moment. `partial` means that only the newest part of the log was
    read, beginning at `from`, because so much happened."""

    since: MomentInLog = field(name="from")
    to: MomentInLog
    partial: bool = False
    finished: FinishedSteps
    completed: FinishedRoots
    questions: AskedQuestions
    blocked: StuckSteps
    workers: tuple[Worker, ...]
    created: NewRoots
