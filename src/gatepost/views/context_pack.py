"""The pack: a radar, and what happened last."""

from typing import Final

from msgspec import structs

from gatepost.replies.context_pack import ContextPackReply, LatestEvents
from gatepost.replies.events import LoggedEvent
from gatepost.replies.radar import RadarReply
from gatepost.views.budget import Body, Cut, View, clipped, rows
from gatepost.views.handoff import core_cuts


def pack(
    core: View[RadarReply], events: tuple[LoggedEvent, ...], upto: int, *, earlier: bool
) -> View[ContextPackReply]:
    """A radar with the latest events, oldest first. `next` is the `since` with which the delta continues."""
    delta = LatestEvents(events=events, next=upto, earlier=earlier)
    return View(ContextPackReply(**structs.asdict(core.reply), delta=delta), _CUTS, core.max_chars)


def _note_earlier(body: Body) -> None:
    body["delta"]["earlier"] = True


_drop_tail = rows("delta.events", after=_note_earlier)


def _drop_oldest(body: Body, over: int) -> int:
    events = body["delta"]["events"]
    events.reverse()
    gone = _drop_tail(body, over)
    events.reverse()
    return gone


_CUTS: Final = (
    Cut("texts", clipped("delta.events", 200)),
    Cut("events", _drop_oldest),
    *core_cuts(),
)
