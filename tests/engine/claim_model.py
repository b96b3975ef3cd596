"""A model of the life of claims: taken, renewed, released, ended and taken over, without a store."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.documents import Document, claim_of
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine.clock import later

RENEWED_AFTER: Final = 0.25
"""A call renews only after this part of a claim's time, so that not every call writes."""

Documents = dict[str, Document]
"""What a workspace has, by place."""


class Held(Struct, frozen=True):
    """Who holds something, since when, and for how long without a call."""

    session: str
    at: str
    ttl_s: int


class ClaimModel:
    """The claims, by the id of the step or task that each is on, and the last renewal of each session."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self.renewed: dict[str, str] = {}

    def is_due(self, session: str, now: str) -> bool:
        """Whether a call of a session renews what it holds: any call does, once a part of the time is over."""
        mine = [held for held in self.held.values() if held.session == session]
        return bool(mine) and now >= min(later(self._seen(held), held.ttl_s * RENEWED_AFTER) for held in mine)

    def lives(self, held: Held, now: str) -> bool:
        """Whether a claim keeps others out."""
        return now < later(self._seen(held), held.ttl_s)

    def nearest(self, documents: Documents, place: str, session: str, now: str) -> Held | None:
        """The claim that applies to a place: one that lives, or one's own."""
        for over in (place, *places.above(place)):
            held = self.held.get(_id(documents.get(over)) or "")
            if held is not None and (held.session == session or self.lives(held, now)):
                return held
        return None

    def other(self, documents: Documents, place: str, session: str, now: str) -> str | None:
        """Who else holds a place."""
        held = self.nearest(documents, place, session, now)
        return None if held is None or held.session == session else held.session

    def is_refused(self, documents: Documents, place: str, session: str, now: str) -> bool:
        """Whether a claim needs a reason to take over: others hold the place, something above it, or below it."""
        return not self._is_kept(documents, place, session, now) and self._has_others(
            documents, place, session, now
        )

    def take(self, documents: Documents, place: str, new: Held, *, over: bool) -> None:
        """A claim is made. It ends the claims of others below that it takes over, and those that have expired."""
        name, now = _id(documents[place]) or "", new.at
        others = over and self._has_others(documents, place, new.session, now)
        kept = self._is_kept(documents, place, new.session, now)
        if kept and self.held[name].ttl_s == new.ttl_s and not others:
            return
        for it, held in list(self._at_and_below(documents, place)):
            if held.session != new.session and (others or not self.lives(held, now)):
                del self.held[it]
        self.held[name] = new

    def release(self, document: Document) -> None:
        """A claim was released."""
        self.held.pop(_id(document) or "", None)

    def _is_kept(self, documents: Documents, place: str, session: str, now: str) -> bool:
        held = self.held.get(_id(documents.get(place)) or "")
        return held is not None and held.session == session and self.lives(held, now)

    def _has_others(self, documents: Documents, place: str, session: str, now: str) -> bool:
        below = (held for _, held in self._at_and_below(documents, place) if held.session != session)
        return self.other(documents, place, session, now) is not None or any(self.lives(it, now) for it in below)

    def keep_only(self, documents: Documents) -> None:
        """A claim goes with what it is on: it ends when that is closed or deleted, and never comes back."""
        there = {name for item in documents.values() if (name := _id(item)) is not None and not _is_done(item)}
        self.held = {name: held for name, held in self.held.items() if name in there}

    def living(self, now: str) -> dict[str, str]:
        """The sessions that hold something now, by its id."""
        return {name: held.session for name, held in self.held.items() if self.lives(held, now)}

    def _at_and_below(self, documents: Documents, place: str) -> Iterator[tuple[str, Held]]:
        end = places.below(place)[1]
        for at, item in documents.items():
            name = _id(item)
            if place <= at < end and name in self.held:
                yield name, self.held[name]

    def _seen(self, held: Held) -> str:
        return max(held.at, self.renewed.get(held.session, held.at))


def stored(documents: Documents) -> dict[str, Held]:
    """The claims that a store has."""
    found = ((_id(item), claim_of(item)) for item in documents.values())
    return {name: Held(claim.session, claim.at, claim.ttl_s) for name, claim in found if name and claim is not None}


def _id(document: Document | None) -> str | None:
    return document.id if isinstance(document, Step | Node | Plan | Task) else None


def _is_done(document: Document) -> bool:
    return isinstance(document, Step | Node | Plan | Task) and document.done
