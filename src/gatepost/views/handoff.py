"""The shift report: what is done, what remains, what is at risk, and the radar's core."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.domain.steps import Staleness, Step
from gatepost.replies.handoff import HandoffReply, LogEnd, OpenQuestion, Proof, Work
from gatepost.replies.lint import Risks
from gatepost.replies.radar import RadarReply
from gatepost.replies.steps import WrittenNote
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.lint import FindingGroup, count, counts, may_be_more, risk, shared
from gatepost.views.proofs import basis
from gatepost.views.radar import CUTS as RADAR_CUTS

_AHEAD: Final = ("risks", "remaining")
_SAID_APART: Final = ("texts", "blockers")


def handoff(
    core: View[RadarReply],
    done: Work,
    remaining: Work,
    risks: Sequence[FindingGroup],
    limit: int,
    log: LogEnd,
    *,
    questions: tuple[OpenQuestion, ...] = (),
    notes: tuple[WrittenNote, ...] | None = None,
) -> View[HandoffReply]:
    """A radar with what is done, what remains, what waits and what is at risk; notes, and the end of the log."""
    radar = core.reply
    reply = HandoffReply(
        target=radar.target,
        done=done,
        remaining=remaining,
        questions=questions or None,
        risks=Risks(
            count=count(risks),
            counts=counts(risks),
            at_least=may_be_more(risks),
            items=tuple(risk(item) for item in shared(risks, limit)),
        ),
        notes=notes,
        now=radar.now,
        why=radar.why,
        verify=radar.verify,
        next=radar.next,
        blockers=radar.blockers,
        held=radar.held,
        counts=radar.counts,
        log=log,
    )
    return View(reply, _CUTS, core.max_chars)


def proof(step: Step, actor: str, at: str, is_stale: Staleness) -> tuple[Proof, ...] | None:
    """What each checkpoint of a step was confirmed on, for the report of who closed it and when."""
    return (
        tuple(
            Proof(
                **basis(step, mark, is_stale),
                actor=None if mark.actor == actor else mark.actor,
                at=None if mark.at == at else mark.at,
            )
            for mark in step.confirmed
        )
        or None
    )


def core_cuts() -> tuple[Cut, ...]:
    """The radar's cuts in fewer words: in a view that holds more, there is less room to say what went."""
    return tuple(cut if cut.what in _SAID_APART else replace(cut, what="fields") for cut in RADAR_CUTS)


def _proof_clipped(body: Body, over: int) -> int:
    """Shorten the notes of confirmations."""
    shorten = clipped("proof", 100)
    return sum(shorten(item, over) for item in body["done"]["items"])


def _without(key: str) -> Callable[[Body, int], int]:
    """Leave out a list that need not be there."""

    def remove(body: Body, _over: int) -> int:
        return len(body.pop(key, None) or ())

    return remove


_CUTS: Final = (
    Cut("texts", clipped("done.items", 100)),
    Cut("texts", _proof_clipped),
    *(
        Cut("texts", clipped(key, 1_000))
        for key in ("notes", "why", "blockers", "risks.items", "questions", "remaining.items")
    ),
    Cut("items", rows("done.items")),
    *(Cut("texts", clipped(key, 100)) for key in ("remaining.items", "risks.items", "blockers")),
    Cut("texts", clipped("notes", 200)),
    Cut("notes", rows("notes", least=3)),
    Cut("texts", clipped("questions", 200)),
    Cut("questions", rows("questions", least=3)),
    Cut("fields", without("log", "hash")),
    Cut("notes", _without("notes")),
    Cut("fields", without("risks.items", "paths", "actor", "at")),
    Cut("fields", without("remaining.items", "reason", "waits_for")),
    Cut("questions", _without("questions")),
    Cut("fields", only("step", "step_id", "path")),
    Cut("held", rows("held", least=1)),
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
