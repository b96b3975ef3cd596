"""Plans and tasks in replies: headings, rows, details, and what writes to them answer."""

from gatepost.domain.policies import Policy
from gatepost.domain.roots import Approval, Kind, Priority, Status
from gatepost.replies.reply import JsonObject, Part, cuttable
from gatepost.replies.steps import StepClaim


class PartCounts(Part, frozen=True, kw_only=True):
    """How many there are, and how many of them are done and open."""

    total: int
    done: int
    open: int


class Counts(Part, frozen=True, kw_only=True):
    """How many steps there are below, and for a plan also how many tasks and checklist items."""

    total: int = cuttable(0)
    done: int = cuttable(0)
    open: int = cuttable(0)
    blocked: int = cuttable(0)
    tasks: PartCounts | None = None
    checklist: PartCounts | None = None


class Checklist(Part, frozen=True, kw_only=True):
    """A plan's checklist. `current` is the index of the item to do next."""

    steps: tuple[str, ...]
    current: int


class RootHeading(Part, frozen=True, kw_only=True):
    """The plan or task that a view is about."""

    id: str
    kind: Kind = cuttable("task")
    title: str = cuttable("")
    status: Status = cuttable("TODO")
    revision: int = cuttable(0)
    plan: str | None = None
    checklist: Checklist | None = None


class RootRow(Part, frozen=True, kw_only=True):
    """A plan or task in a list. `waiting_for` counts the dependencies that are not done, a plan's missing approval,
    and for a task its plan while that waits. `claimed` counts the claims on it and in it that have not expired, up
    to 100; `claim` is the first of them."""

    id: str
    kind: Kind = cuttable("task")
    title: str = cuttable("")
    status: Status
    revision: int = cuttable(0)
    counts: Counts = cuttable(Counts())
    priority: Priority = cuttable("MEDIUM")
    plan: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] | None = None
    waiting_for: int | None = None
    claimed: int | None = None
    claim: StepClaim | None = None


class RootDetail(RootRow, frozen=True, kw_only=True):
    """A plan or task in full."""

    description: str | None = None
    context: str | None = None
    contract: str | None = None
    contract_data: JsonObject | None = None
    created_at: str | None = None
    checklist: Checklist | None = None
    doc: str | None = None
    depends_on: tuple[str, ...] | None = None
    policy: Policy | None = None
    approved: Approval | None = None
