"""Notes as they come back: with the step, task or plan that they were written for."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from gatepost.domain import places
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.engine.reader import Reader
from gatepost.replies.steps import StepNote, WrittenNote

_SHOWN: Final = 3
READ: Final = 50
"""How many of the newest events of a step, and of its task, are looked through for notes."""
_READ_OF_ALL: Final = 50
_SHOWN_OF_ALL: Final = 10


def notes(
    reader: Reader, place: str, step_id: str, recent: Sequence[EventRow] | None = None
) -> tuple[StepNote, ...] | None:
    """The newest notes on a step and on its task itself, newest first. `recent` are the task's newest events."""
    of_task = reader.recent(READ, places.root_of(place)) if recent is None else recent
    rows = [*(row for row in of_task if row.step_id is None), *reader.recent(READ, None, step_id)]
    found = [StepNote(**_written(row)) for row in sorted(rows, key=attrgetter("seq"), reverse=True) if is_note(row)]
    return tuple(found[:_SHOWN]) or None


def notes_of_step(reader: Reader, step_id: str) -> tuple[WrittenNote, ...] | None:
    """The newest notes on one step, newest first."""
    found = [WrittenNote(**_written(row)) for row in reader.recent(READ, None, step_id) if is_note(row)]
    return tuple(found[:_SHOWN_OF_ALL]) or None


def notes_in(reader: Reader, root: str) -> tuple[WrittenNote, ...] | None:
    """The newest notes on a plan or task and on the steps of a task, newest first."""
    return notes_among(reader.recent(_READ_OF_ALL, root), root)


def notes_among(rows: Iterable[EventRow], root: str, most: int = _SHOWN_OF_ALL) -> tuple[WrittenNote, ...] | None:
    """The notes among events, each with its step, and with its task if that is another one than `root`."""
    found: list[WrittenNote] = []
    for row in rows:
        if len(found) < most and is_note(row):
            task = None if row.root in (None, root) else places.root_id(row.root or "")
            found.append(WrittenNote(task=task, step_id=row.step_id, path=row.path, **_written(row)))
    return tuple(found) or None


def is_note(row: EventRow) -> bool:
    """Whether an event is a note. Reads the JSON only where it may be one."""
    return "step_noted" in row.body and shown(row)["type"] == "step_noted"


def _written(row: EventRow) -> dict[str, Any]:
    return {"note": shown(row)["note"], "actor": row.actor, "at": row.at}
