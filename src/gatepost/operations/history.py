"""History: what was done, and how it is taken back and brought back."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

import msgspec

from gatepost.domain import places
from gatepost.domain.events import Event, OperationRedone, OperationUndone
from gatepost.domain.refusals import InvalidInput, NothingToRedo, NothingToUndo, Suggestion, UndoConflict
from gatepost.engine.draft import Draft
from gatepost.engine.log import brief, shown
from gatepost.engine.port import ImageRow, OperationRow
from gatepost.engine.reader import MOST_NAMED, Reader
from gatepost.operations.fields import Cursor, Limit, MaxChars, RootId
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.reversal import CannotReverse, reverse, reversible
from gatepost.replies.history import HistoryReply, PastOperation, Reversed
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without

_PAGE: Final = 100
_LAST: Final = 2**62
_MOST_EVENTS: Final = 20
_MOST_WARNINGS: Final = 20
_VERSIONED: Final = ("contract", "contract_data")


class History(Command[HistoryReply], frozen=True, kw_only=True):
    """Ask what was done."""

    task: RootId | None = None
    limit: Limit = 20
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class Undo(Write[Reversed], frozen=True, kw_only=True):
    """Take back the newest operation."""

    task: RootId | None = None


class Redo(Write[Reversed], frozen=True, kw_only=True):
    """Bring back what was taken back last."""

    task: RootId | None = None


@operation("tasks_history", "tasks")
def history(reader: Reader, command: History) -> View[HistoryReply]:
    """List past operations, newest first, of the workspace or of one task or plan: tool, actor, events, whether it
    was undone, and earlier contracts."""
    before = _LAST if command.cursor is None else _number(command.cursor)
    root = None if command.task is None else with_history(reader, command.task)
    found = reader.operations(before, command.limit + 1, root)
    page = found[: command.limit]
    more = len(found) > command.limit
    reply = HistoryReply(
        operations=tuple(_row(reader, row) for row in page),
        has_more=more,
        cursor=str(page[-1].operation) if more else None,
    )
    return View(reply, _CUTS, command.max_chars)


@operation("tasks_undo", "core", "tasks", destructive=True)
def undo(draft: Draft, command: Undo) -> Reversed:
    """Undo the newest operation (of a task, if named), if nothing has changed what it touched since."""
    root = _checked(draft, command)
    warnings: list[str] = []
    spoiled: set[str] = set()
    first: UndoConflict | None = None
    for row in _operations(draft, root):
        if row.kind == "record" and row.undone_by is None:
            warnings.append(f"Operation {row.operation} ({row.tool}) is a record, so it stays.")
        if row.kind != "change" or row.undone_by is not None:
            continue
        images = reversible(draft, row.operation)
        if spoiled & {places.root_of(image.place) for image in images}:
            continue
        start = draft.mark()
        try:
            reverse(draft, images)
        except CannotReverse as no:
            first = first or _conflict(row, no, command, "undone")
            if _can_still_be(draft, row, no):
                raise first from None
            draft.back_to(start)
            spoiled |= {places.root_of(image.place) for image in images}
            warnings.append(f"Operation {row.operation} ({row.tool}) was skipped: {no}.")
            continue
        draft.reverses("undo", row, [(draft.number, row.operation)])
        return _reply(draft, row, images, OperationUndone(operation=row.operation, tool=row.tool), warnings, root)
    if first is not None:
        raise first
    what = command.task or command.workspace
    raise NothingToUndo(
        f"There is nothing to undo in {what}.",
        "Look at the past operations.",
        Suggestion("tasks_history", {} if command.task is None else {"task": command.task}),
    )


@operation("tasks_redo", "tasks")
def redo(draft: Draft, command: Redo) -> Reversed:
    """Redo what was undone last (of a task, if named), as long as nothing new was written since."""
    root = _checked(draft, command)
    for row in _operations(draft, root):
        if row.kind == "change" and row.undone_by is None:
            break
        if row.kind != "undo" or row.undone_by is not None or row.of is None:
            continue
        images = reversible(draft, row.operation)
        undone = draft.operations(row.of + 1, 1, None)[0]
        try:
            reverse(draft, images)
        except CannotReverse as no:
            raise _conflict(undone, no, command, "redone") from None
        draft.reverses("redo", row, [(draft.number, row.operation), (None, undone.operation)])
        images = images or reversible(draft, undone.operation)
        return _reply(
            draft, undone, images, OperationRedone(operation=undone.operation, tool=undone.tool), [], root
        )
    what = command.task or command.workspace
    raise NothingToRedo(
        f"There is nothing to redo in {what}: nothing was undone, or something was written since.",
        "Look at the past operations.",
        Suggestion("tasks_history", {} if command.task is None else {"task": command.task}),
    )


def _checked(draft: Draft, command: Undo | Redo) -> str | None:
    if command.task is None:
        if command.expected_revision is not None:
            raise InvalidInput([("expected_revision", "needs a `task` whose revision it is")])
        return None
    place = with_history(draft, command.task)
    draft.check_revision(command.task, place, draft.tally(place).revision, command.expected_revision)
    return place


def with_history(reader: Reader, root_id: str) -> str:
    """The place of a plan or task that is, or was: what was deleted has a history, and can be brought back."""
    place = places.at_id(root_id)
    if not reader.operations(_LAST, 1, place):
        reader.root(root_id)
    return place


def _operations(draft: Draft, root: str | None) -> Iterator[OperationRow]:
    """Every operation, newest first, a page at a time."""
    before = _LAST
    while page := draft.operations(before, _PAGE, root):
        yield from page
        before = page[-1].operation


def _can_still_be(draft: Draft, row: OperationRow, no: CannotReverse) -> bool:
    """Whether undoing something newer would resolve a conflict: then that is for the caller to do."""
    return any(
        newer.kind == "change" and newer.undone_by is None
        for conflict in no.conflicts
        for newer in takewhile(
            lambda it: it.operation > row.operation, _operations(draft, places.root_of(conflict.place))
        )
    )


def _conflict(row: OperationRow, no: CannotReverse, command: Undo | Redo, word: str) -> UndoConflict:
    return UndoConflict(
        f"Operation {row.operation} ({row.tool}) cannot be {word}: {no}.",
        "Undo the later operations first, or make the change yourself.",
        Suggestion("tasks_history", {} if command.task is None else {"task": command.task}),
        moved=[{"where": places.shown(it.place), "says": it.says} for it in no.conflicts[:MOST_NAMED]],
        operation=row.operation,
    )


def _reply(
    draft: Draft,
    row: OperationRow,
    images: list[ImageRow],
    event: Event,
    warnings: list[str],
    named: str | None,
) -> Reversed:
    roots = sorted(
        {places.root_of(image.place) for image in images}, key=lambda root: (not places.in_tree(root), root)
    )
    for root in roots:
        draft.log(root, event)
    return Reversed(
        operation=row.operation,
        tool=row.tool,
        revision=draft.tally(named or roots[0]).revision,
        revisions=draft.revisions(),
        events=brief(draft.logged, ""),
        changed=draft.changed,
        warnings=tuple(warnings[:_MOST_WARNINGS]) or None,
    )


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
    for image in reader.images(row.operation):
        if image.before is None or image.after is None or not image.place.startswith(places.PLAN):
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


_CUTS: Final = (
    Cut("texts", clipped("operations", 200)),
    Cut("fields", without("operations", "contract_data_before")),
    Cut("operations", rows("operations", least=1, after=_stop)),
    Cut("fields", only("operations", "operation", "tool", "undone_by")),
)
