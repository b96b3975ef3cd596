"""Integrity: what is amiss or at risk in a plan or task, found by postings and counts, not by loading the tree."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import stale_proofs
from gatepost.domain.tallies import Tally
from gatepost.engine.package_findings import findings
from gatepost.engine.reader import Found, Reader, address
from gatepost.engine.rows import LAST_PLACE, EventRow
from gatepost.operations import taskdoc_lookup
from gatepost.operations.closings import closed_in_bulk, latest_events
from gatepost.operations.elsewhere import elsewhere
from gatepost.operations.fields import Limit, MaxChars, PlanId, RootId
from gatepost.operations.radar import own_unmet, unapproved
from gatepost.operations.registry import Command, operation
from gatepost.operations.staleness import stale_steps
from gatepost.operations.targets import OPEN, find_target
from gatepost.replies.lint import LintReply
from gatepost.views import lint as views
from gatepost.views.budget import View
from gatepost.views.lint import Bulk, Code, FindingGroup, PackageIssue, RootFinding

_TASKS_LOOKED_AT: Final = 50
_TASKDOCS_LOOKED_AT: Final = 200
_COUNTED: Final = 200
_BLOCKED_LOOKED_AT: Final = 50


class Lint(Command[LintReply], frozen=True, kw_only=True):
    """Ask what is amiss."""

    task: RootId | None = None
    plan: PlanId | None = None
    limit: Limit = 20
    max_chars: MaxChars | None = None


class LintScope(NamedTuple):
    """What is looked at: a target, and its tasks (a task is its own), unless there are too many of them; or only
    the part of a task at a place and below it."""

    target: Found[Root]
    tasks: Sequence[Found[Root]]
    whole: bool = True
    part: str | None = None

    @property
    def roots(self) -> Iterable[Found[Root]]:
        """The target and its tasks, each once."""
        own = () if self.target in self.tasks else (self.target,)
        return (*own, *self.tasks)


@operation("tasks_lint", "tasks")
def lint(reader: Reader, command: Lint) -> View[LintReply]:
    """Check a plan or task for problems without changing it: steps without proof, criteria or tests, steps closed
    on a word alone or (lately) in bulk, stale proofs, stuck or empty tasks, unmet dependencies. Each finding has a
    code and, where there is one, the call that fixes it."""
    target = find_target(reader, command.task, command.plan)
    packages = _packages(reader)
    if target is None:
        view = views.with_packages(views.nothing_there(command.max_chars), command.workspace, packages)
        return elsewhere(reader, "tasks_lint", views.with_offered_fixes(view, reader.caller.offer))
    scope = scope_of(reader, target)
    seen = (
        *waiting(reader, scope, command.limit),
        awaits_approval(reader, scope),
        unproven(reader, scope, command.limit),
        word_alone(reader, scope, command.limit),
        stale(reader, scope, command.limit),
        in_bulk(reader, scope, latest_events(reader, target, scope.tasks)),
        _without_reason(reader, scope),
        _roots(scope, "ALL_DONE_NOT_COMPLETE", _all_done),
        _roots(scope, "PLAN_WITHOUT_TASKS", lambda root: _empty(root, Plan)),
        without_steps(scope),
        bare(reader, scope, command.limit),
    )
    view = views.lint(command.workspace, target.value, target.tally, seen, command.limit, command.max_chars)
    view = views.with_packages(view, command.workspace, packages)
    return views.with_offered_fixes(view, reader.caller.offer)


def _packages(reader: Reader) -> list[PackageIssue]:
    """What is amiss with the packages of the workspace's taskdocs."""
    if reader.packages is None:
        return []
    return [
        PackageIssue(taskdoc=reader.called(name), kind=it.kind, says=it.sentence, selector=it.selector)
        for name in taskdoc_lookup.named(reader, _TASKDOCS_LOOKED_AT)
        for it in findings(reader, name)
    ]


