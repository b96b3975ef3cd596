"""One plan, task or step in full."""

from collections.abc import Sequence
from typing import Annotated, Final, cast

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.documents import Document, Member
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Root
from gatepost.domain.steps import Step
from gatepost.engine.former_places import evidence as evidence_of
from gatepost.engine.log import logged
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations import cursors
from gatepost.operations.claim_rows import row_claim, with_claims
from gatepost.operations.demands import demanded, needs
from gatepost.operations.fields import KNOWN, Cursor, Limit, MaxChars, PlanId, RootId
from gatepost.operations.notes import notes_in, notes_of_step
from gatepost.operations.past_views import At, dated
from gatepost.operations.re_entry import re_entry
from gatepost.operations.registry import Command, operation
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.operations.targets import find_target
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.resume import ListedStep, ResumeReply
from gatepost.replies.roots import RootRow
from gatepost.replies.step_details import StepDetail
from gatepost.views.budget import DEFAULT, Body, Cut, View, clipped, only, rows, without
from gatepost.views.root_rows import root_detail, root_row
from gatepost.views.step_rows import row_proofs, step_detail, step_row_as


class Resume(Command[ResumeReply], frozen=True, kw_only=True):
    """Ask for one plan, task or step in full."""

    task: RootId | None = None
    plan: PlanId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    events_limit: Annotated[
        int, Meta(ge=0, le=200, description="How many of the latest events to show.", extra=KNOWN)
    ] = 0
    proofs: Annotated[
        bool,
        Meta(
            description="Show the steps below in full, each with its proofs and evidence (excerpts).", extra=KNOWN
        ),
    ] = False
    limit: Limit = 50
    cursor: Cursor | None = None
    at: At | None = None
    max_chars: MaxChars | None = None


@operation("tasks_resume", "core", "tasks")
@dated
def resume(reader: Reader, command: Resume) -> View[ResumeReply]:
    """Show one plan, task or step in full: notes, evidence, what is below it, latest events."""
    first = cursors.after(command.cursor)
    target = find_target(reader, command.task, command.plan)
    named = command.task is not None or command.plan is not None
    left = re_entry(reader, None if target is None else target.value.id, named=named)
    if target is None:
        from gatepost.operations.elsewhere import elsewhere

        nothing = ResumeReply(re_entry=left, target=None, steps=(), has_more=False)
        return elsewhere(reader, "tasks_resume", View(nothing, _CUTS, command.max_chars))
    top: Found[Document] = target
    notes = None
    if command.path is not None or command.step_id is not None:
        member = reader.member(target, command.path, command.step_id)
        top, notes = member, notes_of_step(reader, target.place, member.value.id)
    elif command.cursor is None:
        notes = notes_in(reader, target.place)
    evidence = _evidence(reader, top, command)
    step = _in_full(reader, top, evidence)
    if command.proofs:
        evidence = _excerpts(evidence, command)
    steps, tasks, stops = _below(reader, top, first, command)
    shown = len(tasks or steps)
    more = len(stops) > shown
    reply = ResumeReply(
        re_entry=left,
        target=with_claims(reader, target, root_detail(target.value, target.tally)),
        step=step,
        notes=notes,
        evidence=tuple(evidence) or None,
        holds=demanded(reader, top.place),
        now=_now(reader, target),
        steps=steps,
        tasks=tasks,
        has_more=more,
        cursor=cursors.cursor(stops[shown - 1]) if more else None,
        events=logged(reader.recent(command.events_limit, target.place)) if command.events_limit else None,
    )
    return View(reply, _CUTS_OF_PROOFS if command.proofs else _CUTS, command.max_chars)


def _evidence(reader: Reader, top: Found[Document], command: Resume) -> list[KeptEvidence]:
    found = evidence_of(reader, top, command.limit)
    if not found:
        return []
    from gatepost.operations.proven_steps import kept

    return [kept(row) for row in found]


def _excerpts(evidence: Sequence[KeptEvidence], command: Resume) -> list[KeptEvidence]:
    """The evidence as the first page shows it beside the steps' own."""
    from gatepost.operations.proven_steps import excerpt

    return [] if command.cursor is not None else [excerpt(piece) for piece in evidence]


def _now(reader: Reader, target: Found[Root]) -> str | None:
    """The step of a task to work on. A plan's radar finds it in one of its tasks."""
    first = [] if isinstance(target.value, Plan) else reader.members(reader.ready(target))
    return first[0].value.id if first else None


