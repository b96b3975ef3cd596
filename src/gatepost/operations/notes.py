"""Notes as they come back: with the step, task or plan that they were written for."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, Final

from gatepost.domain import places
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.engine.rows import EventRow
from gatepost.replies.steps import StepNote, WrittenNote

_SHOWN: Final = 3
_SHOWN_OF_ALL: Final = 10


def notes(reader: Reader, place: str, step_id: str) -> tuple[StepNote, ...] | None:
    """The newest notes on a step and on its task itself, newest first."""
    rows = reader.notes(_SHOWN, places.root_of(place), (step_id, None))
    return tuple(StepNote(**_written(row)) for row in rows) or None


def notes_of_step(reader: Reader, root: str, step_id: str) -> tuple[WrittenNote, ...] | None:
    """The newest notes on one step, newest first."""
    rows = reader.notes(_SHOWN_OF_ALL, root, (step_id,))
    return tuple(WrittenNote(**_written(row)) for row in rows) or None


def notes_in(reader: Reader, root: str, others: Iterable[str] = ()) -> tuple[WrittenNote, ...] | None:
    """The newest notes on a plan or task and on the steps of a task, and in others, newest first. Each has its
    step, and its task if that is another one than `root`."""
    rows = [row for place in {root, *others} for row in reader.notes(_SHOWN_OF_ALL, place)]
    newest = sorted(rows, key=attrgetter("seq"), reverse=True)[:_SHOWN_OF_ALL]
    return tuple(_placed(reader, row, root) for row in newest) or None


def _placed(reader: Reader, row: EventRow, root: str) -> WrittenNote:
    """A note with its step, under the path that the step has now."""
    task = None if row.root in (None, root) else places.root_id(row.root or "")
    place = None if row.step_id is None else reader.find(row.step_id)
    path = row.path if place is None else places.path_of(place)
    return WrittenNote(task=task, step_id=row.step_id, path=path, **_written(row))


def _written(row: EventRow) -> dict[str, Any]:
    return {"note": shown(row)["note"], "actor": row.actor, "at": row.at}
