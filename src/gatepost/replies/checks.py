"""What a run of checks answers."""

from msgspec import field

from gatepost.domain.checkpoints import Checkpoint
from gatepost.replies.reply import Part, cuttable
from gatepost.replies.step_writes import StepChanged, TaskWrite
from gatepost.replies.steps import StepName


class CheckOutcome(Part, frozen=True, kw_only=True):
    """How one check came out. `tail` is the end of what it printed; all of it is in the step's evidence.

    `exit_code` is left out if the command was stopped or never started. `problem` says why it failed.
    """

    run: tuple[str, ...]
    checkpoint: Checkpoint = field(name="for")
    passed: bool
    exit_code: int | None = None
    seconds: float
    tail: str = cuttable("")
    problem: str | None = None
    redacted: int | None = None


class Checked(TaskWrite, frozen=True, kw_only=True):
    """How each check came out, and which checkpoints are confirmed by that. `warnings` says why none is, where all
    passed."""

    step: StepName
    checks: tuple[CheckOutcome, ...]
    confirmed: tuple[Checkpoint, ...]
    warnings: tuple[str, ...] | None = None


class StepClosed(StepChanged, frozen=True, kw_only=True):
    """The step was closed. `checks` says how its checks came out, if they were run."""

    checks: tuple[CheckOutcome, ...] | None = None
