"""The claims in one view of a workspace: which are valid, who holds them, and what is left for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, Protocol

from gatepost.domain import places, terms
from gatepost.domain.claims import Claim, Claimed, way_on
from gatepost.domain.documents import Document, claim_of
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import StepAddress
from gatepost.domain.steps import Step
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.clock import later
from gatepost.engine.rows import Clause

_PAGE: Final = 32


class Located(Protocol):
    """A document and its place."""

    @property
    def place(self) -> str: ...

    @property
    def value(self) -> Document: ...


class ClaimReader(Protocol):
    """The parts of a reader that claims need."""

    caller: Caller

    @property
    def moment(self) -> object: ...

    @property
    def lease(self) -> Callable[[str], str | None]: ...

    def at(self, place: str) -> Located | None: ...

    def all_at(self, places: Sequence[str]) -> Sequence[Located]: ...

    def postings(self, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]: ...


class Held(NamedTuple):
    """A claim, and the place of the step or task that it is on."""

    place: str
    claim: Claim


class Claims:
    """Judges claims by the time of one call. Leases and processes are looked up once."""

    def __init__(self, reader: ClaimReader, now: str) -> None:
        self._reader = reader
        self._now = now
        self.me = reader.caller.holder_name
        """The caller as a holder."""
        self._seen: dict[str, str | None] = {}
        self._gone: dict[str, bool] = {}

    def until(self, claim: Claim) -> str:
        """When a claim ends, unless its holder makes a call before."""
        return later(claim.seen(self._last_call(claim.holder)), claim.ttl_s)

    def _last_call(self, holder: str) -> str | None:
        if holder not in self._seen:
            self._seen[holder] = self._reader.lease(holder)
        return self._seen[holder]

    def lives(self, claim: Claim) -> bool:
        """Whether a claim is valid: its time is not up, and its process is not known to have ended. In the past, no
        claim is."""
        if self._reader.moment is not None:
            return False
        if claim.process is not None:
            if claim.process not in self._gone:
                self._gone[claim.process] = processes.gone(claim.process)
            if self._gone[claim.process]:
                return False
        # What is further ahead than its term was written by a clock that was wrong, and would live for that long.
        return self._now < self.until(claim) <= later(self._now, 2 * claim.ttl_s)

    def is_mine(self, claim: Claim) -> bool:
        """Whether the caller holds it. An expired claim is the caller's until somebody else claims the work."""
        return claim.holder == self.me

    def is_others(self, claim: Claim | None) -> bool:
        """Whether somebody else holds it now."""
        return claim is not None and not self.is_mine(claim) and self.lives(claim)

    def nearest(self, place: str, at: Callable[[str], Document | None]) -> Held | None:
        """The claim that applies to a place: the nearest valid one, on the place itself or above it."""
        for over in (place, *places.above(place)):
            claim = claim_of(at(over))
            if claim is not None and (self.is_mine(claim) or self.lives(claim)):
                return Held(over, claim)
        return None

    def ready(self, task: Located) -> list[str]:
        """The first ready step of a task for the caller: one of its own, or one that nobody else holds."""
        return self.ready_in(task, task.place)

    def ready_in(self, task: Located, place: str) -> list[str]:
        """The same, at a place of the task or below it."""
        first, end = place, places.below(place)[1]
        free = () if self.is_others(claim_of(task.value)) else self._free(first, end)
        return next(([found] for found in chain(self.own_ready(first, end), free)), [])

    def look_for_ready(self, place: str) -> None:
        """Ask what `ready_in` asks first. Only a reader that reads ahead gains by that."""
        first, end = place, places.below(place)[1]
        for found in (self.own_ready(first, end), self._free(first, end)):
            next(found, None)

    def others_in(self, place: str) -> Iterator[Held]:
        """What others hold at a place and below it, in tree order."""
        return (held for held in self.of_others_in(place) if self.lives(held.claim))

    def of_others_in(self, place: str) -> Iterator[Held]:
        """The claims of others at a place and below it, including expired ones, in tree order."""
        return (held for held in self.all_in(place) if not self.is_mine(held.claim))

    def all_in(self, place: str) -> Iterator[Held]:
        """All claims at a place and below it, including expired ones, in tree order."""
        first, end = place, places.below(place)[1]
        while page := self._reader.postings(((terms.CLAIMED,),), first, end, _PAGE):
            for found in self._reader.all_at(page):
                claim = claim_of(found.value)
                if claim is not None:
                    yield Held(found.place, claim)
            first = page[-1] + "\0"

    def check_free(self, place: str) -> None:
        """Refuse a write to what somebody else holds."""
        held = self.of_other(place)
        if held is not None:
            raise self.refusal(held)

    def of_other(self, place: str) -> Held | None:
        """The claim that closes a place to the caller, if there is one."""

        def at(over: str) -> Document | None:
            found = self._reader.at(over)
            return None if found is None else found.value

        held = self.nearest(place, at)
        return None if held is None or self.is_mine(held.claim) else held

    def refusal(self, held: Held, document: Document | None = None) -> Claimed:
        """The refusal of a write to what somebody else holds. Pass `document` if the write moves or deletes it."""
        found = self._reader.at(held.place)
        document = found.value if found is not None else document
        task, step = places.root_id(held.place), None
        if isinstance(document, Step | Node):
            step = StepAddress(task, document.id, places.path_of(held.place))
        caller = self._reader.caller
        return Claimed(task, step, held.claim, self.until(held.claim), way_on(caller.actor, caller.offer))

    def own_ready(self, first: str, end: str) -> Iterator[str]:
        """What the caller holds in a range and can work on, one place for each claim."""
        while page := self._reader.postings(((terms.held_by(self.me),),), first, end, _PAGE):
            for mine in page:
                yield from islice(self._free(mine, places.below(mine)[1]), 1)
            first = page[-1] + "\0"

    def _free(self, first: str, end: str) -> Iterator[str]:
        """The ready steps of a range that nobody else holds by a claim on a step."""
        while page := self._reader.postings(((terms.NOW,),), first, end, _PAGE):
            known = self._documents(page)
            first = page[-1] + "\0"
            for place in page:
                held = self.nearest(place, known.get)
                if held is None or self.is_mine(held.claim):
                    yield place
                else:
                    first = max(first, places.below(held.place)[1])

    def _documents(self, page: Sequence[str]) -> dict[str, Document]:
        """The steps at these places and above them."""
        wanted = sorted({over for place in page for over in (place, *places.above(place)[:-1])})
        return {found.place: found.value for found in self._reader.all_at(wanted)}
