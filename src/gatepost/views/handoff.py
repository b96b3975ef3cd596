"""The shift report: what is done, what remains, what is at risk, and the radar's core."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.replies.handoff import HandoffReply, LogEnd, Work
from gatepost.replies.lint import Risks
from gatepost.replies.radar import RadarReply
from gatepost.views.budget import Cut, View, clipped, only, rows, without
from gatepost.views.lint import FindingGroup, count, counts, may_be_more, risk, shared
from gatepost.views.radar import CUTS as RADAR_CUTS

_AHEAD: Final = ("risks", "remaining")
_SAID_APART: Final = ("texts", "blockers")


def handoff(
    core: View[RadarReply], done: Work, remaining: Work, risks: Sequence[FindingGroup], limit: int, log: LogEnd
) -> View[HandoffReply]:
    """A radar with what is done, what remains and what is at risk; and the end of the log."""
    radar = core.reply
    reply = HandoffReply(
        target=radar.target,
        done=done,
        remaining=remaining,
        risks=Risks(
            count=count(risks),
            counts=counts(risks),
            at_least=may_be_more(risks),
            items=tuple(risk(item) for item in shared(risks, limit)),
        ),
        now=radar.now,
        why=radar.why,
        verify=radar.verify,
        next=radar.next,
        blockers=radar.blockers,
        counts=radar.counts,
        log=log,
    )
    return View(reply, _CUTS, core.max_chars)


def core_cuts() -> tuple[Cut, ...]:
    """The radar's cuts in fewer words: in a view that holds more, there is less room to say what went."""
    return tuple(cut if cut.what in _SAID_APART else replace(cut, what="fields") for cut in RADAR_CUTS)


_CUTS: Final = (
    Cut("texts", clipped("done.items", 100)),
    *(Cut("texts", clipped(key, 1_000)) for key in ("why", "blockers", "risks.items")),
    Cut("items", rows("done.items")),
    *(Cut("texts", clipped(key, 100)) for key in ("remaining.items", "risks.items", "blockers")),
    Cut("fields", without("log", "hash")),
    Cut("blockers", rows("blockers", least=1)),
    *(Cut("fields", rows(key, least=3)) for key in ("verify.criteria", "verify.tests")),
    *(Cut("fields", without(f"{part}.items", "title")) for part in _AHEAD),
    *(Cut("items", rows(f"{part}.items", least=1)) for part in _AHEAD),
    *(Cut("fields", only(f"{part}.items", "code", "task", "step_id", "depends_on")) for part in _AHEAD),
    *core_cuts(),
    *(Cut("items", rows(f"{part}.items")) for part in _AHEAD),
    Cut("fields", without("risks", "counts")),
    Cut("fields", only("counts", "total")),
    Cut("fields", only("target", "id")),
)
