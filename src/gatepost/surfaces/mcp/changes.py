"""Which resources a stretch of the log has changed. Rather one too many: who is told looks, and sees no change."""

from collections.abc import Iterable
from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import Refusal
from gatepost.engine.engine import Engine
from gatepost.operations import todo_stream
from gatepost.surfaces.mcp.addresses import RADAR, TASK, TASKDOC, Target

FAR: Final = 1_000
"""Whoever is further behind than so many events is told of everything."""

_APART: Final = (places.SESSION, places.DIGEST, places.JOURNAL)


def changed(
    engine: Engine, workspace: str, after: int, targets: Iterable[Target], actor: str
) -> tuple[int, list[Target]]:
    """How far the log of a workspace has come, and what of all this changed on the way, as `actor` is shown it."""
    with engine.store.reading(workspace) as snapshot:
        head = snapshot.head().seq
        if head - after > FAR:
            return head, list(targets)
        rows = snapshot.events(after, FAR, None)
    roots = {row.root or places.FOCUS for row in rows}
    mine = places.rounds_of_agent(actor)
    return rows[-1].seq if rows else after, [target for target in targets if _touched(target, roots, mine)]


def _touched(target: Target, roots: set[str], mine: str) -> bool:
    if target.kind == RADAR:
        return any(root[0] not in _APART for root in roots)
    if target.kind == TASKDOC:
        return any(root[0] == places.TASKDOC and places.name_of(root) == target.name for root in roots)
    if target.kind == TASK:
        return bool({mine, places.rounds_of_task(target.name)} & roots) or _touched_root(target.name, roots)
    try:
        return todo_stream.place_of(target.name) in roots
    except Refusal:
        return False


def _touched_root(root_id: str, roots: set[str]) -> bool:
    place = places.of_id(root_id)
    if place is None or places.is_task(place):
        return place in roots
    return any(places.in_tree(root) for root in roots)  # a plan shows its tasks
