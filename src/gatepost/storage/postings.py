"""Intersection of postings: walk several sorted lists at once, each jumping to the furthest position."""

from collections.abc import Callable, Sequence
from heapq import heappop, heapreplace

from gatepost.engine.rows import Clause

Seek = Callable[[str, str], str | None]
"""The first place at or after the given one that has the term."""


def leapfrog(seek: Seek, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
    """The first places that have a term of every clause. Costs as much as the shortest list."""
    lists = [_Union(seek, clause) for clause in clauses]
    found: list[str] = []
    at = first or "\0"
    while len(found) < limit:
        meeting = _meet(lists, at, end)
        if meeting is None:
            break
        found.append(meeting)
        at = meeting + "\0"
    return found


class _Union:
    """The postings of several terms as one sorted list, walked forwards only."""

    def __init__(self, seek: Seek, terms: Clause) -> None:
        self._seek = seek
        # Every term starts before all places and is looked up when it is first passed.
        self._ahead = [("", term) for term in sorted(terms)]

    def first(self, at: str) -> str | None:
        """The first place at or after the given one. Only terms before it are looked up again."""
        ahead = self._ahead
        while ahead and ahead[0][0] < at:
            term = ahead[0][1]
            place = self._seek(term, at)
            if place is None:
                heappop(ahead)
            else:
                heapreplace(ahead, (place, term))
        return ahead[0][0] if ahead else None


def _meet(lists: Sequence[_Union], at: str, end: str) -> str | None:
    agreed = 0
    while True:
        for postings in lists:
            place = postings.first(at)
            if place is None or place >= end:
                return None
            agreed = agreed + 1 if place == at else 1
            at = place
            if agreed == len(lists):
                return at
