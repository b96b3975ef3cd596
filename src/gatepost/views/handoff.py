"""The shift report: what is done, what remains, what is at risk, and the radar's core."""

from collections.abc import Sequence
from typing import Any, Final

from gatepost.domain.tallies import Tally
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.lint import Sighting, counts, risk, shared
from gatepost.views.radar import CUTS as RADAR_CUTS

_PARTS: Final = ("done", "remaining", "risks")
_SAID_APART: Final = ("texts", "blockers", "criteria", "tests")


def handoff(
    core: View, tally: Tally, done: Sequence[Body], remaining: Sequence[Body], risks: Sequence[Sighting], limit: int
) -> View:
    """A radar with three parts more, each a count and named items."""
    parts: Body = {
        "done": {"count": tally.done, "items": list(done)},
        "remaining": {"count": tally.open, "items": list(remaining)},
        "risks": {**counts(risks), "items": [risk(item) for item in shared(risks, limit)]},
    }
    return core._replace(body={"target": core.body["target"], **parts, **core.body}, cuts=_CUTS)


def core_cuts() -> tuple[Cut, ...]:
    """The radar's cuts in fewer words: in a view that holds more, there is less room to say what went."""
    return tuple(cut if cut.what in _SAID_APART else cut._replace(what="fields") for cut in RADAR_CUTS)


def _each(key: str, *names: str) -> tuple[Any, ...]:
    return tuple(without(f"{part}.{key}", *names) for part in _PARTS)


_CUTS: Final = (
    Cut("texts", clipped("done.items", 100)),
    Cut("done", rows("done.items")),
    *(Cut("texts", clipped(f"{part}.items", 100)) for part in _PARTS),
    Cut("blockers", rows("blockers", least=1)),
    *(Cut("fields", cut) for cut in _each("items", "title")),
    Cut("risks", rows("risks.items", least=1)),
    Cut("remaining", rows("remaining.items", least=1)),
    *(Cut("fields", only(f"{part}.items", "code", "task", "step_id", "depends_on")) for part in _PARTS),
    *core_cuts()[:-1],
    Cut("risks", rows("risks.items")),
    Cut("remaining", rows("remaining.items")),
    Cut("fields", without("risks", "counts")),
    Cut("fields", only("counts", "total")),
    *core_cuts()[-1:],
)
