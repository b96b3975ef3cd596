"""Meeting of postings: walk several sorted lists at once, each leaping to where the furthest one stands."""

from collections.abc import Callable, Sequence

from gatepost.engine.port import Clause

Seek = Callable[[str, str], str | None]
"""The first place at or after one that has a term."""


def leapfrog(seek: Seek, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
    """The first places that have a term of every clause. Costs what the shortest list costs."""
    found: list[str] = []
    at = first
    while len(found) < limit:
        meeting = _meet(seek, clauses, at, end)
        if meeting is None:
            break
        found.append(meeting)
        at = meeting + "\0"
    return found


def _meet(seek: Seek, clauses: Sequence[Clause], at: str, end: str) -> str | None:
    agreed = 0
    while agreed < len(clauses):
        for clause in clauses:
            place = min(filter(None, (seek(term, at) for term in clause)), default=None)
            if place is None or place >= end:
                return None
            agreed = agreed + 1 if place == at else 1
            at = place
            if agreed >= len(clauses):
                break
    return at
