"""History: past operations, what one of them changed, and who set a field."""

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatepost.domain import places
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.engine.rows import OperationRow
from gatepost.operations import blame
from gatepost.operations.cursors import placed, placed_cursor
from gatepost.operations.fields import Cursor, Limit, MaxChars, RootId
from gatepost.operations.net_changes import LogSpan, change_page, span_of
from gatepost.operations.past_operations import NEWEST, numbered, with_history
from gatepost.operations.registry import Command, operation
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.replies.history import HistoryReply, PastOperation
from gatepost.views.budget import Body, Cut, View, clipped, clipped_deeply, only, rows, without

_MOST_EVENTS: Final = 20
_VERSIONED: Final = ("contract", "contract_data")


class History(Command[HistoryReply], frozen=True, kw_only=True):
    """Ask what was done."""

    task: RootId | None = None
    path: StepPath | None = None
    step_id: StepId | None = None
    field: Annotated[str, Meta(max_length=40, description="Who set this field; * for every field.")] | None = None
    operation: Annotated[int, Meta(ge=1, le=2**53, description="Only this one, field by field.")] | None = None
    limit: Limit = 20
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


@operation("tasks_history", "tasks")
def history(reader: Reader, command: History) -> View[HistoryReply]:
    """List past operations, newest first, of the workspace or of one task, plan or step: tool, actor, events,
    whether it was undone, and earlier contracts. With `operation`: each field it changed, before and after. With
    `field`: who set it, and its earlier values."""
    _check(command)
    if command.operation is not None:
        return _one(reader, command, command.operation)
    if command.task is None:
        return _listed(reader, command, None)
    place = blame.place_of(reader, command.task, command.path, command.step_id)
    if command.field is None:
        return _listed(reader, command, place)
    return _blamed(reader, command, place, command.field)


def _check(command: History) -> None:
    """Refuse arguments that cannot be combined."""
    selected = {"path": command.path, "step_id": command.step_id, "field": command.field}
    given = [name for name, value in selected.items() if value is not None]
    if given and command.operation is not None:
        raise InvalidInput([(name, "cannot be given together with `operation`") for name in given])
    if given and command.task is None:
        raise InvalidInput([("task", f"is required with `{given[0]}`")])


def _listed(reader: Reader, command: History, place: str | None) -> View[HistoryReply]:
    before = NEWEST if command.cursor is None else _number(command.cursor)
    found = reader.operations(before, command.limit + 1, place)
    page = found[: command.limit]
    more = len(found) > command.limit
    reply = HistoryReply(
        operations=tuple(_row(reader, row) for row in page),
        has_more=more,
        cursor=str(page[-1].operation) if more else None,
    )
    return View(reply, _CUTS, command.max_chars)


def _one(reader: Reader, command: History, number: int) -> View[HistoryReply]:
    """One operation, and what it changed."""
    root = None if command.task is None else with_history(reader, command.task)
    row = numbered(reader, number, root)
    span = LogSpan(row.operation - 1, row.operation, None if root is None else frozenset((root,)))
    page = change_page(reader, span_of(command.cursor, span), command.cursor, command.limit, command.max_chars)
    reply = HistoryReply(
        operations=(_row(reader, row),),
        documents=page.changes,
        has_more=page.cursor is not None,
        cursor=page.cursor,
    )
    return View(reply, (*page.cuts, _CUTS[-1]), command.max_chars)


def _blamed(reader: Reader, command: History, place: str, field: str) -> View[HistoryReply]:
    """Who set a field, or every field."""
    blame.check_field(reader, place, field)
    if field == blame.EVERY:
        return _all_blamed(reader, command, place)
    start = blame.Position(place)
    if command.cursor is not None:
        there, (before,) = placed(command.cursor, 1)
        start = blame.Position(there, before)
    found = list(islice(blame.given(reader, field, start), command.limit + 1))
    page = found[: command.limit]
    more = len(found) > command.limit or (bool(page) and page[-1].value is None)
    cursors = [placed_cursor(it.rest.place, it.rest.before) for it in page]
    reply = HistoryReply(
        operations=(),
        values=tuple(it.value for it in page if it.value is not None),
        has_more=more,
        cursor=cursors[-1] if more else None,
    )
    return View(reply, _value_cuts(cursors), command.max_chars)


def _all_blamed(reader: Reader, command: History, place: str) -> View[HistoryReply]:
    """Who set each field, in the order of the fields."""
    start = 0 if command.cursor is None else _number(command.cursor)
    found = blame.newest_of_each(reader, place)[start:]
    more = len(found) > command.limit
    cursors = [str(start + at) for at in range(1, len(found) + 1)]
    reply = HistoryReply(
        operations=(),
        values=tuple(found[: command.limit]),
        has_more=more,
        cursor=cursors[command.limit - 1] if more else None,
    )
    return View(reply, _value_cuts(cursors), command.max_chars)


def _row(reader: Reader, row: OperationRow) -> PastOperation:
    most = min(row.last_seq - row.operation + 1, _MOST_EVENTS)
    events = [shown(event) for event in reader.events(row.operation - 1, most, None)]
    targets = tuple(dict.fromkeys(map(_target, events)))
    return PastOperation(
        operation=row.operation,
        tool=row.tool,
        at=row.at,
        actor=row.actor,
        kind=row.kind,
        events=tuple(dict.fromkeys(event["type"] for event in events)),
        targets=targets,
        of=row.of,
        undone_by=row.undone_by,
        **(_contracts(reader, row) if any(target.startswith("PLAN") for target in targets) else {}),
    )


def _target(event: Body) -> str:
    return next(
        (str(event[name]) for name in ("task", "plan", "session", "section_key", "taskdoc") if name in event),
        "round" if event["type"] == "mind_cleared" else "focus",
    )


def _contracts(reader: Reader, row: OperationRow) -> Body:
    """The contract that an operation replaced."""
    replaced: Body = {}
    for image in reader.images(row.operation, *places.all_named(places.PLAN)):
        if image.before is None or image.after is None:
            continue
        before, after = msgspec.json.decode(image.before), msgspec.json.decode(image.after)
        for name in _VERSIONED:
            if before.get(name) != after.get(name):
                replaced[f"{name}_before"] = before.get(name)
    return replaced


def _number(cursor: str) -> int:
    if not cursor.isdecimal() or len(cursor) > 18:
        raise InvalidInput([("cursor", "must be a cursor from an earlier reply")])
    return int(cursor)


def _stop(body: Body) -> None:
    body["has_more"] = True
    if body["operations"]:
        body["cursor"] = str(body["operations"][-1]["operation"])


def _value_cuts(cursors: Sequence[str]) -> Sequence[Cut]:
    def stop(body: Body) -> None:
        body["has_more"] = True
        body["cursor"] = cursors[len(body["values"]) - 1]

    return (
        Cut("texts", clipped_deeply("values", 200)),
        Cut("values", rows("values", least=1, after=stop)),
        Cut("fields", only("values", "field", "operation", "actor")),
    )


_CUTS: Final = (
    Cut("texts", clipped("operations", 200)),
    Cut("fields", without("operations", "contract_data_before")),
    Cut("operations", rows("operations", least=1, after=_stop)),
    Cut("fields", only("operations", "operation", "tool", "undone_by")),
)
