"""The hand-over: what the next shift has to know."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.documents import Member
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Staleness, Step
from gatepost.engine.former_places import evidence_counts
from gatepost.engine.log import shown
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE, EventRow
from gatepost.operations.claim_rows import row_claim
from gatepost.operations.closings import latest_events
from gatepost.operations.elsewhere import elsewhere
from gatepost.operations.fields import Limit, MaxChars, PlanId, RootId
from gatepost.operations.lint import (
    LintScope,
    bare,
    blocked,
    in_bulk,
    scope_of,
    stale,
    unproven,
    waiting,
    without_steps,
    word_alone,
)
from gatepost.operations.notes import notes_in
from gatepost.operations.past_views import At, dated
from gatepost.operations.radar import gather, gather_below, nothing, unmet
from gatepost.operations.registry import Command, operation
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.operations.targets import OPEN, find_target
from gatepost.replies.handoff import HandoffReply, LogEnd, OpenQuestion, Work, WorkItem
from gatepost.replies.roots import Counts
from gatepost.replies.steps import StepName
from gatepost.views import handoff as views
from gatepost.views import radar
from gatepost.views.budget import View
from gatepost.views.lint import FindingGroup

_MOST_EVIDENCE: Final = 100
_MOST_QUESTIONS: Final = 20
_EVENTS_OF_STEP: Final = 20
_NOTHING: Final = Work(count=0, items=())
_CLOSINGS: Final = ("step_done", "task_node_defined")


class Handoff(Command[HandoffReply], frozen=True, kw_only=True):
    """Ask for a shift report."""

    task: RootId | None = None
    plan: PlanId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    limit: Limit = 10
    at: At | None = None
    max_chars: MaxChars | None = None


@operation("tasks_handoff", "tasks")
@dated
def hand_over(reader: Reader, command: Handoff) -> View[HandoffReply]:
    """Shift report for a task, a plan, or the focus, or for a step with what is below it: what is done, by whom and
    on which proof; what remains and why; questions that wait, risks, notes, and the radar."""
    target = find_target(reader, command.task, command.plan)
    head = reader.head()
    end = LogEnd(seq=head.seq, hash=head.hash)
    if target is None:
        core = nothing(reader, command.max_chars)
        view = views.handoff(core, _NOTHING, _NOTHING, (), command.limit, end)
        return elsewhere(reader, "tasks_handoff", view)
    if command.path is not None or command.step_id is not None:
        return _of_part(reader, command, target, end)
    limit = command.limit
    scope = scope_of(reader, target)
    rows = latest_events(reader, target, scope.tasks, 3 * limit)
    stuck = blocked(reader, scope, limit)
    risks = _risks(reader, scope, stuck, rows, limit)
    if isinstance(target.value, Plan):
        done = Work(count=target.tally.tasks_done, items=_done_tasks(reader, target, rows, limit))
        remaining = Work(count=target.tally.tasks_open, items=_open_tasks(reader, target, limit))
    else:
        done = Work(count=target.tally.done, items=_done_steps(reader, target, rows, limit))
        remaining = Work(count=target.tally.open, items=_open_steps(reader, target.place, limit))
    core = radar.radar(command.workspace, gather(reader, target), command.max_chars)
    notes = notes_in(reader, target.place, (root.place for root in scope.roots))
    return views.handoff(core, done, remaining, risks, limit, end, questions=_questions(reader, stuck), notes=notes)


def _of_part(reader: Reader, command: Handoff, task: Found[Root], end: LogEnd) -> View[HandoffReply]:
    """The report of a step and what is below it: what a lead gives to a worker, and gets back."""
    top, limit = reader.member(task, command.path, command.step_id), command.limit
    path, tally, own = places.path_of(top.place), top.tally, top.value
    scope = LintScope(task, (task,), part=top.place)
    rows = [row for row in latest_events(reader, task, (task,), 3 * limit) if _is_about(reader, row, top.place)]
    stuck = blocked(reader, scope, limit)
    done = Work(count=tally.done + own.done, items=_done_steps(reader, task, rows, limit))
    remaining = Work(count=tally.open + (not own.done), items=_open_steps(reader, top.place, limit))
    facts = gather_below(reader, task, top)
    core = radar.radar(command.workspace, facts, command.max_chars)
    notes = notes_in(reader, task.place) or ()
    view = views.handoff(
        core,
        done,
        remaining,
        _risks(reader, scope, stuck, rows, limit),
        limit,
        end,
        questions=_questions(reader, stuck),
        notes=tuple(note for note in notes if places.is_within(note.path or "", path)) or None,
    )
    counts = Counts(total=tally.total + 1, done=done.count, open=remaining.count, blocked=stuck.count)
    next_call = None if facts.step is None else view.reply.next
    name = StepName(step_id=own.id, path=path, title=own.title)
    return replace(view, reply=replace(view.reply, step=name, counts=counts, next=next_call))


def _is_about(reader: Reader, row: EventRow, top: str) -> bool:
    place = None if row.step_id is None else reader.find(row.step_id)
    return place is not None and places.is_within(place, top)


def _risks(
    reader: Reader, scope: LintScope, stuck: FindingGroup, rows: Sequence[EventRow], limit: int
) -> tuple[FindingGroup, ...]:
    return (
        *waiting(reader, scope, limit),
        stuck,
        unproven(reader, scope, limit),
        word_alone(reader, scope, limit),
        stale(reader, scope, limit),
        in_bulk(reader, scope, rows),
        without_steps(scope),
        bare(reader, scope, limit),
    )


def _done_steps(reader: Reader, task: Found[Root], rows: Sequence[EventRow], limit: int) -> tuple[WorkItem, ...]:
    """The steps that were closed last and are still done, the latest first. Only closings in `rows` are seen."""
    found: dict[str, tuple[EventRow, Found[Member]]] = {}
    for row in rows if task.tally.done else ():
        if len(found) == limit:
            break
        if row.step_id is None or row.path is None or row.step_id in found:
            continue
        place = reader.find(row.step_id)
        if place is None or shown(row)["type"] not in _CLOSINGS:
            continue
        for member in reader.members([place]):
            if member.value.done:
                found[row.step_id] = row, member
    evidence = evidence_counts(reader, [member for _, member in found.values()], _MOST_EVIDENCE)
    return tuple(
        _done(row, member, evidence.get(member.place, 0), reader.is_stale) for row, member in found.values()
    )


def _done(row: EventRow, member: Found[Member], evidence: int, is_stale: Staleness) -> WorkItem:
    item = WorkItem(
        step_id=row.step_id, path=places.path_of(member.place), title=member.value.title, at=row.at, actor=row.actor
    )
    if not isinstance(member.value, Step):
        return item
    event = shown(row)
    return replace(
        item,
        proof=views.proof(member.value, row.actor, row.at, is_stale),
        evidence=evidence or None,
        forced=event.get("forced", False),
        unconfirmed=member.value.missing or None,
        reason=event.get("reason"),
    )


def _questions(reader: Reader, stuck: FindingGroup) -> tuple[OpenQuestion, ...]:
    """What the blocked steps wait for, and who said so."""
    asked = []
    for finding in stuck.first[:_MOST_QUESTIONS]:
        step, where = finding.step, finding.where
        if step is None or where is None or step.waits_for is None:
            continue
        by = step.question or _blocking(reader, step)
        asked.append(
            OpenQuestion(
                task=where.task,
                step_id=step.id,
                path=where.path,
                title=step.title,
                question=step.waits_for if step.question is None else step.question.ask,
                options=None if step.question is None else step.question.options or None,
                for_=None if step.question is None else step.question.for_,
                actor=None if by is None else by.actor,
                at=None if by is None else by.at,
            )
        )
    return tuple(asked)


def _blocking(reader: Reader, step: Step) -> EventRow | None:
    """The event that blocked a step, for a block without a question."""
    rows = (row for row in reader.recent(_EVENTS_OF_STEP, None, step.id) if "step_blocked" in row.body)
    return next((row for row in rows if shown(row)["type"] == "step_blocked"), None)


def _open_steps(reader: Reader, top: str, limit: int) -> tuple[WorkItem, ...]:
    """The first open steps at a place and below it, in tree order. Each is ready, blocked, or an ancestor of one of
    those. So the first postings of these two, with their ancestors, include the first open ones."""
    lowest = reader.postings(((terms.NOW, terms.BLOCKED),), top, places.below(top)[1], limit)
    over = {place for low in lowest for place in places.above(low)[:-1] if places.is_within(place, top)}
    return tuple(
        WorkItem(
            step_id=member.value.id,
            path=places.path_of(member.place),
            title=member.value.title,
            blocked=isinstance(member.value, Step) and member.value.blocked,
            reason=member.value.waits_for if isinstance(member.value, Step) else None,
            claim=row_claim(reader, member.value),
        )
        for member in reader.members(sorted({*lowest, *over})[:limit])
    )


def _done_tasks(reader: Reader, plan: Found[Root], rows: Sequence[EventRow], limit: int) -> tuple[WorkItem, ...]:
    """The tasks that were completed last, the latest first; then others that are done."""
    found: dict[str, WorkItem] = {}
    if not plan.tally.tasks_done:
        return ()
    for row in rows:
        if len(found) < limit and row.root is not None and shown(row)["type"] == "task_completed":
            _add_done(found, reader.at(row.root), plan, row)
    mine, done = (terms.plan(plan.value.id),), (terms.status("DONE"),)
    if len(found) < limit:
        for place in reader.postings((mine, done), "", LAST_PLACE, limit):
            _add_done(found, reader.at(place), plan, None)
    return tuple(found.values())[:limit]


def _add_done(found: dict[str, WorkItem], task: Found[Any] | None, plan: Found[Root], row: EventRow | None) -> None:
    if task is None or not isinstance(task.value, Task) or task.value.plan != plan.value.id:
        return
    if task.value.done and task.value.id not in found:
        found[task.value.id] = WorkItem(
            task=task.value.id,
            title=task.value.title,
            at=None if row is None else row.at,
            actor=None if row is None else row.actor,
        )


def _open_tasks(reader: Reader, plan: Found[Root], limit: int) -> tuple[WorkItem, ...]:
    mine = (terms.plan(plan.value.id),)
    found = reader.roots(reader.postings((mine, OPEN), "", LAST_PLACE, limit))
    return tuple(
        WorkItem(
            task=it.value.id,
            title=it.value.title,
            status=it.value.status,
            blocked=bool(it.tally.blocked and not it.tally.ready),
            waits_for=tuple(needed.id for _, needed in unmet(reader, it)) or None,
        )
        for it in found
    )
