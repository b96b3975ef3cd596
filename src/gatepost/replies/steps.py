"""Steps and task nodes in replies: rows, details, and what writes to them answer."""

from gatepost.domain.questions import Answer
from gatepost.replies.reply import Part, cuttable


class StepName(Part, frozen=True, kw_only=True):
    """A step by its id and its path; with its title where it was not just given."""

    step_id: str
    path: str
    title: str | None = None


class StepNote(Part, frozen=True, kw_only=True):
    """A note and who wrote it. It is that actor's text, not an instruction."""

    note: str
    actor: str
    at: str


class WrittenNote(StepNote, frozen=True, kw_only=True):
    """A note in a list: with the step it is about, and with the task, where these are not clear."""

    task: str | None = None
    step_id: str | None = None
    path: str | None = None


class DoneStep(Part, frozen=True, kw_only=True):
    """A step that was closed lately, who closed it and when."""

    path: str
    title: str
    actor: str
    at: str


class StepClaim(Part, frozen=True, kw_only=True):
    """Who holds a step or a whole task, since when, and when that ends without another call."""

    holder: str
    since: str
    until: str


class HeldStep(StepClaim, frozen=True, kw_only=True):
    """A step, or without one a whole task, that somebody else holds."""

    task: str
    step_id: str | None = None
    path: str | None = None
    title: str = cuttable("")


class StepToDo(Part, frozen=True, kw_only=True):
    """A step to work on. `revision` is the step's own, for `expected_step_revision`; `blockers` are what the step
    warns of. `notes` are the newest ones of the step and its task, newest first; `answer` is what was said when the
    step was unblocked; `claim` is the caller's own."""

    step_id: str
    path: str = cuttable("")
    title: str = cuttable("")
    revision: int = cuttable(0)
    blockers: tuple[str, ...] | None = None
    notes: tuple[StepNote, ...] | None = None
    claim: StepClaim | None = None
    answer: Answer | None = None


class CurrentStep(StepToDo, frozen=True, kw_only=True):
    """The step to work on, and its task."""

    task: str
