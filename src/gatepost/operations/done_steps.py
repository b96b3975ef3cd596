"""The steps of a task that were closed last."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from gatepost.domain import places
from gatepost.domain.documents import Member
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import EventRow
from gatepost.replies.steps import DoneStep

_SHOWN: Final = 3
_READ: Final = (12, 50)
"""How many events at the end of a task's log are looked through: first few, and then all."""
_CLOSED: Final = '{"type":"step_done"'
"""How the event of a closing begins: an event's tag is its first field."""


def last_done(reader: Reader, task: str) -> tuple[DoneStep, ...] | None:
    """The steps of a task that were closed last and are still done, newest first, as far as the end of the log
    tells."""
    found: list[DoneStep] = []
    closings = _closings(reader, task)
    # A step that was reopened or deleted since makes room for an earlier one. Mostly the first batch is enough.
    while len(found) < _SHOWN and (closed := dict(islice(closings, _SHOWN - len(found)))):
        found += [_done(step, closed[step.place]) for step in reader.members(list(closed)) if step.value.done]
    return tuple(found) or None


def _closings(reader: Reader, task: str) -> Iterator[tuple[str, EventRow]]:
    """The places of the steps that were closed last, each once, with its last closing, newest first."""
    seen: set[str] = set()
    for row in _recent_events(reader, task):
        if is_closing(row) and (place := place_of(reader, row)) is not None and place not in seen:
            seen.add(place)
            yield place, row


def _recent_events(reader: Reader, task: str) -> Iterator[EventRow]:
    """The part of a task's log in which closings are looked for, newest first. Mostly little of it is read."""
    read = 0
    for most in _READ:
        rows = reader.recent(most, task)
        yield from rows[read:]
        if len(rows) < most:
            return
        read = most


def read_closings(reader: Reader, task: str) -> None:
    """Read all that may be looked through, where one read more costs less than a second round trip."""
    for most in _READ:
        reader.recent(most, task)


def is_closing(row: EventRow) -> bool:
    """Whether a step was closed."""
    return row.path is not None and row.body.startswith(_CLOSED)


def place_of(reader: Reader, row: EventRow) -> str | None:
    """The place of the step that an event is about. It can be empty: the step may be deleted since."""
    return None if row.step_id is None else reader.find(row.step_id)


def _done(step: Found[Member], row: EventRow) -> DoneStep:
    return DoneStep(path=places.path_of(step.place), title=step.value.title, actor=row.actor, at=row.at)
