"""The steps of a task that were closed last."""

from typing import Final

from gatepost.domain import places
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.engine.reader import Reader
from gatepost.replies.steps import DoneStep

_SHOWN: Final = 3
_READ: Final = 50


def last_done(reader: Reader, task: str) -> tuple[DoneStep, ...] | None:
    """The steps of a task that were closed last and are still done, newest first, as far as the end of the log
    tells."""
    closed: dict[str, EventRow] = {}
    for row in reader.recent(_READ, task):
        if len(closed) < _SHOWN and is_closing(row):
            closed.setdefault(place_of(row), row)
    done = [step for step in reader.members(list(closed)) if step.value.done]
    return tuple(_done(step.value.title, closed[step.place]) for step in done) or None


def is_closing(row: EventRow) -> bool:
    """Whether a step was closed. Reads the JSON only where that may be."""
    return row.path is not None and "step_done" in row.body and shown(row)["type"] == "step_done"


def place_of(row: EventRow) -> str:
    """The place of the step that an event is about."""
    return places.at_path(row.root or "", row.path or "") or ""


def _done(title: str, row: EventRow) -> DoneStep:
    return DoneStep(path=row.path or "", title=title, actor=row.actor, at=row.at)
