"""The shift report: what is done, what remains, what is at risk, and the radar's core."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.lint import FindingGroup, counts, risk, shared
from gatepost.views.radar import CUTS as RADAR_CUTS

_AHEAD: Final = ("risks", "remaining")
_SAID_APART: Final = ("texts", "blockers")


class Part(NamedTuple):
    """How many there are, and the first of them by name."""

    total: int = 0
    items: Sequence[Body] = ()


def handoff(
    core: View,
    done: Part,
    remaining: Part,
    risks: Sequence[FindingGroup],
    limit: int,
    log: Body,
) -> View:
    """A radar with three parts more, each a count and named items; and the end of the log."""
    parts: Body = {
        "done": {"count": done.total, "items": list(done.items)},
        "remaining": {"count": remaining.total, "items": list(remaining.items)},
        "risks": {**counts(risks), "items": [risk(item) for item in shared(risks, limit)]},
    }
    return core._replace(body={"target": core.body["target"], **parts, **core.body, "log": log}, cuts=_CUTS)


def core_cuts() -> tuple[Cut, ...]:
    """The radar's cuts in fewer words: in a view that holds more, there is less room to say what went."""
    return tuple(cut if cut.what in _SAID_APART else cut._replace(what="fields") for cut in RADAR_CUTS)


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
