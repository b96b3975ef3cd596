"""While you were away: a digest of what happened since a moment, from a bounded part of the log."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, get_args

from gatepost.domain import places, terms
from gatepost.domain.checkpoints import Provenance
from gatepost.domain.documents import Member
from gatepost.domain.roots import Plan
from gatepost.domain.steps import Step, provenance
from gatepost.engine.log import shown
from gatepost.engine.reader import Found, Reader, address
from gatepost.engine.rows import LAST_PLACE, EventRow
from gatepost.operations.fields import MaxChars
from gatepost.operations.moments import Moment, operation_at
from gatepost.operations.past_operations import last_operation, moment_in_log
from gatepost.operations.registry import Command, operation
from gatepost.replies.away import (
    AskedQuestion,
    AskedQuestions,
    AwayReply,
    FinishedRoot,
    FinishedRoots,
    FinishedStep,
    FinishedSteps,
    NewRoots,
    Proven,
    StuckStep,
    StuckSteps,
    Worker,
)
from gatepost.views.budget import Cut, View, clipped, only, rows, without

_MOST_READ: Final = 5_000
"""Events that a digest reads, the newest first."""
_MOST_SHOWN: Final = 20
_COUNTED: Final = 200
"""Counting what is blocked stops here."""
_TOLD: Final = ("step_done", "step_blocked", "step_unblocked", "task_completed", "plan_created", "task_created")
_STRENGTH: Final[tuple[Provenance, ...]] = get_args(Provenance)

Told = dict[str, list[tuple[EventRow, dict[str, Any]]]]
"""The events of each type that the digest reports, newest first."""


class Away(Command[AwayReply], frozen=True, kw_only=True):
    """Ask what happened since a moment."""

    since: Moment
    max_chars: MaxChars | None = None


@operation("tasks_away", "tasks")
def away(reader: Reader, command: Away) -> View[AwayReply]:
    """Digest of what happened since a moment: steps finished and how they were proven, plans and tasks completed,
    questions asked and answered, what is blocked now, and who worked."""
    since = operation_at(reader, command.since, field="since")
    events = reader.events(0 if since is None else since.last_seq, _MOST_READ, None, newest=True)
    partial = len(events) == _MOST_READ
    if partial:
        since = reader.operations(events[-1].operation + 1, 1, None)[0]
        events = [row for row in events if row.seq > since.last_seq]
    told = _told(events)
    done = _done(reader, told["step_done"])
    reply = AwayReply(
        since=moment_in_log(since),
        to=moment_in_log(last_operation(reader)),
        partial=partial,
        finished=_finished(done),
        completed=_completed(reader, told["task_completed"]),
        questions=_questions(reader, told["step_blocked"], told["step_unblocked"]),
        blocked=_blocked(reader),
        workers=_workers(events, Counter(row.actor for row, _ in done)),
        created=NewRoots(plans=len(told["plan_created"]), tasks=len(told["task_created"])),
    )
    return View(reply, _CUTS, command.max_chars)


def _told(events: Iterable[EventRow]) -> Told:
    found: Told = {name: [] for name in _TOLD}
    for row in events:
        name = _type(row)
        if name in found:
            found[name].append((row, shown(row)))
    return found


def _type(row: EventRow) -> str:
    """An event's type, which its body begins with."""
    return row.body[len('{"type":"') :].partition('"')[0]


def _done(
    reader: Reader, closings: Sequence[tuple[EventRow, dict[str, Any]]]
) -> list[tuple[EventRow, Found[Step]]]:
    """The steps that were closed and still are, each once, with the event that closed it."""
    newest: dict[str, EventRow] = {}
    for row, _ in closings:
        if row.step_id is not None:
            newest.setdefault(row.step_id, row)
    steps = _steps(reader, newest.values())
    return [(row, steps[name]) for name, row in newest.items() if name in steps and steps[name].value.done]


def _finished(done: Sequence[tuple[EventRow, Found[Step]]]) -> FinishedSteps:
    return FinishedSteps(
        count=len(done),
        proven=dict(Counter(_weakest(step.value) for _, step in done)),
        items=tuple(_finished_step(row, step) for row, step in done[:_MOST_SHOWN]),
    )


def _steps(reader: Reader, events: Iterable[EventRow]) -> dict[str, Found[Step]]:
    """The steps that events are about, by id, wherever they were moved to since."""
    wanted = {row.step_id: row for row in events if row.step_id is not None and row.root is not None}
    at = {name: places.at_path(row.root or "", row.path or "") for name, row in wanted.items()}
    found = {step.value.id: step for step in reader.steps([place for place in at.values() if place is not None])}
    moved = [place for name in wanted if name not in found and (place := reader.find(name)) is not None]
    return found | {step.value.id: step for step in reader.steps(moved)} if moved else found


def _weakest(step: Step) -> Proven:
    if step.missing:
        return "unproven"
    return min((mark.provenance for mark in step.relied_on), key=_STRENGTH.index, default="unproven")


