"""The context pack: where things stand and what happened last, for an agent that starts or comes back."""

from typing import Annotated, Any, Final

from msgspec import Meta

from gatepost.domain.roots import Plan, Root, Task
from gatepost.engine.log import logged
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import EventRow
from gatepost.operations.elsewhere import elsewhere
from gatepost.operations.fields import MaxChars, PlanId, RootId
from gatepost.operations.radar import gather, nothing
from gatepost.operations.registry import Command, operation
from gatepost.operations.targets import find_target
from gatepost.replies.context_pack import ContextPackReply
from gatepost.replies.events import LoggedEvent
from gatepost.views import context_pack as views
from gatepost.views import radar
from gatepost.views.budget import DEFAULT, View

_LOOKED_BACK: Final = 100


class ContextPack(Command[ContextPackReply], frozen=True, kw_only=True):
    """Ask for the radar and the latest events."""

    task: RootId | None = None
    plan: PlanId | None = None
    delta_limit: Annotated[int, Meta(ge=0, le=200, description="How many of the latest events to show.")] = 20
    max_chars: MaxChars | None = None


@operation("tasks_context_pack", "tasks")
def pack(reader: Reader, command: ContextPack) -> View[ContextPackReply]:
    """The radar with the latest events of a task, a plan and its tasks, or the focus. `delta.next` is the `since`
    with which the delta continues."""
    upto = reader.head().seq
    target = find_target(reader, command.task, command.plan)
    if target is None:
        view = views.pack(nothing(reader, command.max_chars), (), upto, earlier=upto > 0)
        return elsewhere(reader, "tasks_context_pack", view)
    core = radar.radar(command.workspace, gather(reader, target), command.max_chars)
    rows = _latest(reader, target, command.delta_limit + 1)
    events = _shown(rows[: command.delta_limit], 4 * (command.max_chars or DEFAULT))
    return views.pack(core, events, upto, earlier=len(events) < len(rows))


def _latest(reader: Reader, target: Found[Root], limit: int) -> list[EventRow]:
    """The end of the log of a task; or of a plan, with what the end of the whole log says of its tasks."""
    own = reader.recent(limit, target.place)
    if not isinstance(target.value, Plan):
        return own
    mine: dict[str, bool] = {target.place: False}
    found = {row.seq: row for row in own}
    for row in reader.recent(max(_LOOKED_BACK, limit), None):
        if row.root is not None:
            if row.root not in mine:
                mine[row.root] = _is_of(reader.at(row.root), target)
            if mine[row.root]:
                found[row.seq] = row
    return [found[seq] for seq in sorted(found, reverse=True)[:limit]]


def _is_of(root: Found[Any] | None, plan: Found[Root]) -> bool:
    return root is not None and isinstance(root.value, Task) and root.value.plan == plan.value.id


def _shown(rows: list[EventRow], enough: int) -> tuple[LoggedEvent, ...]:
    """Events, oldest first; of the older ones no more than could be sent."""
    weight = 0
    for size, row in enumerate(rows):
        if weight > enough:
            return logged(rows[:size][::-1])
        weight += len(row.body)
    return logged(rows[::-1])
