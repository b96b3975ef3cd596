"""The ready queue: what can be begun, the most urgent first, then by plan, then the oldest first."""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Final

from msgspec import Struct

from gatepost.domain import places, terms
from gatepost.domain.roots import Kind, Priority, Root, Task
from gatepost.engine.port import LAST_PLACE, Clause, Posting
from gatepost.engine.reader import Found, Reader
from gatepost.operations.cursors import QueuePosition

_KINDS: Final[tuple[Kind, ...]] = ("plan", "task")
_FIRST_PAGE: Final = 8
_LAST_PAGE: Final = 256
_MOST_PASSED: Final = 200
"""A walk that passed over so many rows looks how many matches there are."""
_MOST_SORTED: Final = 500
"""Fewer matches are read and sorted instead. If there are more, the walk meets one soon."""


class QueueQuery(Struct, frozen=True, kw_only=True):
    """What to look for in the queue. `others` are further terms that a row must have."""

    kind: Kind | None = None
    plan: str | None = None
    priority: Priority | None = None
    others: Sequence[Clause] = ()
    after: QueuePosition | None = None


def ready_tasks(
    reader: Reader, plan: str | None = None, after: QueuePosition | None = None
) -> Iterator[Found[Task]]:
    """The tasks that can be worked on, of all or of a plan, in the order of the queue. Reads as it goes."""
    for found in ready_roots(reader, QueueQuery(kind="task", plan=plan, after=after)):
        if isinstance(found.value, Task):
            yield Found(found.place, found.value, found.tally)


def ready_roots(reader: Reader, query: QueueQuery) -> Iterator[Found[Root]]:
    """The plans and tasks that can be worked on, in the order of the queue. Reads as it goes."""
    for rank, priority in enumerate(terms.PRIORITIES):
        if query.priority in (None, priority) and (query.after is None or rank >= query.after.rank):
            yield from _of_priority(reader, query, rank)


def position(found: Found[Root]) -> QueuePosition:
    """Where a plan or task is in the queue."""
    return QueuePosition(*terms.queue_rank(found.value), found.place)


def fits(root: Found[Root], clauses: Sequence[Clause]) -> bool:
    """Whether a plan or task has a term of every clause."""
    its = terms.of(root.value, root.tally) if clauses else ()
    return all(any(term in its for term in clause) for clause in clauses)


def _of_priority(reader: Reader, query: QueueQuery, rank: int) -> Iterator[Found[Root]]:
    kinds = _KINDS if query.kind is None else (query.kind,)
    if query.plan is not None:
        kinds = tuple(kind for kind in kinds if kind == "task")  # no plan is in another
    passed = 0
    for found in merge(*(_walk(reader, query, kind, rank) for kind in kinds), key=position):
        if fits(found, query.others):
            yield found
            continue
        passed += 1
        if passed == _MOST_PASSED:
            few = _few(reader, query, found)
            if few is not None:
                yield from few
                return


def _few(reader: Reader, query: QueueQuery, after: Found[Root]) -> list[Found[Root]] | None:
    """The matches with the priority of one row that come after it, sorted; none if there are many."""
    clauses: list[Clause] = [(terms.READY,), (terms.priority(after.value.priority),), *query.others]
    clauses += [] if query.kind is None else [(terms.kind(query.kind),)]
    clauses += [] if query.plan is None else [(terms.plan(query.plan),)]
    found = reader.postings(clauses, "", LAST_PLACE, _MOST_SORTED + 1)
    if len(found) > _MOST_SORTED:
        return None
    return sorted((root for root in reader.roots(found) if position(root) > position(after)), key=position)


def _walk(reader: Reader, query: QueueQuery, kind: Kind, rank: int) -> Iterator[Found[Root]]:
    number = "" if query.plan is None else places.at_id(query.plan)[1:]
    at: Posting = (terms.queued(kind, rank, number), "")
    end = at[0] + ("\0" if number else LAST_PLACE)
    if query.after is not None:
        at = max(at, (terms.queued(kind, query.after.rank, query.after.number), query.after.place))
    size = _FIRST_PAGE
    while page := reader.walk(at, end, size):
        yield from reader.roots([place for _, place in page])
        at, size = page[-1], min(2 * size, _LAST_PAGE)
