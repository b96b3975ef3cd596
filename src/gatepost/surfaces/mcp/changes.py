"""Which resources changed in a part of the log. May notify once too often; clients re-read and see no change."""

from collections.abc import Iterable
from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.surfaces.mcp.addresses import RADAR, TASK, TASKDOC, ResourceTarget

FAR: Final = 1_000
"""A client further behind than this many events is notified about everything."""

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
        roots = {row.root or places.FOCUS for row in rows}
        return rows[-1].seq if rows else after, [target for target in targets if _touched(reader, target, roots)]

    return engine.read(workspace, caller, ask)


def _touched(reader: Reader, target: ResourceTarget, roots: set[str]) -> bool:
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


def _touched_root(root_id: str, roots: set[str]) -> bool:
    place = places.of_id(root_id)
    if place is None or places.is_task(place):
        return place in roots
    return any(places.in_tree(root) for root in roots)  # a plan shows its tasks
