"""What claims answer, and how replies show who holds what."""

from gatepost.replies.events import BriefEvent
from gatepost.replies.radar import Blocker
from gatepost.replies.reply import WriteReply
from gatepost.replies.step_writes import NextStep, StepsLeft, TaskWrite
from gatepost.replies.steps import HeldStep, StepName


class WorkClaimed(WriteReply, frozen=True, kw_only=True):
    """What the caller holds now, when that ends without another call, and the step to continue with.

    If nothing is free, `step` is null; `held` says what others hold and `blockers` what else is in the way.
    """

    task: str | None = None
    step: StepName | None
    whole: bool = False
    until: str | None = None
    revision: int | None = None
    events: tuple[BriefEvent, ...] = ()
    now: NextStep | None = None
    left: StepsLeft | None = None
    held: tuple[HeldStep, ...] | None = None
    blockers: tuple[Blocker, ...] | None = None


class WorkReleased(TaskWrite, frozen=True, kw_only=True):
    """What the caller no longer holds: a step, or the whole task."""

    step: StepName | None = None
