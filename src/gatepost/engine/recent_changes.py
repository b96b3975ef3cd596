"""What changed since a revision, for callers whose write expected an earlier one."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from gatepost.domain import places
from gatepost.domain.refusals import RevisionMismatch, Suggestion
from gatepost.engine.document_reads import look_at_place
from gatepost.engine.log import shown
from gatepost.engine.rows import EventRow, Head, OperationRow

_MOST: Final = 5


class ChangeReader(Protocol):
    """The parts of a reader that tell what changed."""

    @property
    def operations(self) -> Callable[[int, int, str | None], list[OperationRow]]: ...

    def head(self) -> Head: ...

    def at(self, place: str) -> Any: ...

    def find(self, name: str) -> str | None: ...

    def members(self, found: Sequence[str]) -> Sequence[Any]: ...

    def recent(self, limit: int, root: str | None) -> list[EventRow]: ...


def mismatch(reader: ChangeReader, name: str, place: str, known: int, expected: int) -> RevisionMismatch:
    """The refusal of a write that was made for another revision of a place."""
    look = look_at_place(place) if _can_be_seen(reader, place) else Suggestion("tasks_radar", {})
    return RevisionMismatch(name, known, expected, look, recent_changes(reader, place, known - expected))


def _can_be_seen(reader: ChangeReader, place: str) -> bool:
    """A missing taskdoc cannot be shown."""
    return place[0] != places.TASKDOC or reader.at(places.named(places.TASKDOC, places.name_of(place))) is not None


def recent_changes(reader: ChangeReader, place: str, revisions: int) -> list[dict[str, Any]]:
    """The newest events of the last revisions of a plan, task or step, oldest first."""
    if revisions < 1 or not places.in_tree(place):
        return []
    calls = {row.operation for row in reader.operations(reader.head().seq + 1, min(revisions, _MOST), place)}
    rows = [row for row in reader.recent(10 * _MOST, places.root_of(place)) if row.operation in calls]
    return [_change(reader, row) for row in reversed(rows[:_MOST])]


def _change(reader: ChangeReader, row: EventRow) -> dict[str, Any]:
    change = {"seq": row.seq, "actor": row.actor, "type": shown(row)["type"]}
    at = None if row.step_id is None else reader.find(row.step_id)
    found = reader.members([at]) if at is not None else ()
    return change | {"path": row.path, "title": found[0].value.title} if found else change
