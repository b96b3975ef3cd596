"""What others hold in a plan, a task or the whole workspace, and how replies show a claim."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.claims import Claim
from gatepost.domain.documents import claim_of
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Root
from gatepost.domain.steps import Step
from gatepost.engine.claims import Held
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE
from gatepost.replies.steps import HeldStep, StepClaim

_SHOWN: Final = 10
_TASKS: Final = 50
_COUNTED: Final = 100


def held_by_others(reader: Reader, target: Found[Root]) -> tuple[HeldStep, ...]:
    """The first steps in a plan or task that somebody else holds, and tasks held whole."""
    held = islice(_in_tasks(reader, _tasks_of(reader, target)), _SHOWN)
    return tuple(_shown(reader, item) for item in held)


def living_claims(reader: Reader, target: Found[Root]) -> list[Claim]:
    """The first 100 claims that live in a plan or task, the caller's own too."""
    claims = (held.claim for place in _tasks_of(reader, target) for held in reader.claims.all_in(place))
    return list(islice(filter(reader.claims.lives, claims), _COUNTED))


def check_free(reader: Reader, root: Found[Root], place: str) -> None:
    """Refuse work on what somebody else holds, before it begins."""
    if root.tally.claimed or claim_of(root.value) is not None:
        reader.claims.check_free(place)


def is_closed(reader: Reader, place: str) -> bool:
    """Whether somebody else holds a step, so that the caller may not change it."""
    root = reader.at(places.root_of(place))
    if root is None or not (root.tally.claimed or claim_of(root.value)):
        return False
    return reader.claims.of_other(place) is not None


def shown_claim(reader: Reader, claim: Claim | None) -> StepClaim | None:
    """Who holds something now, as replies show it."""
    if claim is None or not reader.claims.lives(claim):
        return None
    return StepClaim(holder=claim.actor, since=claim.at, until=reader.claims.until(claim))


def _tasks_of(reader: Reader, target: Found[Root]) -> list[str]:
    if not isinstance(target.value, Plan):
        return [target.place]
    clauses = ((terms.plan(target.value.id),), (terms.CLAIMED,))
    return reader.postings(clauses, "", LAST_PLACE, _TASKS)


def _in_tasks(reader: Reader, tasks: list[str]) -> Iterator[Held]:
    for place in tasks:
        yield from reader.claims.others_in(place)


def _shown(reader: Reader, held: Held) -> HeldStep:
    found = reader.at(held.place)
    document = None if found is None else found.value
    step = document if isinstance(document, Step | Node) else None
    return HeldStep(
        task=places.root_id(held.place),
        step_id=None if step is None else step.id,
        path=None if step is None else places.path_of(held.place),
        title=getattr(document, "title", ""),
        holder=held.claim.actor,
        since=held.claim.at,
        until=reader.claims.until(held.claim),
    )