def _in_full(reader: Reader, top: Found[Document], evidence: Sequence[KeptEvidence]) -> StepDetail | None:
    value = top.value
    if not isinstance(value, Step | Node):
        return None
    detail = replace(
        step_detail(top.place, value, top.tally, reader.is_stale, evidence), claim=row_claim(reader, value)
    )
    if isinstance(value, Node):
        return detail
    return replace(detail, needs=needs(reader, Found(top.place, value, top.tally)) or None)


def _below(
    reader: Reader, top: Found[Document], first: str, command: Resume
) -> tuple[tuple[ListedStep, ...], tuple[RootRow, ...] | None, list[str]]:
    """The steps below, a plan's tasks, and the places of all that was found: more of them if there is more."""
    limit = command.limit
    if isinstance(top.value, Plan):
        mine = (terms.plan(top.value.id),)
        found = reader.postings((mine,), first, LAST_PLACE, limit + 1)
        tasks = reader.roots(found)
        rows = tuple(with_claims(reader, task, root_row(task.value, task.tally)) for task in tasks[:limit])
        return (), rows, [task.place for task in tasks]
    start, end = places.below(top.place)
    below = reader.span(max(first, start), end, limit + 1)
    members = [cast("Found[Member]", item) for item in below if isinstance(item.value, Step | Node)]
    if command.proofs:
        from gatepost.operations.proven_steps import proven_steps

        steps = proven_steps(reader, members[:limit], command.max_chars or DEFAULT)
    else:
        steps = tuple(
            step_row_as(
                ListedStep,
                it.place,
                it.value,
                it.tally,
                claim=row_claim(reader, it.value),
                **row_proofs(it.value, reader.is_stale),
            )
            for it in members[:limit]
        )
    return steps, None, [item.place for item in members]


def _stop_at_step(body: Body) -> None:
    body["has_more"] = True
    root = places.at_id(body["target"]["id"])
    if body["steps"]:
        body["cursor"] = cursors.cursor(places.at_path(root, body["steps"][-1]["path"]) or "")
    elif body.get("tasks"):
        body["cursor"] = cursors.cursor(places.at_id(body["tasks"][-1]["id"]))


def _without_notes(body: Body, _over: int) -> int:
    return len(body.pop("notes", ()))


def _without_now(body: Body, _over: int) -> int:
    return int(body.pop("now", None) is not None)


_CUTS: Final = (
    Cut("events", rows("events")),
    Cut("texts", clipped("evidence", 500)),
    Cut("texts", clipped("re_entry", 4_000)),
    Cut("evidence", rows("evidence")),
    Cut("texts", clipped("notes", 1_000)),
    Cut("notes", rows("notes", least=3)),
    Cut("texts", clipped("target", 1_000)),
    Cut("fields", without("target", "contract_data", "tags", "depends_on", "context")),
    Cut("fields", without("steps", "counts", "unconfirmed", "provenance")),
    Cut("fields", without("tasks", "tags", "domain", "priority", "counts")),
    Cut("steps", rows("steps", least=1, after=_stop_at_step)),
    Cut("tasks", rows("tasks", least=1, after=_stop_at_step)),
    Cut("texts", clipped("notes", 200)),
    Cut("texts", clipped("step.answer", 500)),
    Cut("notes", rows("notes", least=1)),
    Cut("texts", clipped("re_entry", 500)),
    Cut("texts", clipped("target", 100)),
    Cut("texts", clipped("steps", 100)),
    Cut("texts", clipped("re_entry", 80)),
    Cut("notes", _without_notes),
    Cut("fields", only("re_entry", "reminder_content", "round")),
    Cut("fields", only("step", "step_id", "path", "title", "done", "unconfirmed")),
    Cut("texts", clipped("step", 100)),
    Cut("fields", only("target", "id", "kind", "status", "revision")),
    Cut("fields", only("steps", "step_id", "path", "done")),
    Cut("fields", only("tasks", "id", "status")),
    Cut("fields", only("step", "step_id", "done")),
    Cut("fields", without("steps", "path")),
    Cut("fields", _without_now),
)
_CUTS_OF_PROOFS: Final = (
    Cut("events", rows("events")),
    Cut("steps", rows("steps", least=1, after=_stop_at_step)),
    Cut("evidence", without("steps", "evidence")),
    Cut("fields", without("steps", "criteria", "tests", "blockers", "checks", "answer", "confirmed")),
    *_CUTS,
)
"""Fewer steps before less of each: the next page has the rest."""
