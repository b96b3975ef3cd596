"""The mirror: a slice of a plan or task for external consumers."""

from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.nodes import Node
from gatepost.domain.roots import ACTIVE, Plan, Root
from gatepost.domain.steps import Step
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations import cursors
from gatepost.operations.claim_rows import row_claim
from gatepost.operations.elsewhere import elsewhere
from gatepost.operations.fields import Cursor, Limit, MaxChars, PlanId, RootId
from gatepost.operations.past_views import At, dated
from gatepost.operations.registry import Command, operation
from gatepost.operations.step_fields import StepPath
from gatepost.operations.targets import find_target
from gatepost.replies.mirror import MirrorReply, MirrorRow
from gatepost.views import progress
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.mirror import step_row, task_row
from gatepost.views.radar import heading


class Mirror(Command[MirrorReply], frozen=True, kw_only=True):
    """Ask for a slice."""

    task: RootId | None = None
    plan: PlanId | None = None
    path: StepPath | None = None
    limit: Limit = 50
    cursor: Cursor | None = None
    at: At | None = None
    max_chars: MaxChars | None = None


@operation("tasks_mirror", "tasks")
@dated
def mirror(reader: Reader, command: Mirror) -> View[MirrorReply]:
    """Export a compact slice in tree order: a task's steps (`path`: one step and what is below it), or a plan's
    tasks; each todo, in_progress, done or blocked."""
    first = cursors.after(command.cursor)
    target = find_target(reader, command.task, command.plan)
    if target is None:
        view = View(MirrorReply(target=None, items=(), has_more=False), (), command.max_chars)
        return elsewhere(reader, "tasks_mirror", view)
    if isinstance(target.value, Plan) and command.path is None:
        items, stops = _tasks(reader, target, first, command.limit)
    else:
        items, stops = _steps(reader, target, command.path, first, command.limit)
    more = len(stops) > command.limit
    reply = MirrorReply(
        target=heading(target.value, target.tally),
        items=items,
        has_more=more,
        cursor=cursors.cursor(stops[command.limit - 1]) if more else None,
    )
    return View(reply, _CUTS, command.max_chars)


def _tasks(reader: Reader, plan: Found[Root], first: str, limit: int) -> tuple[tuple[MirrorRow, ...], list[str]]:
    found = reader.postings(((terms.plan(plan.value.id),),), first, LAST_PLACE, limit + 1)
    tasks = reader.roots(found[:limit])
    return tuple(task_row(task.value, task.tally) for task in tasks), found


def _steps(
    reader: Reader, task: Found[Root], path: str | None, first: str, limit: int
) -> tuple[tuple[MirrorRow, ...], list[str]]:
    start, end = places.below(task.place)
    if path is not None:
        top = reader.member(task, path, None).place
        start, end = top, places.below(top)[1]
    found = reader.span(max(first, start), end, limit + 1)
    now = reader.ready(task) if task.value.status == ACTIVE else []
    items = tuple(
        step_row(item.place, item.value, item.tally, now[0] if now else None, row_claim(reader, item.value))
        for item in found[:limit]
        if isinstance(item.value, Step | Node)
    )
    return items, [item.place for item in found]


def _stop_at_item(body: Body) -> None:
    body["has_more"] = True
    last = body["items"][-1]
    if "path" in last:
        body["cursor"] = cursors.cursor(places.at_path(places.at_id(body["target"]["id"]), last["path"]) or "")
    else:
        body["cursor"] = cursors.cursor(places.at_id(last["task"]))


_CUTS: Final = (
    *progress.CUTS,
    Cut("texts", clipped("target", 80)),
    Cut("texts", clipped("items", 100)),
    Cut("items", rows("items", least=1, after=_stop_at_item)),
    Cut("fields", only("target", "id", "revision")),
    Cut("fields", without("items", "provenance")),
    Cut("fields", without("items", "title")),
    Cut("fields", without("items", "path")),
)
