"""What a plan or task waits for: dependencies that are not done, and the approval of a plan by a person."""

from collections.abc import Iterator

from gatepost.domain import places, terms
from gatepost.domain.documents import Document
from gatepost.domain.roots import Plan, Task
from gatepost.engine.reader import Reader


def recounted(
    reader: Reader, place: str, before: Document | None, after: Document | None
) -> Iterator[tuple[str, int]]:
    """The places that wait for another number of things, once the plan or task at a place has changed."""
    old = before if isinstance(before, Plan | Task) else None
    new = after if isinstance(after, Plan | Task) else None
    wanted = _waits_for(reader, new)
    if wanted != _waits_for(reader, old):
        unapproved, needed = wanted
        yield place, unapproved + sum(not reader.root(name).value.done for name in needed)
    if old is not None and new is not None and old.done != new.done:
        yield from _moved(reader, terms.needs(new.id), -1 if new.done else 1)
    was, now = (isinstance(root, Plan) and root.waits_for_approval for root in (old, new))
    if was != now:
        yield from _moved(reader, terms.plan(places.root_id(place)), now - was)


def _waits_for(reader: Reader, root: Plan | Task | None) -> tuple[bool, tuple[str, ...]]:
    """Whether a plan, or the plan of a task, waits for approval; and the dependencies."""
    if root is None:
        return False, ()
    plan: Document | None = root
    if isinstance(root, Task):
        found = None if root.plan is None else reader.at(places.at_id(root.plan))
        plan = None if found is None else found.value
    return isinstance(plan, Plan) and plan.waits_for_approval, root.depends_on


def _moved(reader: Reader, term: str, more: int) -> Iterator[tuple[str, int]]:
    for place in reader.every(((term,),)):
        yield place, reader.tally(place).waiting + more
