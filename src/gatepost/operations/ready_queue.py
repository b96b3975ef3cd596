"""The ready queue: what can be started, the most urgent first, then by plan, then the oldest first.

What others hold is left out.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Final

from msgspec import Struct

from gatepost.domain import places, terms
from gatepost.domain.documents import claim_of
from gatepost.domain.roots import Kind, Plan, Priority, Root, Task
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE, Clause, Posting
from gatepost.operations.cursors import QueuePosition

_KINDS: Final[tuple[Kind, ...]] = ("plan", "task")
_STARTABLE: Final = (terms.startable("ACTIVE"), terms.startable("TODO"))
_FIRST_PAGE: Final = 8
_LAST_PAGE: Final = 256
_MOST_PASSED: Final = 100
"""After a walk has skipped this many rows, it counts the matches."""
_MOST_SORTED: Final = 100
"""Up to this many matches are read and sorted instead. If there are more, the walk soon finds one."""


class QueueQuery(Struct, frozen=True, kw_only=True):
    """What to look for in the queue. `others` are further terms that a row must have."""

    kind: Kind | None = None
    plan: str | None = None
    priority: Priority | None = None
    others: Sequence[Clause] = ()
    after: QueuePosition | None = None


def next_ready(reader: Reader, plan: Found[Root] | None = None) -> str | None:
    """The place of the step to continue with, anywhere or in a plan: one that the caller holds, else the first one
    in the queue that nobody else holds."""
    name = None if plan is None else plan.value.id
    for place in _own(reader) if plan is None or plan.tally.claimed else ():
        task = reader.root(places.root_id(place))
        inside = task.value.plan if isinstance(task.value, Task) else None
        if not task.tally.waiting and name in (None, inside):
            return place
    query = QueueQuery(kind="task", plan=name, others=(_STARTABLE,))
    return next((place for task in ready_roots(reader, query) for place in reader.ready(task)), None)


def _own(reader: Reader) -> Iterator[str]:
    """What the caller holds and can work on. If nothing is claimed, this costs one look-up."""
    is_claimed = reader.moment is None and reader.postings(((terms.CLAIMED,),), "", LAST_PLACE, 1)
    return reader.claims.own_ready("", LAST_PLACE) if is_claimed else iter(())


def ready_roots(reader: Reader, query: QueueQuery) -> Iterator[Found[Root]]:
    """The plans and tasks that can be worked on, in the order of the queue. Reads as it goes."""
    passed = 0
    for rank, priority in enumerate(terms.PRIORITIES):
        if query.priority not in (None, priority) or (query.after is not None and rank < query.after.rank):
            continue
        are_few: bool | None = None
        for page in _pages(_walk(reader, query, rank)):
            if passed >= _MOST_PASSED and are_few is None:
                few = _few(reader, query, priority)
                are_few = few is not None
                if few is not None:
                    yield from (root for root in few if position(root) >= _at(page[0]) and is_free(reader, root))
                    break
            matches = _matching(reader, query, [place for _, place in page])
            passed += len(page) - len(matches)
            yield from (root for root in reader.roots(matches) if is_free(reader, root))


def is_free(reader: Reader, root: Found[Root]) -> bool:
    """Whether others leave the caller something to do: they do not hold the whole task or plan, nor all that is
    ready in it."""
    if reader.moment is not None or not (root.tally.claimed or claim_of(root.value)):
        return True
    if isinstance(root.value, Plan):
        return _has_free_task(reader, root.value) or not _is_worked_on(reader, root)
    return bool(reader.ready(root)) if root.tally.ready else not reader.claims.is_others(root.value.claim)


def _has_free_task(reader: Reader, plan: Plan) -> bool:
    query = QueueQuery(kind="task", plan=plan.id)
    return next(ready_roots(reader, query), None) is not None


def _is_worked_on(reader: Reader, plan: Found[Root]) -> bool:
    from gatepost.operations.held_steps import held_by_others  # only what is claimed needs it

    return bool(held_by_others(reader, plan))


def position(found: Found[Root]) -> QueuePosition:
    """Where a plan or task is in the queue."""
    return QueuePosition(*terms.queue_rank(found.value), found.place)


def _pages(postings: Iterator[Posting]) -> Iterator[list[Posting]]:
    """The postings in pages: small at first, which is often enough, then larger."""
    size = _FIRST_PAGE
    while page := list(islice(postings, size)):
        yield page
        size = min(2 * size, _LAST_PAGE)


def _walk(reader: Reader, query: QueueQuery, rank: int) -> Iterator[Posting]:
    """The postings of the queue with a priority of this rank."""
    kinds = _KINDS if query.kind is None else (query.kind,)
    if query.plan is not None:
        kinds = tuple(kind for kind in kinds if kind == "task")  # no plan is in another
    return merge(*(_walk_kind(reader, query, kind, rank) for kind in kinds), key=_at)


def _walk_kind(reader: Reader, query: QueueQuery, kind: Kind, rank: int) -> Iterator[Posting]:
    number = "" if query.plan is None else places.at_id(query.plan)[1:]
    at: Posting = (terms.queued(kind, rank, number), "")
    end = at[0] + ("\0" if number else LAST_PLACE)
    if query.after is not None:
        at = max(at, (terms.queued(kind, query.after.rank, query.after.number), query.after.place))
    size = _FIRST_PAGE
    while page := reader.walk(at, end, size):
        yield from page
        at, size = page[-1], min(2 * size, _LAST_PAGE)


def _at(posting: Posting) -> QueuePosition:
    rank, number = posting[0].split(":")[2:]
    return QueuePosition(int(rank), number, posting[1])


def _matching(reader: Reader, query: QueueQuery, found: Sequence[str]) -> Sequence[str]:
    """The places that also match every further clause, in the same order."""
    if not query.others:
        return found
    return reader.postings_in(query.others, [(place, place + "\0") for place in found], len(found))


def _few(reader: Reader, query: QueueQuery, priority: Priority) -> list[Found[Root]] | None:
    """All matches with a priority, sorted; none if there are many."""
    clauses: list[Clause] = [(terms.READY,), (terms.priority(priority),), *query.others]
    clauses += [] if query.kind is None else [(terms.kind(query.kind),)]
    clauses += [] if query.plan is None else [(terms.plan(query.plan),)]
    found = reader.postings(clauses, "", LAST_PLACE, _MOST_SORTED + 1)
    return None if len(found) > _MOST_SORTED else sorted(reader.roots(found), key=position)
