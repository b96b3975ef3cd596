"""What a plan or task waits for: dependencies that are not done, a person's approval of a plan, and for a task its
plan, as long as that waits for anything."""

from collections.abc import Iterator

from gatepost.domain import places, terms
from gatepost.domain.documents import Document
from gatepost.domain.roots import Plan, Task
from gatepost.engine.reader import Reader


def recounted(
    reader: Reader, place: str, before: Document | None, after: Document | None
) -> Iterator[tuple[str, int]]:
    """The places that wait for a different number of things, after the plan or task at a place has changed.

    Store each number before you ask for the next one.
    """
    old = before if isinstance(before, Plan | Task) else None
    new = after if isinstance(after, Plan | Task) else None
    wanted = _waits_for(reader, new)
    if wanted != _waits_for(reader, old):
        held, needed = wanted
        yield from _counted(reader, place, held + sum(not reader.root(name).value.done for name in needed))
    if old is not None and new is not None and old.done != new.done:
        for waiter in reader.every(((terms.needs(new.id),),)):
            yield from _counted(reader, waiter, reader.tally(waiter).waiting + (-1 if new.done else 1))


def _waits_for(reader: Reader, root: Plan | Task | None) -> tuple[bool, tuple[str, ...]]:
    """Whether a plan waits for approval, or a task for its plan; and the dependencies."""
    if root is None:
        return False, ()
    if isinstance(root, Plan):
        return root.waits_for_approval, root.depends_on
    return root.plan is not None and reader.tally(places.at_id(root.plan)).waiting > 0, root.depends_on


def _counted(reader: Reader, place: str, waiting: int) -> Iterator[tuple[str, int]]:
    """A place with its new number. If a plan starts or stops waiting, so do its tasks."""
    more = bool(waiting) - bool(reader.tally(place).waiting)
    yield place, waiting
    if more and not places.is_task(place):
        for task in reader.every(((terms.plan(places.root_id(place)),),)):
            yield task, reader.tally(task).waiting + more
