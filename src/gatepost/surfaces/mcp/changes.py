"""Which resources changed in a part of the log. May notify once too often; clients re-read and see no change."""

from collections.abc import Iterable, Sequence
from typing import Final

from gatepost.domain import places
from gatepost.domain.people import is_person
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.engine.rows import EventRow
from gatepost.operations import todo_stream
from gatepost.surfaces.mcp.addresses import INBOX, QUESTION, RADAR, TASK, TASKDOC, ResourceTarget

FAR: Final = 1_000
"""A client further behind than this many events is notified about everything."""

_UNSEEN: Final = (
    *("step_noted", "evidence_captured", "task_edited", "task_created", "plan_created"),
    *("mind_cleared", "step_claimed", "step_released"),
)
"""Events that neither ask anything of a person nor answer it."""
_APART: Final = (places.SESSION, places.DIGEST, places.JOURNAL)


def changed(
    engine: Engine, workspace: str, after: int, targets: Iterable[ResourceTarget], caller: Caller
) -> tuple[int, list[ResourceTarget]]:
    """The last `seq` of a workspace's log, and which of the targets changed since `after`."""

    def ask(reader: Reader) -> tuple[int, list[ResourceTarget]]:
        head = reader.head().seq
        if head - after > FAR:
            return head, list(targets)
        rows = reader.events(after, FAR, None)
        found = [target for target in targets if _touched(reader, target, rows)]
        return rows[-1].seq if rows else after, found

    return engine.read(workspace, caller, ask)


def _touched(reader: Reader, target: ResourceTarget, rows: Sequence[EventRow]) -> bool:
    if target.kind == INBOX:
        return _touched_inbox(rows)
    if target.kind == QUESTION:
        # An undo is an event of the whole task.
        place = reader.find(target.name)
        root = None if place is None else places.root_of(place)
        return any(row.step_id == target.name or (row.root == root and row.step_id is None) for row in rows)
    roots = {row.root or places.FOCUS for row in rows}
    if target.kind == RADAR:
        return any(root[0] not in _APART for root in roots)
    if target.kind == TASKDOC:
        key = reader.taskdoc_key(target.name) or target.name
        return any(root[0] == places.TASKDOC and places.name_of(root) == key for root in roots)
    if target.kind == TASK:
        rounds = {places.rounds_of_agent(reader.caller.agent), places.rounds_of_task(target.name)}
        return bool(rounds & roots) or _touched_root(target.name, roots)
    try:
        return todo_stream.place_of(target.name) in roots
    except Refusal:
        return False


def _touched_inbox(rows: Sequence[EventRow]) -> bool:
    """Whether an item may have been added or removed.

    A step that an agent closes did not wait for a person, but the step above it may wait for one now.
    """
    closed = {
        row.step_id
        for row in rows
        if not is_person(row.actor) and "." not in (row.path or "") and shown(row)["type"] == "step_done"
    }
    return any(
        row.root is not None
        and row.root[0] not in _APART
        and shown(row)["type"] not in _UNSEEN
        and (row.step_id is None or row.step_id not in closed)
        for row in rows
    )


def _touched_root(root_id: str, roots: set[str]) -> bool:
    place = places.of_id(root_id)
    if place is None or places.is_task(place):
        return place in roots
    return any(places.in_tree(root) for root in roots)  # a plan shows its tasks
