"""What calls that change steps answer. Reads do not load it."""

from typing import Literal

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.checks import Check
from gatepost.domain.policies import Policy
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, WriteReply
from gatepost.replies.steps import StepName, StepToDo


class StepsLeft(Part, frozen=True, kw_only=True):
    """How many steps of the task are open, and how many of those are blocked."""

    open: int
    blocked: int | None = None


class NextStep(StepToDo, frozen=True, kw_only=True):
    """The step to continue with, and what would prove it. `unconfirmed` is left out if it is criteria and tests.

    A caller that this step is not new to gets its name and revision. `task` is left out if the reply names it.
    """

    task: str | None = None
    criteria: tuple[str, ...] | None = None
    tests: tuple[str, ...] | None = None
    checks: tuple[Check, ...] | None = None
    policy: Policy | None = None
    unconfirmed: tuple[Checkpoint, ...] | None = None


class TaskWrite(WriteReply, frozen=True, kw_only=True):
    """A write to a task or one of its steps: its revision now, the step to continue with, and what is left. If no
    step is ready, `next` says what to do instead."""

    task: str
    revision: int
    events: tuple[BriefEvent, ...]
    now: NextStep | None = None
    left: StepsLeft | None = None


class StepChanged(TaskWrite, frozen=True, kw_only=True):
    """A step changed, and its task with it."""

    step: StepName


class Elicited(Part, frozen=True, kw_only=True):
    """The result of a question to the user of the caller's client. If the user gave no answer, it
    `waits` in the inbox, and `because` says why. If somebody else answered first, `actor` did.
    """

    outcome: Literal["answered", "answered_elsewhere", "waits"]
    answer: str | None = None
    actor: str | None = None
    because: str | None = None


class BlockChanged(StepChanged, frozen=True, kw_only=True):
    """A step was blocked or unblocked; or both, if the user of the caller's client answered at once."""

    elicited: Elicited | None = None


class StepsCreated(TaskWrite, frozen=True, kw_only=True):
    """The new steps, each before the steps below it."""

    steps: tuple[StepName, ...]


class Noted(TaskWrite, frozen=True, kw_only=True):
    """The plan, task or step that the note was added to."""

    step: StepName | None = None


class NodeChanged(TaskWrite, frozen=True, kw_only=True):
    """A task node changed, and its task with it."""

    node: StepName


class Captured(TaskWrite, frozen=True, kw_only=True):
    """How many pieces of evidence were stored, and for what."""

    captured: int
    step: StepName | None = None
