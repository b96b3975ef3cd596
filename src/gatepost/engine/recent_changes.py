"""What changed since a revision, for those whose write was meant for an earlier one."""

from typing import Any, Final

from gatepost.domain import places
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.engine.reader import Reader

_MOST: Final = 5


def recent_changes(reader: Reader, place: str, revisions: int) -> list[dict[str, Any]]:
    """The newest events of the last revisions of a plan, task or step, oldest first."""
    if revisions < 1 or not places.in_tree(place):
        return []
    calls = {row.operation for row in reader.operations(reader.head().seq + 1, min(revisions, _MOST), place)}
    rows = [row for row in reader.recent(10 * _MOST, places.root_of(place)) if row.operation in calls]
    return [_change(reader, row) for row in reversed(rows[:_MOST])]


def _change(reader: Reader, row: EventRow) -> dict[str, Any]:
    change = {"seq": row.seq, "actor": row.actor, "type": shown(row)["type"]}
    at = None if row.path is None or row.root is None else places.at_path(row.root, row.path)
    found = reader.members([at]) if at is not None else ()
    return change | {"path": row.path, "title": found[0].value.title} if found else change