def scope_of(reader: Reader, target: Found[Root]) -> LintScope:
    """A task; or a plan with its tasks, the open ones first."""
    if isinstance(target.value, Task):
        return LintScope(target, (target,))
    mine, done = (terms.plan(target.value.id),), (terms.status("DONE"),)
    found = reader.postings((mine, OPEN), "", LAST_PLACE, _TASKS_LOOKED_AT + 1)
    found += reader.postings((mine, done), "", LAST_PLACE, _TASKS_LOOKED_AT + 1 - len(found))
    tasks = reader.roots(found[:_TASKS_LOOKED_AT])
    return LintScope(target, tasks, len(found) <= _TASKS_LOOKED_AT)


def waiting(reader: Reader, scope: LintScope, limit: int) -> tuple[FindingGroup, FindingGroup]:
    """Dependencies that are not done, including those of a task's plan: both for work that is done anyway, and for
    work that waits for them."""
    target = scope.target
    name = target.value.plan if isinstance(target.value, Task) else target.value.id
    waits_with_plan = isinstance(target.value, Plan) or target.tally.waiting
    plan = reader.root(name) if name is not None and waits_with_plan else None
    roots = {root.place: root for root in (*scope.roots, *(() if plan is None else (plan,)))}
    waits = [root for root in roots.values() if _dependencies(root, plan)]
    done, undone = [root for root in waits if root.value.done], [root for root in waits if not root.value.done]
    return (
        _waiting(reader, "DONE_DEPENDS_ON_OPEN", LintScope(target, done, scope.whole), plan, limit),
        _waiting(reader, "WAITS", LintScope(target, undone, scope.whole), plan, limit),
    )


def awaits_approval(reader: Reader, scope: LintScope) -> FindingGroup:
    """The plan, if a person must approve it before anything in it can be worked on."""
    plan = unapproved(reader, scope.target)
    found = [] if plan is None else [RootFinding(code="AWAITS_APPROVAL", root=plan, tally=scope.target.tally)]
    return FindingGroup(code="AWAITS_APPROVAL", count=len(found), first=found)


def blocked(reader: Reader, scope: LintScope, limit: int) -> FindingGroup:
    """Steps that cannot go on."""
    seen = _steps(reader, scope, "BLOCKED", terms.BLOCKED, lambda tally: tally.blocked, limit)
    if scope.part is not None:
        return seen
    return replace(seen, count=sum(task.tally.blocked for task in scope.tasks), more=not scope.whole)


def unproven(reader: Reader, scope: LintScope, limit: int) -> FindingGroup:
    """Steps that are done without all their confirmations."""
    return _steps(reader, scope, "UNPROVEN", terms.UNPROVEN, lambda tally: tally.done, limit)


def word_alone(reader: Reader, scope: LintScope, limit: int) -> FindingGroup:
    """Steps that are done on a confirmation that rests on a word alone."""
    return _steps(reader, scope, "WORD_ALONE", terms.ASSERTED, lambda tally: tally.done, limit)


def stale(reader: Reader, scope: LintScope, limit: int) -> FindingGroup:
    """Done steps whose files have changed since a check proved them. Looks at a limited number of proofs."""
    tasks = {task.place: task for task in scope.tasks if task.tally.done}
    steps, more = stale_steps(reader, list(tasks))
    if scope.part is not None:
        steps = [step for step in steps if places.is_within(step.place, scope.part)]
    first = [
        RootFinding(
            code="STALE_PROOF",
            root=tasks[places.root_of(step.place)].value,
            tally=tasks[places.root_of(step.place)].tally,
            step=step.value,
            where=address(step),
            stale=stale_proofs(step.value, reader.is_stale),
        )
        for step in steps[:limit]
    ]
    return FindingGroup(code="STALE_PROOF", count=len(steps), first=first, more=more or not scope.whole)


def in_bulk(reader: Reader, scope: LintScope, rows: Sequence[EventRow]) -> FindingGroup:
    """Steps that were closed together, lately: only the end of the log is read."""
    tasks = {task.place: task for task in scope.tasks}
    first = []
    for closing in closed_in_bulk(reader, rows):
        step, task = closing.steps[0], tasks[places.root_of(closing.steps[0].place)]
        bulk = Bulk(
            actor=closing.actor,
            at=closing.at,
            one_call=closing.one_call,
            steps=[(places.path_of(it.place), it.value.title) for it in closing.steps],
        )
        where = address(step)
        first.append(
            RootFinding(
                code="CLOSED_IN_BULK", root=task.value, tally=task.tally, step=step.value, where=where, bulk=bulk
            )
        )
    return FindingGroup(code="CLOSED_IN_BULK", count=len(first), first=first)


