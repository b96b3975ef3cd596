"""Permissions of holders: nobody else can change what somebody holds, whichever call they use."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.checkpoints import Confirmation
from gatepost.domain.documents import Document, claim_of
from gatepost.domain.people import is_person
from gatepost.domain.roots import TODO, Task
from gatepost.domain.steps import Step
from gatepost.engine.permissions import Changed
from gatepost.engine.reader import Reader


def check_holders(reader: Reader, changed: Sequence[Changed], taken_over: Collection[str]) -> None:
    """Refuse to change what somebody else holds, except for what others may always do. What this call has taken
    over belongs to the caller."""
    before = {place: was for place, was, now in changed if places.in_tree(place) and was != now}
    freed = {places.root_of(place) for place, was in before.items() if claim_of(was) is not None}
    claimed = [
        place
        for place in before
        if (root := places.root_of(place)) in freed or reader.tally(root).claimed or claim_of(_now(reader, root))
    ]
    if not claimed:
        return

    def at(place: str) -> Document | None:
        return before[place] if place in before else _now(reader, place)

    person = is_person(reader.caller.actor)
    for place in claimed:
        if any(over in taken_over for over in (place, *places.above(place))):
            continue
        held = reader.claims.nearest(place, at)
        if held is None or reader.claims.is_mine(held.claim):
            continue
        if not _is_open_to_others(before[place], _now(reader, place), person=person):
            raise reader.claims.refusal(held, at(held.place))


def _now(reader: Reader, place: str) -> Document | None:
    found = reader.at(place)
    return None if found is None else found.value


def _is_open_to_others(before: Document | None, after: Document | None, *, person: bool) -> bool:
    """Whether others may make a change to what somebody holds: a task becomes ACTIVE by work elsewhere; a person
    blocks and unblocks; the addressee of a question answers it; anyone signs off what is confirmed."""
    if isinstance(before, Task) and isinstance(after, Task):
        return before.status == TODO and replace(before, status="ACTIVE") == after
    if not isinstance(before, Step) or not isinstance(after, Step):
        return False
    answered = before.question is not None and not after.blocked and after.answer is not None
    if (person or answered) and _with_block_of(before, after) == after:
        return True
    signed = _with_signatures_of(before.confirmed, after.confirmed) == after.confirmed
    return signed and replace(before, confirmed=after.confirmed) == after


def _with_signatures_of(
    confirmed: tuple[Confirmation, ...], others: tuple[Confirmation, ...]
) -> tuple[Confirmation, ...]:
    signatures = {mark.checkpoint: mark.signed for mark in others}
    return tuple(replace(mark, signed=signatures.get(mark.checkpoint)) for mark in confirmed)


def _with_block_of(step: Step, other: Step) -> Step:
    said = {"blocked": other.blocked, "reason": other.reason, "question": other.question, "answer": other.answer}
    return replace(step, **said)
