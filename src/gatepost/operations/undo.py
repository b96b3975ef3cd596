"""Undo and redo of operations."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.events import OperationRedone, OperationUndone
from gatepost.domain.refusals import (
    InvalidInput,
    NothingToRedo,
    NothingToUndo,
    Suggestion,
    UndoConflict,
)
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.log import brief, shown
from gatepost.engine.reader import MOST_NAMED, Reader
from gatepost.engine.rows import ImageRow, OperationRow
from gatepost.operations.field_changes import field_changes
from gatepost.operations.fields import RootId
from gatepost.operations.past_operations import NEWEST, look, numbered, with_history
from gatepost.operations.registry import Write, operation
from gatepost.operations.reversal import CannotReverse, reverse, reversible
from gatepost.replies.history import Reversed

_PAGE: Final = 100
_MOST_WARNINGS: Final = 20
_MOST_WORDS: Final = 5
_MOST_CHANGES: Final = 50
_LOOKED_BACK: Final = 1_000
"""How many of the newest operations are looked through for the caller's own."""


class Undo(Write[Reversed], frozen=True, kw_only=True):
    """Undo an operation."""

    task: RootId | None = None
    operation: Annotated[int, Meta(ge=1)] | None = None
    apply: bool = True


class Redo(Write[Reversed], frozen=True, kw_only=True):
    """Redo the operation that was undone last."""

    task: RootId | None = None


@operation("tasks_undo", "core", "tasks", destructive=True)
def undo(draft: Draft, command: Undo) -> Reversed:
    """Undo your newest operation, a task's newest, or `operation`, if what it touched has not changed since.
    `apply` false only shows what would change."""
    root = _checked(draft, command)
    tried = _Tried()
    for row in _to_undo(draft, command, root):
        if row.kind == "record" and row.undone_by is None:
            tried.warnings.append(f"Operation {row.operation} ({row.tool}) is a record and was skipped.")
        if row.kind != "change" or row.undone_by is not None:
            continue
        reply = _undone(draft, command, row, root, tried)
        if reply is not None:
            return reply
    if tried.conflict is not None:
        raise tried.conflict
    raise NothingToUndo(
        _nothing_left(draft, command),
        "Look at the past operations. To undo somebody else's operation, name its `operation` or its `task`.",
        look(root),
    )


class _Tried:
    """What an undo has skipped while it looked for an operation to undo."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.spoiled: set[str] = set()
        self.conflict: UndoConflict | None = None


def _to_undo(draft: Draft, command: Undo, root: str | None) -> Iterator[OperationRow]:
    """The operation that is named; or those of a task, or the caller's own, newest first."""
    if command.operation is not None:
        return iter([_named(draft, command.operation, root)])
    if root is not None:
        return _operations(draft, root)
    return _own(draft)


def _own(draft: Draft) -> Iterator[OperationRow]:
    """The caller's own operations, among the newest ones of all."""
    newest = islice(_operations(draft, None), _LOOKED_BACK)
    return (row for row in newest if row.actor == draft.caller.actor)


def _named(draft: Draft, number: int, root: str | None) -> OperationRow:
    """An operation by its number, or by the `seq` of one of its events, if it can be undone."""
    row = numbered(draft, number, root)
    done = f"Operation {row.operation} ({row.tool})"
    if row.undone_by is not None:
        raise NothingToUndo(f"{done} is already undone.", "Look at the past operations.", look(root))
    if row.kind != "change":
        why = "a record and stays" if row.kind == "record" else f"the {row.kind} of operation {row.of}"
        raise NothingToUndo(f"{done} is {why}.", "Look at the past operations, and name another one.", look(root))
    return row


