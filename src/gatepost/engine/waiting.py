"""What a plan or task waits for: dependencies that are not done, and the approval of a plan by a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatepost.domain import places, terms
from gatepost.domain.roots import Plan, Task

if TYPE_CHECKING:
    from gatepost.domain.documents import Document
    from gatepost.engine.draft import Draft


def count(draft: Draft, place: str, before: Document | None, after: Document | None) -> None:
    """Count again what waits, once the plan or task at a place has changed."""
    old = before if isinstance(before, Plan | Task) else None
    new = after if isinstance(after, Plan | Task) else None
    wanted, held = _waits_for(draft, new), _waits_for(draft, old)
    if new is None:
        draft.recount(place, waiting=0)
    elif wanted != held:
        unapproved, needed = wanted
        draft.recount(place, waiting=unapproved + sum(not draft.root(name).value.done for name in needed))
    if old is not None and new is not None and old.done != new.done:
        _add(draft, terms.needs(new.id), -1 if new.done else 1)
    was, now = (isinstance(root, Plan) and root.waits_for_approval for root in (old, new))
    if was != now:
        _add(draft, terms.plan(places.root_id(place)), now - was)


def _waits_for(draft: Draft, root: Plan | Task | None) -> tuple[bool, tuple[str, ...]]:
    """Whether a plan, or the plan of a task, waits for approval; and the dependencies."""
    if root is None:
        return False, ()
    plan: object = root
    if isinstance(root, Task):
        found = None if root.plan is None else draft.at(places.at_id(root.plan))
        plan = None if found is None else found.value
    return isinstance(plan, Plan) and plan.waits_for_approval, root.depends_on


def _add(draft: Draft, term: str, more: int) -> None:
    for place in draft.every(((term,),)):
        draft.recount(place, waiting=draft.tally(place).waiting + more)