def bare(reader: Reader, scope: LintScope, limit: int) -> FindingGroup:
    """Open steps that do not say what would prove them."""
    return _steps(reader, scope, "NO_CRITERIA_OR_TESTS", terms.BARE, lambda tally: tally.open, limit)


def without_steps(scope: LintScope) -> FindingGroup:
    """Tasks that nothing can prove."""
    return _roots(scope, "NO_STEPS", lambda root: _empty(root, Task))


def _steps(
    reader: Reader,
    scope: LintScope,
    code: Code,
    term: str,
    possible: Callable[[Tally], int],
    limit: int,
) -> FindingGroup:
    """The steps that have a term: counted by their postings, and loaded only where they are named."""
    tasks = {task.place: task for task in scope.tasks if possible(task.tally)}
    ranges = [places.below(place) for place in tasks]
    if scope.part is not None:
        ranges = [(scope.part, places.below(scope.part)[1])] if tasks else []
    found = reader.postings_in(((term,),), ranges, _COUNTED + 1)
    more = len(found) > _COUNTED or not scope.whole
    found, first = found[:_COUNTED], []
    for step in reader.steps(found[:limit]):
        task = tasks[places.root_of(step.place)]
        first.append(
            RootFinding(code=code, root=task.value, tally=task.tally, step=step.value, where=address(step))
        )
    return FindingGroup(code=code, count=len(found), first=first, more=more)


def _without_reason(reader: Reader, scope: LintScope) -> FindingGroup:
    """Reasons have no index, so only a limited number of blocked steps is read."""
    all_blocked = blocked(reader, scope, _BLOCKED_LOOKED_AT)
    first = [
        replace(found, code="BLOCKED_WITHOUT_REASON")
        for found in all_blocked.first
        if found.step is not None and found.step.waits_for is None
    ]
    more = all_blocked.more or all_blocked.count > len(all_blocked.first)
    return FindingGroup(code="BLOCKED_WITHOUT_REASON", count=len(first), first=first, more=more)


def _waiting(reader: Reader, code: Code, scope: LintScope, plan: Found[Root] | None, limit: int) -> FindingGroup:
    first: list[RootFinding] = []
    for root in scope.tasks:
        if len(first) < limit:
            first += [
                RootFinding(code=code, root=root.value, tally=root.tally, needed=needed)
                for _, needed in own_unmet(reader, root)
            ]
    count = sum(_dependencies(root, plan) for root in scope.tasks)
    return FindingGroup(code=code, count=count, first=first[:limit], more=not scope.whole)


def _dependencies(root: Found[Root], plan: Found[Root] | None) -> int:
    """How many dependencies a plan, or a task of it, waits for, without the approval or the plan itself."""
    if isinstance(root.value, Plan):
        return root.tally.waiting - root.value.waits_for_approval
    return root.tally.waiting - (plan is not None and plan.tally.waiting > 0)


def _roots(scope: LintScope, code: Code, amiss: Callable[[Found[Root]], bool]) -> FindingGroup:
    found = [RootFinding(code=code, root=root.value, tally=root.tally) for root in scope.roots if amiss(root)]
    return FindingGroup(code=code, count=len(found), first=found, more=not scope.whole)


def _empty(root: Found[Root], kind: type[Plan | Task]) -> bool:
    return isinstance(root.value, kind) and not (root.tally.total or root.tally.tasks)


def _all_done(root: Found[Root]) -> bool:
    """Whether only the status lags behind: nothing in it is open, unproven or waited for."""
    tally = root.tally
    still_open = tally.tasks_open if isinstance(root.value, Plan) else tally.open + tally.unproven
    return bool(tally.tasks or tally.total) and not (root.value.done or still_open or tally.waiting)
