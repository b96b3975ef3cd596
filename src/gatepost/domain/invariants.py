"""Invariants: nothing is done while something in it is open or unproven.

One function for every commit, undo and redo, the doctor and the tests. It needs a document and its tally, never the
tree: a tree is valid when each of its documents is.
"""

from typing import Final, Literal

from msgspec import Struct

from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally

Code = Literal["OPEN_BELOW_DONE", "UNPROVEN_BELOW_DONE", "BLOCKED_BUT_DONE", "CHECKLIST_BELOW_DONE"]


class Breach(Struct, frozen=True):
    """One broken invariant of a document."""

    code: Code
    says: str


OPEN: Final = Breach("OPEN_BELOW_DONE", "is done, but something below it is open")
UNPROVEN: Final = Breach("UNPROVEN_BELOW_DONE", "is done, but a step in it is not proven")
BLOCKED: Final = Breach("BLOCKED_BUT_DONE", "is done, but blocked")
CHECKLIST: Final = Breach("CHECKLIST_BELOW_DONE", "is done, but its checklist is not")


def breaches(document: Document | None, tally: Tally) -> tuple[Breach, ...]:
    """The broken invariants of a document, given its tally."""
    if not isinstance(document, Plan | Task | Step | Node) or not document.done:
        return ()
    broken: tuple[tuple[Breach, int], ...]
    if isinstance(document, Plan):
        broken = ((OPEN, tally.tasks_open), (CHECKLIST, document.current < len(document.steps)))
    elif isinstance(document, Task):
        broken = ((OPEN, tally.open), (UNPROVEN, tally.unproven))
    else:
        broken = ((OPEN, tally.open), (BLOCKED, isinstance(document, Step) and document.blocked))
    return tuple(breach for breach, holds in broken if holds)


def keeps_root_open(document: Document) -> bool:
    """Whether a document keeps its plan or task from being done: it is open or unproven."""
    if not isinstance(document, Plan | Task | Step | Node):
        return False
    return not document.done or (isinstance(document, Step) and bool(document.missing))
