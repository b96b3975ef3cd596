"""The pack: a radar, and what happened last."""

from typing import Final

from gatepost.views.budget import Body, Cut, View, clipped, rows
from gatepost.views.handoff import core_cuts


def pack(core: View, events: list[Body], upto: int, *, earlier: bool) -> View:
    """A radar with the latest events, oldest first; `next` is the `since` with which tasks_delta goes on."""
    delta: Body = {"events": events, "next": upto, "earlier": earlier}
    return core._replace(body={**core.body, "delta": delta}, cuts=_CUTS)


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
