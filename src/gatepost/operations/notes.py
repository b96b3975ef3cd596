"""Notes as they come back: with the step or task that they were written for."""

from typing import Final

from gatepost.domain import places
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.replies.steps import StepNote

_SHOWN: Final = 3
_READ: Final = 50
"""How many of the newest events of a step, and of its task, are looked through for notes."""


def notes(reader: Reader, place: str, step_id: str | None = None) -> tuple[StepNote, ...] | None:
    """The newest notes on a task or plan itself and on one of its steps, newest first; none if there are none."""
    rows = [row for row in reader.recent(_READ, places.root_of(place)) if row.step_id is None]
    if step_id is not None:
        rows += reader.recent(_READ, None, step_id)
    found = []
    for row in sorted(rows, reverse=True):
        event = shown(row)
        if event["type"] == "step_noted":
            found.append(StepNote(note=event["note"], actor=row.actor, at=row.at))
    return tuple(found[:_SHOWN]) or None