def _finished_step(row: EventRow, step: Found[Step]) -> FinishedStep:
    return FinishedStep(
        **_named(step),
        at=row.at,
        actor=row.actor,
        provenance=provenance(step.value),
        unconfirmed=step.value.missing or None,
    )


def _named(step: Found[Member]) -> dict[str, Any]:
    where = address(step)
    return {"task": where.task, "step_id": where.step_id, "path": where.path, "title": step.value.title}


def _completed(reader: Reader, completions: Sequence[tuple[EventRow, dict[str, Any]]]) -> FinishedRoots:
    newest: dict[str, EventRow] = {}
    for row, _ in completions:
        if row.root is not None:
            newest.setdefault(row.root, row)
    done = [root for root in reader.roots(list(newest)) if root.value.done]
    plans = sum(isinstance(root.value, Plan) for root in done)
    shown_first = sorted(done, key=lambda root: not isinstance(root.value, Plan))[:_MOST_SHOWN]
    return FinishedRoots(
        plans=plans,
        tasks=len(done) - plans,
        items=tuple(
            FinishedRoot(
                id=root.value.id,
                title=root.value.title,
                at=newest[root.place].at,
                actor=newest[root.place].actor,
            )
            for root in shown_first
        ),
    )


def _questions(
    reader: Reader,
    blocks: Sequence[tuple[EventRow, dict[str, Any]]],
    unblocks: Sequence[tuple[EventRow, dict[str, Any]]],
) -> AskedQuestions:
    """What was asked, with its answer if there is one, and answers to earlier questions. An undone block does not
    count."""
    steps = _steps(reader, [row for row, _ in (*blocks, *unblocks)])
    open_blocks: dict[str, tuple[EventRow, dict[str, Any]]] = {}
    found: list[tuple[int, AskedQuestion]] = []
    for row, event in sorted((*blocks, *unblocks), key=lambda it: it[0].seq):
        name = row.step_id or ""
        if name not in steps:
            continue
        if _type(row) == "step_blocked":
            open_blocks[name] = row, event
        else:
            asked = open_blocks.pop(name, None)
            found.append((row.seq, _asked(steps[name], asked, (row, event))))
    waiting = [(row.seq, _asked(steps[name], (row, event), None)) for name, (row, event) in open_blocks.items()]
    waiting = [it for it in waiting if steps[it[1].step_id].value.blocked]
    newest = sorted((*found, *waiting), key=lambda it: -it[0])
    return AskedQuestions(
        count=len(newest), waiting=len(waiting), items=tuple(item for _, item in newest[:_MOST_SHOWN])
    )


def _asked(
    step: Found[Step],
    asked: tuple[EventRow, dict[str, Any]] | None,
    answered: tuple[EventRow, dict[str, Any]] | None,
) -> AskedQuestion:
    said: dict[str, Any] = {}
    if asked is not None:
        row, event = asked
        said = {"ask": event.get("ask") or event.get("reason"), "actor": row.actor, "at": row.at}
    elif step.value.answer is not None:
        said = {"ask": step.value.answer.question}
    if answered is not None:
        row, event = answered
        said |= {
            "answer": event.get("answer") or event.get("reason"),
            "answered_by": row.actor,
            "answered_at": row.at,
        }
    return AskedQuestion(**_named(step), **said)


def _blocked(reader: Reader) -> StuckSteps:
    found = reader.postings(((terms.BLOCKED,),), "", LAST_PLACE, _COUNTED)
    return StuckSteps(
        count=len(found),
        at_least=len(found) == _COUNTED,
        items=tuple(
            StuckStep(**_named(step), waits_for=step.value.waits_for) for step in reader.steps(found[:_MOST_SHOWN])
        ),
    )


def _workers(events: Sequence[EventRow], closed: Counter[str]) -> tuple[Worker, ...]:
    """Who changed something, the busiest first."""
    operations: dict[str, set[int]] = {}
    last: dict[str, str] = {}
    for row in events:
        operations.setdefault(row.actor, set()).add(row.operation)
        last.setdefault(row.actor, row.at)
    busiest = sorted(operations, key=lambda actor: (-len(operations[actor]), actor))[:_MOST_SHOWN]
    return tuple(
        Worker(actor=actor, operations=len(operations[actor]), closed=closed[actor], last=last[actor])
        for actor in busiest
    )


_LISTS: Final = ("workers", "finished.items", "completed.items", "questions.items", "blocked.items")
"""What to cut first comes first."""
_CUTS: Final = (
    *(Cut("texts", clipped(name, 120)) for name in _LISTS),
    *(Cut(name.partition(".")[0], rows(name, least=least)) for least in (5, 1, 0) for name in _LISTS),
    Cut("fields", without("finished", "proven")),
    Cut("fields", only("from", "seq")),
    Cut("fields", only("to", "seq")),
)
