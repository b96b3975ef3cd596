"""The shift report."""

from gatepost.domain.roots import Status
from gatepost.replies.lint import Risks
from gatepost.replies.radar import Blocker, Reason, Verification
from gatepost.replies.reply import Part, SuggestedCall, TargetReply, cuttable
from gatepost.replies.roots import Counts, RootHeading
from gatepost.replies.steps import CurrentStep


class WorkItem(Part, frozen=True, kw_only=True):
    """A task of a plan, or a step of a task; `at` is when it was done."""

    task: str | None = None
    step_id: str | None = None
    path: str | None = None
    title: str = cuttable("")
    status: Status | None = None
    blocked: bool = False
    at: str | None = None


class Work(Part, frozen=True, kw_only=True):
    """How much there is, and the first of it."""

    count: int
    items: tuple[WorkItem, ...]


class LogEnd(Part, frozen=True, kw_only=True):
    """The end of the log: its last `seq`, and the hash that covers everything up to it."""

    seq: int
    hash: str = cuttable("")


class HandoffReply(TargetReply, frozen=True, kw_only=True):
    """What is done (latest first), what remains (in tree order) and what is at risk; then the radar."""

    target: RootHeading | None
    done: Work
    remaining: Work
    risks: Risks
    now: CurrentStep | None
    why: Reason | None
    verify: Verification | None
    next: SuggestedCall
    blockers: tuple[Blocker, ...]
    counts: Counts
    log: LogEnd