def _undone(draft: Draft, command: Undo, row: OperationRow, root: str | None, tried: _Tried) -> Reversed | None:
    """Undo one operation, or note why it can never be undone. Refuses if the caller can resolve the conflict."""
    images = reversible(draft, row.operation)
    touched = {places.root_of(image.place) for image in images}
    if tried.spoiled & touched:
        return None
    start = draft.mark()
    last = _last_of_another(draft, row) if command.task is None and command.operation is None else None
    try:
        reverse(draft, images)
    except CannotReverse as no:
        tried.conflict = tried.conflict or _conflict(draft, row, no, command, "undone", row.operation)
        if command.operation is not None or _can_still_be(draft, row, no):
            raise tried.conflict from None
        draft.back_to(start)
        tried.spoiled |= touched
        tried.warnings.append(f"{_whose(row)} was skipped, because it can no longer be undone: {no}.")
        return None
    if tried.spoiled:
        tried.warnings.append(f"{_whose(row)} {'was' if command.apply else 'would be'} undone instead.")
    warnings = tried.warnings if last is None else [last, *tried.warnings]
    if not command.apply:
        diff = field_changes(draft, start)
        draft.back_to(start)
        if len(diff) > _MOST_CHANGES:
            warnings = [f"{len(diff)} fields would change; the first {_MOST_CHANGES} are shown.", *warnings]
        reply = _reply(draft, row, images, None, warnings, root)
        return replace(reply, applied=False, diff=diff[:_MOST_CHANGES])
    draft.reverses("undo", row, [(draft.number, row.operation)])
    return _reply(draft, row, images, OperationUndone(operation=row.operation, tool=row.tool), warnings, root)


def _last_of_another(draft: Draft, row: OperationRow) -> str | None:
    """What somebody else wrote last, if that was after an operation."""
    newest = draft.operations(NEWEST, 1, None)[0]
    if newest.operation <= row.operation or newest.actor == row.actor:
        return None
    return (
        f"{newest.actor} wrote last: operation {newest.operation} ({newest.tool}). "
        f"Your own newest that can be undone is operation {row.operation}."
    )


def _nothing_left(draft: Draft, command: Undo) -> str:
    if command.task is not None:
        return f"There is nothing to undo in {command.task}."
    return (
        f"You ({draft.caller.actor}) have nothing to undo among the newest {_LOOKED_BACK:,} operations in "
        f"{command.workspace}."
    )


@operation("tasks_redo", "tasks")
def redo(draft: Draft, command: Redo) -> Reversed:
    """Redo what you undid last, or what was undone last in a task, as long as nothing new was written since: by
    you, or in the task."""
    root = _checked(draft, command)
    for row in _own(draft) if root is None else _operations(draft, root):
        if row.kind == "change" and row.undone_by is None:
            break
        if row.kind != "undo" or row.undone_by is not None or row.of is None:
            continue
        images = reversible(draft, row.operation)
        undone = draft.operations(row.of + 1, 1, None)[0]
        try:
            reverse(draft, images)
        except CannotReverse as no:
            raise _conflict(draft, undone, no, command, "redone", row.operation) from None
        draft.reverses("redo", row, [(draft.number, row.operation), (None, undone.operation)])
        images = images or reversible(draft, undone.operation)
        return _reply(
            draft, undone, images, OperationRedone(operation=undone.operation, tool=undone.tool), [], root
        )
    what = command.task or command.workspace
    raise NothingToRedo(
        f"There is nothing to redo in {what}: nothing was undone, or something was written since.",
        "Look at the past operations.",
        look(root),
    )


def _checked(draft: Draft, command: Undo | Redo) -> str | None:
    if command.task is None:
        if command.expected_revision is not None:
            raise InvalidInput([("expected_revision", "needs a `task` whose revision it is")])
        return None
    place = with_history(draft, command.task)
    draft.check_revision(command.task, place, draft.tally(place).revision, command.expected_revision)
    return place


def _operations(draft: Draft, root: str | None) -> Iterator[OperationRow]:
    """Every operation, newest first, a page at a time."""
    before = NEWEST
    while page := draft.operations(before, _PAGE, root):
        yield from page
        before = page[-1].operation


def _can_still_be(draft: Draft, row: OperationRow, no: CannotReverse) -> bool:
    """Whether undoing something newer, or settling a package, would resolve a conflict: that is for the caller."""
    return any(it.package for it in no.conflicts) or _newer(draft, no, row.operation) is not None


