"""The reply that lists problems, and the risks of a shift report."""

from msgspec import UNSET, UnsetType

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.roots import Status
from gatepost.replies.reply import Part, SuggestedCall, TargetReply, cuttable
from gatepost.replies.roots import RootHeading


class LintFinding(Part, frozen=True, kw_only=True):
    """One problem in a plan, task or step, or in a taskdoc's package. `fix` is a call that solves it."""

    code: str
    task: str | None = None
    step_id: str | None = None
    path: str | None = None
    taskdoc: str | None = None
    selector: str | None = None
    says: str = cuttable("")
    fix: SuggestedCall | None = None


class LintReply(TargetReply, frozen=True, kw_only=True):
    """The problems that were found, and how many of each code; `at_least` if counting stopped early."""

    target: RootHeading | None
    findings: tuple[LintFinding, ...]
    count: int
    counts: dict[str, int]
    at_least: bool = False
    has_more: bool


class Risk(Part, frozen=True, kw_only=True):
    """One risk: a blocked or unproven step, one without criteria or tests, or a dependency that is not done.

    `asserted` are the checkpoints that were confirmed on a word alone, `stale` those that a check proved before
    files changed; `paths` are the steps that `actor` closed together.
    """

    code: str
    task: str
    step_id: str | None = None
    path: str | None = None
    depends_on: str | None = None
    status: Status | None = None
    title: str | None = None
    reason: str | UnsetType | None = UNSET
    unconfirmed: tuple[Checkpoint, ...] | None = None
    lacks: tuple[str, ...] | None = None
    asserted: tuple[Checkpoint, ...] | None = None
    stale: tuple[Checkpoint, ...] | None = None
    paths: tuple[str, ...] | None = None
    actor: str | None = None
    at: str | None = None


class Risks(Part, frozen=True, kw_only=True):
    """How many risks there are, how many of each code, and the first of them."""

    count: int
    counts: dict[str, int] = cuttable({})
    at_least: bool = False
    items: tuple[Risk, ...]
