"""The log: what happened after an event."""

from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain.events import TYPES
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.log import logged, shown
from gatepost.engine.reader import Reader
from gatepost.engine.rows import EventRow
from gatepost.operations.fields import Limit, MaxChars, RootId
from gatepost.operations.moments import Moment, seq_at
from gatepost.operations.registry import Command, operation
from gatepost.replies.delta import DeltaReply
from gatepost.views.budget import DEFAULT, Body, Cut, View, clipped, only, rows

_EVENT_IDS: Final = ("seq", "type", "task", "plan", "step_id")
_SCANNED: Final = 2_000

EventType = Annotated[str, Meta(max_length=40)]


class Delta(Command[DeltaReply], frozen=True, kw_only=True):
    """Ask what happened."""

    since: Moment = 0
    task: RootId | None = None
    types: Annotated[tuple[EventType, ...], Meta(min_length=1, max_length=50)] | None = None
    limit: Limit = 100
    max_chars: MaxChars | None = None


@operation("tasks_delta", "tasks")
def delta(reader: Reader, command: Delta) -> View[DeltaReply]:
    """List events after `since` (exclusive), oldest first; optionally of one task or plan, or of some types."""
    _check_types(command.types or ())
    root = None if command.task is None else reader.root(command.task).place
    wanted = None if command.types is None else set(command.types)
    found: list[EventRow] = []
    # A future seq is allowed: a caller can wait for the events after it.
    since = command.since if isinstance(command.since, int) else seq_at(reader, command.since, field="since")
    weight, last = 0, since
    scan = command.limit + 1 if wanted is None else _SCANNED
    seen = reader.events(since, scan, root)
    enough = 4 * (command.max_chars or DEFAULT)
    for row in seen:
        if len(found) == command.limit or weight > enough:
            more = True
            break
        last = row.seq
        if wanted is None or shown(row)["type"] in wanted:
            found.append(row)
            weight += len(row.body)
    else:
        more = len(seen) == scan
    return View(DeltaReply(events=logged(found), next=last, has_more=more), _CUTS, command.max_chars)


def _check_types(types: tuple[str, ...]) -> None:
    known = ", ".join(TYPES)
    unknown = [
        (f"types[{at}]", f"is {name}, which is not an event type; use one of {known}")
        for at, name in enumerate(types)
        if name not in TYPES
    ]
    if unknown:
        raise InvalidInput(unknown)


def _stop_at_event(body: Body) -> None:
    body["has_more"] = True
    if body["events"]:
        body["next"] = body["events"][-1]["seq"]


_CUTS: Final = (
    Cut("texts", clipped("events", 200)),
    Cut("events", rows("events", least=1, after=_stop_at_event)),
    Cut("fields", only("events", *_EVENT_IDS)),
)
