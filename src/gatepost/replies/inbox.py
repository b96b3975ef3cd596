"""The inbox: what waits for a person."""

from typing import Literal

from msgspec import field

from gatepost.domain.checkpoints import Checkpoint
from gatepost.replies.reply import Part, SuggestedCall, TargetReply, cuttable
from gatepost.replies.step_details import StepProof

InboxKind = Literal["question", "signoff", "approval", "package", "trust"]


class InboxItem(Part, frozen=True, kw_only=True):
    """One thing to do. `do` says it in words; `command` does it in a terminal, and `next` as a call.

    A question has `ask`, `options` to choose from, who must answer (`for`), and who asked when; `reason` says why
    the step is blocked. A sign-off has the checkpoints to confirm (`signoff`) and what was `confirmed` so far. A
    package has its taskdoc, section and what `differs`; trust has the command line that a step's check would `run`.
    """

    kind: InboxKind
    task: str | None = None
    plan: str | None = None
    step_id: str | None = None
    path: str | None = None
    revision: int | None = None
    title: str = cuttable("")
    ask: str | None = None
    options: tuple[str, ...] | None = None
    for_: str | None = field(default=None, name="for")
    reason: str | None = None
    actor: str | None = None
    at: str | None = None
    signoff: tuple[Checkpoint, ...] | None = None
    confirmed: tuple[StepProof, ...] | None = None
    taskdoc: str | None = None
    selector: str | None = None
    differs: str | None = None
    run: str | None = None
    do: str = cuttable("")
    command: str | None = None
    next: SuggestedCall | None = None


class InboxCounts(Part, frozen=True, kw_only=True):
    """How many there are of each kind; `at_least` if counting stopped early."""

    question: int = 0
    signoff: int = 0
    approval: int = 0
    package: int = 0
    trust: int = 0
    at_least: bool = False


class InboxReply(TargetReply, frozen=True, kw_only=True):
    """Questions first, then sign-offs, approvals, edited packages and commands to trust; each kind in the order of
    its tasks and plans."""

    items: tuple[InboxItem, ...]
    counts: InboxCounts
    has_more: bool
    cursor: str | None = None