def _newer(draft: Draft, no: CannotReverse, since: int) -> OperationRow | None:
    """The newest operation since one that changed what is in conflict, or else something in the same task."""
    conflicts = [it.place for it in no.conflicts]
    for place in conflicts:
        for image in draft.images_of_place(place, NEWEST, _PAGE):
            row = numbered(draft, image.operation, None) if image.operation > since else None
            if row is not None and row.kind == "change" and row.undone_by is None:
                return row
    for place in (*conflicts, *map(places.root_of, conflicts)):
        for row in takewhile(lambda it: it.operation > since, _operations(draft, place)):
            if row.kind == "change" and row.undone_by is None:
                return row
    return None


def _conflict(
    draft: Draft, row: OperationRow, no: CannotReverse, command: Undo | Redo, word: str, since: int
) -> UndoConflict:
    """Why an operation cannot be undone or redone, and how to go on: by its package, or the newer change first."""
    package = next((it.package for it in no.conflicts if it.package is not None), None)
    newer = _newer(draft, no, since) if package is None else None
    if package is not None:
        recovery = f"{package.recovery} Then send this call again."
    elif newer is not None:
        recovery = f"Undo what changed since first, the newest first: {_whose(newer)}. Or make the change yourself."
    else:
        recovery = "Make the change yourself."
    return UndoConflict(
        f"{_whose(row)} cannot be {word}: {no}.",
        recovery,
        Suggestion("tasks_history", {} if command.task is None else {"task": command.task})
        if package is None
        else package.suggestion,
        moved=[{"where": places.shown(it.place), "says": it.says} for it in no.conflicts[:MOST_NAMED]],
        operation=row.operation,
    )


def _whose(row: OperationRow) -> str:
    return f"Operation {row.operation} ({row.tool}) of {row.actor}"


def _reply(
    draft: Draft,
    row: OperationRow,
    images: list[ImageRow],
    event: Event | None,
    warnings: list[str],
    named: str | None,
) -> Reversed:
    """Log the event at every plan and task that changed, and say what was reversed. The revision is that of
    `named`, or else of the first of them."""
    roots = sorted(
        {places.root_of(image.place) for image in images}, key=lambda root: (not places.in_tree(root), root)
    )
    if event is not None:
        for root in roots:
            draft.log(root, event)
    return Reversed(
        operation=row.operation,
        tool=row.tool,
        actor=row.actor,
        at=row.at,
        what=_what(draft, row, images),
        revision=draft.tally(named or roots[0]).revision,
        revisions=draft.revisions(),
        events=brief(draft.logged, ""),
        changed=draft.changed,
        warnings=tuple(warnings[:_MOST_WARNINGS]) or None,
    )


def _what(reader: Reader, row: OperationRow, images: Sequence[ImageRow]) -> tuple[str, ...]:
    """What an operation did, in words that a reader can check: what happened at each place, with its title."""
    titles = {image.place: _title(image) for image in images}
    events = reader.events(row.operation - 1, min(row.last_seq - row.operation + 1, _MOST_WORDS + 1), None)
    happened: dict[tuple[str, str], list[str]] = {}
    for event in events[:_MOST_WORDS]:
        root = event.root or places.FOCUS
        place = root if event.path is None else places.at_path(root, event.path) or root
        happened.setdefault((root, place), []).append(shown(event)["type"])
    said = []
    for (root, place), types in happened.items():
        title = titles.get(place) or titles.get(root)
        said.append(f"{', '.join(types)}: {reader.shown(place)}{f' “{title}”' if title else ''}")
    more = row.last_seq - row.operation + 1 - _MOST_WORDS
    return (*said, f"and {more} more events") if more > 0 else tuple(said)


def _title(image: ImageRow) -> str | None:
    text = image.after or image.before
    title = None if text is None else msgspec.json.decode(text).get("title")
    return title if isinstance(title, str) else None
