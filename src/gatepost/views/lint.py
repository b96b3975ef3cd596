"""Findings: what is amiss or at risk in a plan or task, a row each."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.offers import EVERYTHING, Offer
from gatepost.domain.refusals import StepAddress
from gatepost.domain.roots import Plan, Root, shown_status
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.replies.lint import LintFinding, LintReply, Risk
from gatepost.replies.reply import SuggestedCall
from gatepost.views import progress
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.offers import offered
from gatepost.views.radar import Facts, heading, next_call

Code = Literal[
    "DONE_DEPENDS_ON_OPEN",
    "UNPROVEN",
    "WORD_ALONE",
    "STALE_PROOF",
    "CLOSED_IN_BULK",
    "WAITS",
    "AWAITS_APPROVAL",
    "BLOCKED",
    "BLOCKED_WITHOUT_REASON",
    "ALL_DONE_NOT_COMPLETE",
    "PLAN_WITHOUT_TASKS",
    "NO_STEPS",
    "NO_CRITERIA_OR_TESTS",
]


class Bulk(Struct, frozen=True, kw_only=True):
    """Steps (path and title) that one actor closed in one call, or within one second."""

    actor: str
    at: str
    one_call: bool
    steps: Sequence[tuple[str, str]]


class RootFinding(Struct, frozen=True, kw_only=True):
    """One thing that is amiss: in a plan or task, in one of its steps, or with something it depends on."""

    code: Code
    root: Root
    tally: Tally
    step: Step | None = None
    where: StepAddress | None = None
    needed: Root | None = None
    bulk: Bulk | None = None
    stale: tuple[Checkpoint, ...] = ()


class FindingGroup(Struct, frozen=True, kw_only=True):
    """All findings of one code: how many, the first of them, and whether some may not have been counted."""

    code: Code
    count: int
    first: Sequence[RootFinding]
    more: bool = False


class PackageIssue(NamedTuple):
    """Something that is wrong with a taskdoc's package on disk."""

    taskdoc: str
    kind: str
    says: str
    selector: str | None = None


def with_packages(view: View[LintReply], workspace: str, found: Sequence[PackageIssue]) -> View[LintReply]:
    """The findings, and before them what is wrong with taskdoc packages."""
    if not found:
        return view
    rows = [_package_row(workspace, finding) for finding in found]
    counted: dict[str, int] = {}
    for row in rows:
        counted[row.code] = counted.get(row.code, 0) + 1
    reply = replace(
        view.reply,
        findings=(*rows, *view.reply.findings),
        counts={**counted, **view.reply.counts},
        count=view.reply.count + len(rows),
    )
    return replace(view, reply=reply, cuts=view.cuts or _CUTS)


def with_offered_fixes(view: View[LintReply], offer: Offer) -> View[LintReply]:
    """The findings, each with its fix only if the reader can send it."""
    if offer is EVERYTHING:
        return view
    rows = tuple(replace(row, fix=_offered_fix(offer, row.fix)) for row in view.reply.findings)
    return replace(view, reply=replace(view.reply, findings=rows))


def _offered_fix(offer: Offer, fix: SuggestedCall | None) -> SuggestedCall | None:
    return offered(offer, fix) if fix is not None and offer.holds(fix.tool) else None


def _package_row(workspace: str, finding: PackageIssue) -> LintFinding:
    named = {"taskdoc": finding.taskdoc}
    if finding.selector is not None:
        named["selector"] = finding.selector
    look = SuggestedCall(tool="recall_mind", arguments={"workspace": workspace, **named})
    return LintFinding(code=f"PACKAGE_{finding.kind.upper()}", **named, says=finding.says, fix=look)


def lint(
    workspace: str, root: Root, tally: Tally, seen: Sequence[FindingGroup], limit: int, max_chars: int | None
) -> View[LintReply]:
    """What is wrong in a plan or task: counted, and listed as far as there is room."""
    found = tuple(_finding(workspace, item) for item in shared(seen, limit))
    reply = LintReply(
        target=heading(root, tally),
        findings=found,
        count=count(seen),
        counts=counts(seen),
        at_least=may_be_more(seen),
        has_more=len(found) < count(seen) or may_be_more(seen),
    )
    return View(reply, _CUTS, max_chars)


def nothing_there(max_chars: int | None) -> View[LintReply]:
    """The findings of an empty workspace."""
    return View(LintReply(target=None, findings=(), count=0, counts={}, has_more=False), (), max_chars)


def count(seen: Sequence[FindingGroup]) -> int:
    """How many findings there are in all."""
    return sum(item.count for item in seen)


def counts(seen: Sequence[FindingGroup]) -> dict[str, int]:
    """How many findings there are of each code."""
    return {item.code: item.count for item in seen if item.count}


def may_be_more(seen: Sequence[FindingGroup]) -> bool:
    """Whether there may be more than were counted."""
    return any(item.more for item in seen)


def shared(seen: Sequence[FindingGroup], limit: int) -> list[RootFinding]:
    """The findings that are named: each code in turn gets one, until the room is used up."""
    turns = sorted((turn, at) for at, item in enumerate(seen) for turn in range(len(item.first)))[:limit]
    return [seen[at].first[turn] for at, turn in sorted((at, turn) for turn, at in turns)]


