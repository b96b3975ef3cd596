"""The reply that shows one plan, task or step in full."""

from gatepost.replies.events import LoggedEvent
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.policies import PolicyFields
from gatepost.replies.reply import Part, TargetReply, cuttable
from gatepost.replies.roots import RootDetail, RootRow
from gatepost.replies.step_details import StepDetail
from gatepost.replies.steps import WrittenNote


class ReEntry(Part, frozen=True, kw_only=True):
    """What the last round left for the next one."""

    reminder_content: str
    round: int
    task: str | None = None
    plan: str | None = None
    at: str = cuttable("")
    actor: str = cuttable("")


class ListedStep(StepDetail, frozen=True, kw_only=True):
    """A step below: a row; with `proofs` all of it, with its evidence. `older_evidence` counts what is left out."""

    evidence: tuple[KeptEvidence, ...] | None = None
    older_evidence: int | None = None


class ResumeReply(TargetReply, frozen=True, kw_only=True):
    """What the last round left, the target, the step if one was named, its newest notes and its evidence, what is
    below it, and the latest events if `events_limit` asks for them. Without a step, the notes are those of the
    target and its steps. `holds` is the policy of the step or the target, if it is not the default. `now` is the id
    of the task's step to work on, as in the radar."""

    re_entry: ReEntry | None = None
    target: RootDetail | None
    step: StepDetail | None = None
    notes: tuple[WrittenNote, ...] | None = None
    evidence: tuple[KeptEvidence, ...] | None = None
    holds: PolicyFields | None = None
    now: str | None = None
    steps: tuple[ListedStep, ...]
    tasks: tuple[RootRow, ...] | None = None
    has_more: bool
    cursor: str | None = None
    events: tuple[LoggedEvent, ...] | None = None
