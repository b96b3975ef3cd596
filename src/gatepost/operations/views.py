"""Lists and details: what there is, what happened, and one thing in full."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from gatepost.domain import places, terms
from gatepost.domain.documents import Document
from gatepost.domain.events import TYPES
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Kind, Plan, Priority, Root, Status
from gatepost.domain.steps import Step
from gatepost.engine.log import shown
from gatepost.engine.port import LAST_PLACE, Clause
from gatepost.engine.reader import Found, Reader
from gatepost.operations import paging, rounds, search
from gatepost.operations.fields import Cursor, Limit, MaxChars, PlanId, RootId, Since, StepId, StepPath
from gatepost.operations.radar import find_target
from gatepost.operations.registry import Command, Reply, operation
from gatepost.views.budget import DEFAULT, Body, Cut, View, clipped, only, rows, without
from gatepost.views.rows import root_detail, root_row, step_detail, step_row
from gatepost.wire.texts import Line, Tag

_ROW_IDS: Final = ("id", "kind", "status", "revision")
_EVENT_IDS: Final = ("seq", "type", "task", "plan", "step_id")
_SCANNED: Final = 2_000
_EVERYTHING: Final = ((terms.kind("plan"), terms.kind("task")),)

EventType = Annotated[str, Meta(max_length=40)]


class Context(Command, frozen=True, kw_only=True):
    """Ask what plans and tasks there are."""

    kind: Kind | None = None
    status: Status | None = None
    plan: PlanId | None = None
    tag: Tag | None = None
    domain: Tag | None = None
    priority: Priority | None = None
    text: Annotated[Line, Meta(description="Words, or their beginnings, to find in one text.")] | None = None
    ready: Annotated[bool, Meta(description="Only what is open, waits for nothing and is not blocked.")] | None = (
        None
    )
    limit: Limit = 50
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class Listed(Reply, frozen=True, kw_only=True):
    """Plans, then tasks, each in the order they were made.

    With `text`: those that say the words, hits in titles first, then the newest first; each with its best `hits`
    (`{in, path?, step_id?, seq?, snippet?}`), and the `taskdocs` that say them. `more_hits`: only the newest texts
    were looked at; `cursor` goes on with older ones, also from a page without items.
    """

    items: list[dict[str, Any]]
    has_more: bool
    taskdocs: list[dict[str, Any]] | UnsetType = UNSET
    more_hits: Annotated[bool, Meta(description="Older texts were not looked at: `cursor`.")] | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


class Delta(Command, frozen=True, kw_only=True):
    """Ask what happened."""

    since: Since = 0
    task: RootId | None = None
    types: Annotated[tuple[EventType, ...], Meta(min_length=1, max_length=50)] | None = None
    limit: Limit = 100
    max_chars: MaxChars | None = None


class Happened(Reply, frozen=True, kw_only=True):
    """Events, oldest first; `next` is the `since` of the next page."""

    events: list[dict[str, Any]]
    next: int
    has_more: bool
    budget: dict[str, Any] | UnsetType = UNSET


class Resume(Command, frozen=True, kw_only=True):
    """Ask for one plan, task or step in full."""

    task: RootId | None = None
    plan: PlanId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    events_limit: Annotated[int, Meta(ge=0, le=200, description="So many of the latest events.")] = 0
    limit: Limit = 50
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class InFull(Reply, frozen=True, kw_only=True):
    """What the last round left, the target, the step if one was named, what stands below, what happened last."""

    target: dict[str, Any] | None
    steps: list[dict[str, Any]]
    has_more: bool
    re_entry: dict[str, Any] | UnsetType = UNSET
    step: dict[str, Any] | UnsetType = UNSET
    tasks: list[dict[str, Any]] | UnsetType = UNSET
    evidence: list[dict[str, Any]] | UnsetType = UNSET
    events: list[dict[str, Any]] | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


@operation("tasks_context", "core", "tasks")
def context(reader: Reader, command: Context) -> Listed | View:
    """List plans and tasks, by kind, status, plan, tag, domain, priority, readiness, or words in them, their steps,
    notes, reasons and evidence."""
    clauses = _clauses(command)
    if command.text is not None:
        fits = (lambda root: _has(root, clauses)) if clauses else None
        return search.found(
            reader, search.Asked(command.text, fits, command.limit, command.cursor), command.max_chars
        )
    first = paging.after(command.cursor)
    found = reader.postings(clauses or _EVERYTHING, first, LAST_PLACE, command.limit + 1)
    page = [reader.root(places.root_id(place)) for place in found[: command.limit]]
    body: Body = {
        "items": [root_row(item.value, item.tally) for item in page],
        "has_more": len(found) > command.limit,
    }
    if body["has_more"]:
        body["cursor"] = paging.cursor(page[-1].place)
    return View(body, _CONTEXT_CUTS, command.max_chars)


@operation("tasks_delta", "tasks")
def delta(reader: Reader, command: Delta) -> Happened | View:
    """What happened after `since` (exclusive), oldest first; of one task or plan, or of some types only."""
    _check_types(command.types or ())
    root = None if command.task is None else reader.root(command.task).place
    wanted = None if command.types is None else set(command.types)
    found: list[dict[str, Any]] = []
    weight, last = 0, command.since
    scan = command.limit + 1 if wanted is None else _SCANNED
    seen = reader.events(command.since, scan, root)
    enough = 4 * (command.max_chars or DEFAULT)
    for row in seen:
        if len(found) == command.limit or weight > enough:
            break
        event = shown(row)
        last = row.seq
        if wanted is None or event["type"] in wanted:
            found.append(event)
            weight += len(row.body)
    else:
        return _delta_view(found, last, more=len(seen) == scan, max_chars=command.max_chars)
    return _delta_view(found, last, more=True, max_chars=command.max_chars)


@operation("tasks_resume", "tasks")
def resume(reader: Reader, command: Resume) -> InFull | View:
    """One plan or task in full, or one of its steps, with what stands below it in tree order and, by
    events_limit, what happened last."""
    first = paging.after(command.cursor)
    target = find_target(reader, command.task, command.plan)
    named = command.task is not None or command.plan is not None
    body: Body = rounds.re_entry(reader, None if target is None else target.value.id, named=named)
    if target is None:
        return View({**body, "target": None, "steps": [], "has_more": False}, _RESUME_CUTS, command.max_chars)
    body["target"] = root_detail(target.value, target.tally)
    top: Found[Document] = target
    if command.path is not None or command.step_id is not None:
        step = reader.member(target, command.path, command.step_id)
        body["step"] = step_detail(step.place, step.value, step.tally)
        top = step
    evidence = [msgspec.json.decode(row.body) for row in reader.artifacts(top.place, command.limit)]
    if evidence:
        body["evidence"] = evidence
    _add_below(reader, body, top, first, command.limit)
    if command.events_limit:
        body["events"] = [shown(row) for row in reader.recent(command.events_limit, target.place)]
    return View(body, _RESUME_CUTS, command.max_chars)


def _clauses(command: Context) -> list[Clause]:
    """What a row must have."""
    clauses: list[Clause] = [
        (term(value),)
        for term, value in (
            (terms.plan, command.plan),
            (terms.tag, command.tag),
            (terms.domain, command.domain),
            (terms.priority, command.priority),
            (terms.status, command.status),
            (terms.kind, command.kind),
        )
        if value is not None
    ]
    if command.ready is not None:
        clauses.append((terms.READY,) if command.ready else (terms.NOT_READY,))
    return clauses


def _has(root: Found[Root], clauses: list[Clause]) -> bool:
    its = terms.of(root.value, root.tally)
    return all(any(term in its for term in clause) for clause in clauses)


def _check_types(types: tuple[str, ...]) -> None:
    known = ", ".join(TYPES)
    unknown = [
        (f"types[{at}]", f"is {name}, which is no event type; they are {known}")
        for at, name in enumerate(types)
        if name not in TYPES
    ]
    if unknown:
        raise InvalidInput(unknown)


def _delta_view(found: list[Body], last: int, *, more: bool, max_chars: int | None) -> View:
    body: Body = {"events": found, "next": last, "has_more": more}
    return View(body, _DELTA_CUTS, max_chars)


def _add_below(reader: Reader, body: Body, top: Found[Document], first: str, limit: int) -> None:
    if isinstance(top.value, Plan):
        mine = (terms.plan(top.value.id),)
        found = reader.postings((mine,), first, LAST_PLACE, limit + 1)
        tasks = [reader.root(places.root_id(place)) for place in found]
        body["steps"] = []
        body["tasks"] = [root_row(task.value, task.tally) for task in tasks[:limit]]
        stops = [task.place for task in tasks]
    else:
        start, end = places.below(top.place)
        below = reader.span(max(first, start), end, limit + 1)
        body["steps"] = [
            step_row(item.place, item.value, item.tally)
            for item in below[:limit]
            if isinstance(item.value, Step | Node)
        ]
        stops = [item.place for item in below]
    body["has_more"] = len(stops) > limit
    if body["has_more"]:
        body["cursor"] = paging.cursor(stops[limit - 1])


def _stop_at_item(body: Body) -> None:
    body["has_more"] = True
    if body["items"]:
        body["cursor"] = paging.cursor(places.at_id(body["items"][-1]["id"]))


def _stop_at_event(body: Body) -> None:
    body["has_more"] = True
    if body["events"]:
        body["next"] = body["events"][-1]["seq"]


def _stop_at_step(body: Body) -> None:
    body["has_more"] = True
    root = places.at_id(body["target"]["id"])
    if body["steps"]:
        body["cursor"] = paging.cursor(places.at_path(root, body["steps"][-1]["path"]) or "")
    elif body.get("tasks"):
        body["cursor"] = paging.cursor(places.at_id(body["tasks"][-1]["id"]))


_CONTEXT_CUTS: Final = (
    Cut("fields", without("items", "tags", "domain", "priority", "waiting_for")),
    Cut("texts", clipped("items", 100)),
    Cut("items", rows("items", least=1, after=_stop_at_item)),
    Cut("fields", only("items", *_ROW_IDS)),
)
_DELTA_CUTS: Final = (
    Cut("texts", clipped("events", 200)),
    Cut("events", rows("events", least=1, after=_stop_at_event)),
    Cut("fields", only("events", *_EVENT_IDS)),
)
_RESUME_CUTS: Final = (
    Cut("events", rows("events")),
    Cut("texts", clipped("evidence", 500)),
    Cut("texts", clipped("re_entry", 4_000)),
    Cut("evidence", rows("evidence")),
    Cut("texts", clipped("target", 1_000)),
    Cut("fields", without("target", "contract_data", "tags", "depends_on", "context")),
    Cut("fields", without("steps", "counts", "unconfirmed")),
    Cut("fields", without("tasks", "tags", "domain", "priority", "counts")),
    Cut("steps", rows("steps", least=1, after=_stop_at_step)),
    Cut("tasks", rows("tasks", least=1, after=_stop_at_step)),
    Cut("texts", clipped("re_entry", 500)),
    Cut("texts", clipped("target", 100)),
    Cut("texts", clipped("steps", 100)),
    Cut("texts", clipped("re_entry", 80)),
    Cut("fields", only("re_entry", "reminder_content", "round")),
    Cut("fields", only("step", "step_id", "path", "title", "done", "unconfirmed")),
    Cut("texts", clipped("step", 100)),
    Cut("fields", only("target", "id", "kind", "status", "revision")),
    Cut("fields", only("steps", "step_id", "path", "done")),
    Cut("fields", only("tasks", "id", "status")),
    Cut("fields", only("step", "step_id", "done")),
    Cut("fields", without("steps", "path")),
)
