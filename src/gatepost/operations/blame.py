"""Blame: who set a field to its current value, and its earlier values.

An undo or redo restores a value that somebody else set. So the walk continues at the operation that set it, and
skips everything that was undone in between. Anything else that an undo changes, such as reopening a task, is
credited to the undo.
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.reader import Reader
from gatepost.engine.rows import ImageRow, OperationRow
from gatepost.operations.field_changes import shown_fields, stored_fields
from gatepost.operations.moved_places import moved_from
from gatepost.operations.past_operations import NEWEST, with_history
from gatepost.replies.history import DoneBy, PastValue

EVERY: Final = "*"

_PAGE: Final = 50
_MOST_LOOKED_AT: Final = 2_000
"""Images that one page looks at."""
_ABSENT: Final = object()


class Position(Struct, frozen=True):
    """Where a walk back is: at a place, before an operation."""

    place: str
    before: int = NEWEST


class Given(Struct, frozen=True):
    """A value of a field, and where the walk continues to find the one before. No value if the walk paused."""

    rest: Position
    value: PastValue | None = None


def place_of(reader: Reader, task: str, path: str | None, step_id: str | None) -> str:
    """The place of a plan, task or step, even if it was deleted."""
    root = with_history(reader, task)
    if path is None and step_id is None:
        return root
    place = places.at_path(root, path) if step_id is None and path is not None else reader.find(step_id or "")
    gone = place is not None and places.root_of(place) == root and reader.at(place) is None
    if (
        gone
        and place is not None
        and (step_id is None or path is None)
        and reader.images_of_place(place, NEWEST, 1)
    ):
        return place
    return reader.member(reader.root(task), path, step_id).place


def check_field(reader: Reader, place: str, field: str) -> None:
    """Refuse a field that the document does not have."""
    known = list(shown_fields(_newest(reader, place)))
    if field not in known and field != EVERY:
        raise InvalidInput([("field", f"is {field}; use one of {', '.join(known)}, or * for all of them")])


def newest_of_each(reader: Reader, place: str) -> list[PastValue]:
    """The newest value of every field that is not empty."""
    found = (next(given(reader, field, Position(place)), None) for field in stored_fields(_newest(reader, place)))
    return [it.value for it in found if it is not None and it.value is not None]


def _newest(reader: Reader, place: str) -> str | None:
    """The document at a place; if it was deleted, as it was then."""
    images = reader.images_of_place(place, NEWEST, 1)
    return images[0].after or images[0].before if images else None


def given(reader: Reader, field: str, position: Position) -> Iterator[Given]:
    """The values of a field, newest first; if the limit of one page is reached, where to continue."""
    restored: OperationRow | None = None
    looked = 0
    while True:
        for image in _back(reader, position):
            looked += 1
            rest = Position(position.place, image.operation)
            if looked > _MOST_LOOKED_AT:
                yield Given(Position(position.place, image.operation + 1))
                return
            value = _value(image.after, field)
            if value is _ABSENT or value == _value(image.before, field):
                continue
            row = _operation(reader, image.operation)
            earlier = _earlier_position(reader, image, row, field, value)
            if earlier is not None:
                restored = (restored or row) if row.kind in ("undo", "redo") else restored
                position = earlier
                break
            yield Given(rest, _past_value(field, value, row, restored))
            restored = None
        else:
            return


def _back(reader: Reader, position: Position) -> Iterator[ImageRow]:
    before = position.before
    while page := reader.images_of_place(position.place, before, _PAGE):
        yield from page
        before = page[-1].operation


def _earlier_position(
    reader: Reader, image: ImageRow, row: OperationRow, field: str, value: Any
) -> Position | None:
    """Where the walk continues if an operation only restored the value, or moved the document."""
    if row.kind == "undo" and row.of is not None:
        undone = reader.images(row.of, image.place, image.place + "\0")
        return Position(image.place, row.of) if undone and _value(undone[0].before, field) == value else None
    if row.kind == "redo" and row.of is not None:
        redone_operation = _operation(reader, row.of).of or 0
        redone = reader.images(redone_operation, image.place, image.place + "\0")
        return (
            Position(image.place, redone_operation + 1)
            if redone and _value(redone[0].after, field) == value
            else None
        )
    previous = moved_from(reader, image) if image.before is None else None
    return None if previous is None else Position(previous, image.operation)


def _operation(reader: Reader, number: int) -> OperationRow:
    return reader.operations(number + 1, 1, None)[0]


def _value(text: str | None, field: str) -> Any:
    return _ABSENT if text is None else shown_fields(text).get(field)


def _past_value(field: str, value: Any, row: OperationRow, restored: OperationRow | None) -> PastValue:
    return PastValue(
        field=field,
        value=value,
        operation=row.operation,
        tool=row.tool,
        at=row.at,
        actor=row.actor,
        restored=None
        if restored is None
        else DoneBy(operation=restored.operation, tool=restored.tool, at=restored.at, actor=restored.actor),
    )
