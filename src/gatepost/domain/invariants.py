"""What must hold of a plan or task and everything in it: nothing is done over something open or unproven.

One function, used by every commit, by undo and redo, by the doctor and by the tests. It needs a document and what
is counted below it, never the tree: a tree is true when each document in it is.
"""

from typing import Final, Literal, NamedTuple

from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally

Code = Literal["OPEN_BELOW_DONE", "UNPROVEN_BELOW_DONE", "BLOCKED_BUT_DONE", "CHECKLIST_BELOW_DONE"]


class Breach(NamedTuple):
    """One thing that does not hold of a document."""

    code: Code
    says: str


OPEN: Final = Breach("OPEN_BELOW_DONE", "is done, but something below it is open")
UNPROVEN: Final = Breach("UNPROVEN_BELOW_DONE", "is done, but a step in it is not proven")
BLOCKED: Final = Breach("BLOCKED_BUT_DONE", "is done, but blocked")
CHECKLIST: Final = Breach("CHECKLIST_BELOW_DONE", "is done, but its checklist is not")


def breaches(document: Document | None, tally: Tally) -> tuple[Breach, ...]:
    """What does not hold of a document, given what is counted below it. Nothing done may break a rule."""
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
    """Whether the plan or task that holds a document cannot be done: the document is open, or not proven."""
    if not isinstance(document, Plan | Task | Step | Node):
        return False
    return not document.done or (isinstance(document, Step) and bool(document.missing))