def risk(finding: RootFinding) -> Risk:
    """A finding as a shift report lists it."""
    step, needed, bulk = finding.step, finding.needed, finding.bulk
    return Risk(
        **_where(finding),
        depends_on=None if needed is None else needed.id,
        status=None if needed is None else needed.status,
        title=needed.title if needed is not None else None if step is None else step.title,
        reason=step.waits_for if step is not None and finding.code == "BLOCKED" else UNSET,
        unconfirmed=step.missing if step is not None and finding.code == "UNPROVEN" else None,
        asserted=step.asserted if step is not None and finding.code == "WORD_ALONE" else None,
        stale=finding.stale or None,
        paths=None if bulk is None else tuple(path for path, _ in bulk.steps),
        actor=None if bulk is None else bulk.actor,
        at=None if bulk is None else bulk.at,
        lacks=step.undescribed if step is not None and finding.code == "NO_CRITERIA_OR_TESTS" else None,
    )


def _finding(workspace: str, finding: RootFinding) -> LintFinding:
    return LintFinding(**_where(finding), says=_says(finding), fix=_fix(workspace, finding))


def _where(finding: RootFinding) -> dict[str, str]:
    where = {"code": str(finding.code), "task": finding.root.id}
    if finding.where is not None:
        where |= {"step_id": finding.where.step_id, "path": finding.where.path}
    return where


def _says(finding: RootFinding) -> str:
    root, step = finding.root, finding.step
    if finding.bulk is not None:
        return _says_of_bulk(finding.bulk)
    if step is not None:
        return _says_of_step(finding.code, step)
    needed = "" if finding.needed is None else f"{finding.needed.id}, which is {finding.needed.status}"
    match finding.code:
        case "DONE_DEPENDS_ON_OPEN":
            return f"{root.id} is DONE, but depends on {needed}."
        case "WAITS":
            return f"{root.id} waits for {needed}."
        case "AWAITS_APPROVAL":
            return f"{root.id} waits for a person to approve it. Nothing in it can be closed before."
        case "ALL_DONE_NOT_COMPLETE":
            count = finding.tally.tasks if isinstance(root, Plan) else finding.tally.total
            status = shown_status(root, finding.tally.tasks_begun)
            return f"All {count} in {root.id} are done, but it is {status}{_checklist(root)}."
        case "PLAN_WITHOUT_TASKS":
            return f"{root.id} has no tasks{', but is DONE' if root.done else ''}."
        case _:
            return f"{root.id} has no steps{', but is DONE: nothing proves it' if root.done else ''}."


def _says_of_bulk(bulk: Bulk) -> str:
    named = ", ".join(f"“{title}” ({path})" for path, title in bulk.steps[:_NAMED])
    rest = f" and {len(bulk.steps) - _NAMED} more" if len(bulk.steps) > _NAMED else ""
    how = "in one call" if bulk.one_call else "within one second"
    return f"{bulk.actor} closed {len(bulk.steps)} steps {how}: {named}{rest}. Check each of them."


def _says_of_step(code: Code, step: Step) -> str:
    match code:
        case "UNPROVEN":
            owed = " and ".join(step.missing)
            return f"“{step.title}” is done without {owed}. Verify and confirm it, or reopen it."
        case "WORD_ALONE":
            said = " and ".join(step.asserted)
            return f"“{step.title}” was closed on a word alone: {said} without a note, evidence or check."
        case "STALE_PROOF":
            return f"“{step.title}”: files have changed since checks proved it. Run its checks again."
        case "BLOCKED_WITHOUT_REASON":
            return f"“{step.title}” is blocked without a reason. Add one."
        case _:
            lacks = " or ".join(step.undescribed)
            return f"“{step.title}” has no {lacks}. Add what would prove it."


def _fix(workspace: str, finding: RootFinding) -> SuggestedCall | None:
    """The call that mends it, or begins to; none where only the caller can know what to say or to confirm."""
    if finding.code == "STALE_PROOF" and finding.where is not None:
        return SuggestedCall(tool="tasks_check", arguments={"workspace": workspace, **finding.where.selector})
    if finding.code == "UNPROVEN" and finding.step is not None and finding.where is not None:
        arguments = {
            "workspace": workspace,
            **finding.where.selector,
            "completed": False,
            "reason": f"It was closed without {' and '.join(finding.step.missing)}.",
            "expected_revision": finding.tally.revision,
        }
        return SuggestedCall(tool="tasks_progress", arguments=arguments)
    if finding.code not in _MENDED_BY_NEXT:
        return None
    call = next_call(workspace, _facts(finding.root, finding.tally))
    harmless = call.tool in _HARMLESS
    return SuggestedCall(tool=call.tool, arguments=call.arguments, supply=call.supply) if harmless else None


def _facts(root: Root, tally: Tally) -> Facts:
    """What the radar would go by in a plan or task in which nothing is open."""
    if isinstance(root, Plan):
        return Facts(target=root, tally=tally, revision=tally.revision)
    return Facts(target=root, tally=tally, task=root, revision=tally.revision, steps=tally)


def _checklist(root: Root) -> str:
    if isinstance(root, Plan) and root.current < len(root.steps):
        return f", and its checklist is at {root.current} of {len(root.steps)}"
    return ""


_NAMED: Final = 5
_MENDED_BY_NEXT: Final = ("ALL_DONE_NOT_COMPLETE", "PLAN_WITHOUT_TASKS", "NO_STEPS")
_HARMLESS: Final = ("tasks_complete", "tasks_create", "tasks_decompose")
"""Calls that can be offered unchanged. A checklist, by contrast, advances only when someone has done the work."""


def _cut_short(body: Body) -> None:
    body["has_more"] = True


_CUTS: Final = (
    *progress.CUTS,
    Cut("texts", clipped("target", 80)),
    Cut("texts", clipped("findings", 120)),
    Cut("fixes", without("findings", "fix")),
    Cut("findings", rows("findings", least=1, after=_cut_short)),
    Cut("fields", only("findings", "code", "task", "step_id")),
    Cut("fields", only("target", "id", "revision")),
    Cut("findings", rows("findings", after=_cut_short)),
)
