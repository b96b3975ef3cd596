"""Permissions: what only people may write, and what only its holder may, whichever call it comes by."""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from gatepost.domain import authority, places
from gatepost.domain.documents import Document, claim_of
from gatepost.domain.people import is_person
from gatepost.domain.proof_refusals import HumanRequired
from gatepost.domain.roots import TODO, Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine import policies
from gatepost.engine.reader import Reader

Changed = tuple[str, Document | None, Document | None]
"""A place, and its document before and now."""


def check(reader: Reader, changed: Iterable[Changed], actor: str) -> None:
    """Refuse to an actor who is no person what only people may do. `changed`: place, document before and now."""
    if is_person(actor):
        return
    for place, before, after in changed:
        _check_policy(reader, place, before, after)
        if before is not None and after is not None:  # what comes back whole is as people left it
            _check_approval(before, after)
            _check_confirmations(place, before, after)


def check_claims(reader: Reader, changed: Sequence[Changed], taken_over: Collection[str]) -> None:
    """Refuse to change what somebody else holds, except for what others may always do. What the caller has just
    taken over is its own."""
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
            raise reader.claims.refusal(held)


def _now(reader: Reader, place: str) -> Document | None:
    found = reader.at(place)
    return None if found is None else found.value


def _is_open_to_others(before: Document | None, after: Document | None, *, person: bool) -> bool:
    """Whether others may make a change to what somebody holds: work elsewhere makes a task ACTIVE; a person blocks
    and unblocks; anybody signs off what is confirmed."""
    if isinstance(before, Task) and isinstance(after, Task):
        return before.status == TODO and replace(before, status="ACTIVE") == after
    if not isinstance(before, Step) or not isinstance(after, Step):
        return False
    if person and replace(before, blocked=after.blocked, reason=after.reason, answer=after.answer) == after:
        return True
    signed = [mark.checkpoint for mark in before.confirmed] == [mark.checkpoint for mark in after.confirmed]
    return signed and replace(before, confirmed=after.confirmed) == after


def _check_policy(reader: Reader, place: str, before: Document | None, after: Document | None) -> None:
    """What is deleted takes its policy with it, and could be made again without."""
    weaker = policies.loosened(reader, place, policies.policy_of(before), policies.policy_of(after))
    if weaker:
        raise policies.needs_person(place, weaker)


def _check_approval(before: Document, after: Document) -> None:
    if not isinstance(after, Plan) or after.approved is None:
        return
    if not isinstance(before, Plan) or before.approved != after.approved:
        raise HumanRequired(f"Only a person can approve {after.id}.", f"gatepost approve {after.id}")


def _check_confirmations(place: str, before: Document, after: Document) -> None:
    """Undo could put back what a person confirmed and withdrew."""
    back = [
        claim for claim in authority.claims(after) - authority.claims(before) if claim.whose != authority.MACHINE
    ]
    if back:
        names = " and ".join(sorted({claim.checkpoint for claim in back}))
        task, path = places.root_id(place), places.path_of(place)
        raise HumanRequired(
            f"Only {back[0].whose} can confirm {names} of {task} {path} again.", f"gatepost show {task} {path}"
        )
