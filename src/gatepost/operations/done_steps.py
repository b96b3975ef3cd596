"""The steps of a task that were closed last."""

from typing import Final

from gatepost.domain import places
from gatepost.domain.documents import Member
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.engine.reader import Found, Reader
from gatepost.replies.steps import DoneStep

_SHOWN: Final = 3
_READ: Final = 50


def last_done(reader: Reader, task: str) -> tuple[DoneStep, ...] | None:
    """The steps of a task that were closed last and are still done, newest first, as far as the end of the log
    tells."""
    closed: dict[str, EventRow] = {}
    for row in reader.recent(_READ, task):
        if len(closed) < _SHOWN and is_closing(row) and (place := place_of(reader, row)) is not None:
            closed.setdefault(place, row)
    done = [step for step in reader.members(list(closed)) if step.value.done]
    return tuple(_done(step, closed[step.place]) for step in done) or None


def is_closing(row: EventRow) -> bool:
    """Whether a step was closed. Reads the JSON only where that may be."""
    return row.path is not None and "step_done" in row.body and shown(row)["type"] == "step_done"


def place_of(reader: Reader, row: EventRow) -> str | None:
    """The place now of the step that an event is about."""
    return None if row.step_id is None else reader.find(row.step_id)


def _done(step: Found[Member], row: EventRow) -> DoneStep:
    return DoneStep(path=places.path_of(step.place), title=step.value.title, actor=row.actor, at=row.at)
