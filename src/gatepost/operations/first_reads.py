"""What a call reads first, by the plan, task or step that it names: one round trip where a network is between."""

from typing import Any, Final

from gatepost.domain import places, terms
from gatepost.engine.reader import Reader
from gatepost.operations.done_steps import read_closings
from gatepost.operations.taskdoc_lookup import named

_WITH_RADAR: Final = frozenset({"tasks_radar", "tasks_handoff", "tasks_context_pack"})


def first_reads(tool: str, command: Any, reader: Reader, *, holds: bool = False) -> None:
    """Read what calls about a plan, task or step begin with. A write of a session that `holds` claims looks for its
    next step among them."""
    target = getattr(command, "task", None) or getattr(command, "plan", None)
    place = places.of_id(target) if isinstance(target, str) else None
    if place is None:
        reader.focus()
        return
    path, step_id = getattr(command, "path", None), getattr(command, "step_id", None)
    step = None if path is None else places.at_path(place, path)
    reader.all_at([place, places.POLICY, *(() if step is None else (step, *places.above(step)))])
    if step_id is not None:
        reader.find(step_id)
    reader.among(((terms.NOW,),), place, 1)
    if holds:
        reader.claims.look_for_ready(place)
    if tool in _WITH_RADAR:
        read_closings(reader, place)
        named(reader)
