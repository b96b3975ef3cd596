"""Findings: what is amiss or at risk in a plan or task, a row each."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from gatepost.domain.refusals import StepAddress
from gatepost.domain.roots import Plan, Root, shown_status
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.views import checklists
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.radar import Facts, heading, next_call

Code = Literal[
    "DONE_DEPENDS_ON_OPEN",
    "UNPROVEN",
    "WAITS",
    "BLOCKED",
    "BLOCKED_WITHOUT_REASON",
    "ALL_DONE_NOT_COMPLETE",
    "PLAN_WITHOUT_TASKS",
    "NO_STEPS",
    "NO_CRITERIA_OR_TESTS",
]


class LintFinding(Struct, frozen=True, kw_only=True):
    """One thing that is amiss: in a plan or task, in one of its steps, or with something it depends on."""

    code: Code
    root: Root
    tally: Tally
    step: Step | None = None
    where: StepAddress | None = None
    needed: Root | None = None


class FindingGroup(Struct, frozen=True, kw_only=True):
    """All findings of one code: how many, the first of them, and whether some may not have been counted."""

    code: Code
    count: int
    first: Sequence[LintFinding]
    more: bool = False


class PackageFinding(Struct, frozen=True, kw_only=True):
    """Something that is amiss with a taskdoc's package on disk."""

    taskdoc: str
    kind: str
    says: str
    selector: str | None = None


def with_packages(view: View, workspace: str, found: Sequence[PackageFinding]) -> View:
    """The findings, and before them what is amiss with taskdoc packages."""
    if not found:
        return view
    rows = [_package_row(workspace, finding) for finding in found]
    counted: dict[str, int] = {}
    for row in rows:
        counted[row["code"]] = counted.get(row["code"], 0) + 1
    body = {**view.body, "findings": rows + view.body["findings"], "counts": {**counted, **view.body["counts"]}}
    return view._replace(body={**body, "count": view.body["count"] + len(rows)}, cuts=view.cuts or _CUTS)


def _package_row(workspace: str, finding: PackageFinding) -> Body:
    named = {"taskdoc": finding.taskdoc}
    if finding.selector is not None:
        named["selector"] = finding.selector
    look = {"tool": "recall_mind", "arguments": {"workspace": workspace, **named}}
    return {"code": f"PACKAGE_{finding.kind.upper()}", **named, "says": finding.says, "fix": look}


def lint(
    workspace: str, root: Root, tally: Tally, seen: Sequence[FindingGroup], limit: int, max_chars: int | None
) -> View:
    """What is amiss in a plan or task: counted, and named as far as there is room."""
    found = [_finding(workspace, item) for item in shared(seen, limit)]
    counted = counts(seen)
    body: Body = {
        "target": heading(root, tally),
        "findings": found,
        **counted,
        "has_more": len(found) < counted["count"] or "at_least" in counted,
    }
    return View(body, _CUTS, max_chars)


def nothing_there(max_chars: int | None) -> View:
    """What is amiss where there is nothing."""
    return View({"target": None, "findings": [], **counts(()), "has_more": False}, (), max_chars)


def counts(seen: Sequence[FindingGroup]) -> Body:
    """How many there are, in all and of each code; `at_least` says that there may be more than were counted."""
    counted: Body = {
        "count": sum(item.count for item in seen),
        "counts": {item.code: item.count for item in seen if item.count},
    }
    return {**counted, "at_least": True} if any(item.more for item in seen) else counted


def shared(seen: Sequence[FindingGroup], limit: int) -> list[LintFinding]:
    """The findings that are named: each code in turn gets one, until the room is used up."""
    turns = sorted((turn, at) for at, item in enumerate(seen) for turn in range(len(item.first)))[:limit]
    return [seen[at].first[turn] for at, turn in sorted((at, turn) for turn, at in turns)]


def risk(finding: LintFinding) -> Body:
    """A finding as a shift report names it."""
    row = _where(finding)
    if finding.step is not None:
        row["title"] = finding.step.title
    if finding.code == "BLOCKED" and finding.step is not None:
        row["reason"] = finding.step.reason
    elif finding.code == "UNPROVEN" and finding.step is not None:
        row["unconfirmed"] = list(finding.step.missing)
    elif finding.code == "NO_CRITERIA_OR_TESTS" and finding.step is not None:
        row["lacks"] = _lacking(finding.step)
    if finding.needed is not None:
        row |= {
            "depends_on": finding.needed.id,
            "status": finding.needed.status,
            "title": finding.needed.title,
        }
    return row


