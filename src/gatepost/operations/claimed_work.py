"""Finds the next step for a caller to claim, and claims it."""

from typing import Any

from msgspec.structs import replace

from gatepost.domain import claims, places
from gatepost.domain.claims import Claim
from gatepost.domain.documents import claim_of
from gatepost.domain.records import StepClaimed, StepReleased
from gatepost.domain.roots import Root, Task
from gatepost.engine.claims import Held
from gatepost.engine.draft import Draft
from gatepost.engine.read_ahead import read_all_ahead
from gatepost.engine.reader import Found, Reader
from gatepost.operations.ready_queue import next_ready


def take_next(draft: Draft, target: Found[Root] | None) -> None:
    """Claim the next ready step in a plan, a task or the workspace, if there is one."""
    place = next_place(draft, target)
    for found in draft.members([] if place is None else [place]):
        take(draft, found)


def next_place(draft: Draft, target: Found[Root] | None) -> str | None:
    """The first step that the caller holds and can work on; else the first of the ready queue that nobody holds."""

    def find(reader: Reader) -> str | None:
        if target is not None and isinstance(target.value, Task):
            return next(iter(reader.ready(target)), None)
        return next_ready(reader, target)

    def find_and_look(reader: Reader) -> None:
        place = find(reader)
        if place is not None:
            reader.lease(reader.claims.me)
            list(reader.claims.of_others_in(place))

    read_all_ahead(draft, find_and_look)
    return find(draft)


def take(draft: Draft, found: Found[Any], ttl_s: int | None = None, take_over: str | None = None) -> str:
    """Claim a step or a whole task for the caller. Returns when the claim ends."""
    was = claim_of(found.value)
    mine = was is not None and draft.claims.is_mine(was) and draft.claims.lives(was)
    others = [] if mine and take_over is None else _in_the_way(draft, found.place)
    if others and take_over is None:
        raise draft.claims.refusal(others[0])
    if was is not None and mine and not others and ttl_s in (None, was.ttl_s):
        return draft.claims.until(was)
    new = _new_claim(draft, ttl_s)
    if others:
        draft.taken_over.add(found.place)
    _end_below(draft, found.place, others)
    step = found if places.depth(found.place) else None
    event = StepClaimed(until=draft.claims.until(new))
    if others:
        event = replace(event, taken_over=others[0].claim.actor, reason=take_over)
    draft.put(found.place, replace(found.value, claim=new))
    draft.log(places.root_of(found.place), event, step)
    return event.until


def _new_claim(draft: Draft, ttl_s: int | None) -> Claim:
    me = draft.caller.holder
    given = ttl_s or (claims.BY_TIME if me.process is None else claims.WITH_PROCESS)
    return Claim(actor=draft.stamp.actor, session=me.session, process=me.process, at=draft.stamp.at, ttl_s=given)


def _in_the_way(draft: Draft, place: str) -> list[Held]:
    """What others hold at a place, above or below it. The nearest claim counts: the caller's own step is free."""
    nearest = draft.claims.nearest(place, lambda at: None if (found := draft.at(at)) is None else found.value)
    above = nearest is not None and not draft.claims.is_mine(nearest.claim) and nearest.place != place
    is_claimed = draft.tally(places.root_of(place)).claimed or nearest is not None
    within = list(draft.claims.others_in(place)) if is_claimed else []
    return [nearest, *within] if nearest is not None and above else within


def _end_below(draft: Draft, place: str, taken_over: list[Held]) -> None:
    """End the claims that are taken over, and expired ones, which their holders' next call would renew."""
    if not draft.tally(places.root_of(place)).claimed:
        return
    for held in list(draft.claims.of_others_in(place)):
        found: Found[Any] | None = draft.at(held.place)
        lives = draft.claims.lives(held.claim)
        if found is None or held.place == place or (lives and held not in taken_over):
            continue
        draft.put(held.place, replace(found.value, claim=None))
        draft.log(places.root_of(place), StepReleased(because="taken over" if lives else "ended"), found)