def _finding(workspace: str, finding: LintFinding) -> Body:
    row = {**_where(finding), "says": _says(finding)}
    fix = _fix(workspace, finding)
    if fix is not None:
        row["fix"] = fix
    return row


def _where(finding: LintFinding) -> Body:
    row: Body = {"code": finding.code, "task": finding.root.id}
    if finding.where is not None:
        row |= {"step_id": finding.where.step_id, "path": finding.where.path}
    return row


def _says(finding: LintFinding) -> str:
    root, step = finding.root, finding.step
    if step is not None:
        return _says_of_step(finding.code, step)
    needed = "" if finding.needed is None else f"{finding.needed.id}, which is {finding.needed.status}"
    match finding.code:
        case "DONE_DEPENDS_ON_OPEN":
            return f"{root.id} is DONE, but depends on {needed}."
        case "WAITS":
            return f"{root.id} waits for {needed}."
        case "ALL_DONE_NOT_COMPLETE":
            count = finding.tally.tasks if isinstance(root, Plan) else finding.tally.total
            status = shown_status(root, finding.tally.tasks_begun)
            return f"All {count} in {root.id} are done, but it is {status}{_checklist(root)}."
        case "PLAN_WITHOUT_TASKS":
            return f"{root.id} has no tasks{', but is DONE' if root.done else ''}."
        case _:
            return f"{root.id} has no steps{', but is DONE: nothing proves it' if root.done else ''}."


def _says_of_step(code: Code, step: Step) -> str:
    match code:
        case "UNPROVEN":
            owed = " and ".join(step.missing)
            return f"“{step.title}” is done without {owed}: confirm it by tasks_verify once checked, or reopen it."
        case "BLOCKED_WITHOUT_REASON":
            return f"“{step.title}” is blocked and does not say why: tasks_block with a reason."
        case _:
            lacks = " and ".join(_lacking(step))
            return f"“{step.title}” has no {lacks}: tasks_define what would prove it."


def _fix(workspace: str, finding: LintFinding) -> Body | None:
    """The call that mends it, or begins to; none where only the caller can know what to say or to confirm."""
    if finding.code == "UNPROVEN" and finding.step is not None and finding.where is not None:
        arguments: Mapping[str, Any] = {
            "workspace": workspace,
            **finding.where.selector,
            "completed": False,
            "reason": f"It was closed without {' and '.join(finding.step.missing)}.",
            "expected_revision": finding.tally.revision,
        }
        return {"tool": "tasks_progress", "arguments": arguments}
    if finding.code not in _MENDED_BY_NEXT:
        return None
    call = next_call(workspace, _facts(finding.root, finding.tally))
    if call["tool"] not in _HARMLESS:
        return None
    return {"tool": call["tool"], "arguments": call["arguments"]}


def _facts(root: Root, tally: Tally) -> Facts:
    """What the radar would go by in a plan or task in which nothing is open."""
    if isinstance(root, Plan):
        return Facts(target=root, tally=tally, revision=tally.revision)
    return Facts(target=root, tally=tally, task=root, revision=tally.revision, steps=tally)


def _lacking(step: Step) -> list[str]:
    return [name for name in ("criteria", "tests") if not getattr(step, name)]


def _checklist(root: Root) -> str:
    if isinstance(root, Plan) and root.current < len(root.steps):
        return f", and its checklist is at {root.current} of {len(root.steps)}"
    return ""


_MENDED_BY_NEXT: Final = ("ALL_DONE_NOT_COMPLETE", "PLAN_WITHOUT_TASKS", "NO_STEPS")
_HARMLESS: Final = ("tasks_complete", "tasks_create", "tasks_decompose")
"""What may be offered as it stands: a checklist, by contrast, goes on only when somebody has done the work."""


def _cut_short(body: Body) -> None:
    body["has_more"] = True


_CUTS: Final = (
    *checklists.CUTS,
    Cut("texts", clipped("target", 80)),
    Cut("texts", clipped("findings", 120)),
    Cut("fixes", without("findings", "fix")),
    Cut("findings", rows("findings", least=1, after=_cut_short)),
    Cut("fields", only("findings", "code", "task", "step_id")),
    Cut("fields", only("target", "id", "revision")),
    Cut("findings", rows("findings", after=_cut_short)),
)
