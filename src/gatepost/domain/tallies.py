"""What is counted beside the documents: numbers that follow from them, and numbers that only rise.

Tallies are kept in the same transaction as the documents but never in images: undoing a change never takes a
revision back or gives an ordinal away twice.
"""

from typing import Final

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step


class Tally(Struct, frozen=True):
    """`revision` and the next ordinals only rise; the rest follows from the documents.

    `total`, `done` and `blocked` count what stands below (for a plan, its tasks), `ready` the steps of a task that
    can be worked on, `waiting` the unmet dependencies.
    """

    revision: int = 0
    next_step: int = 0
    next_node: int = 0
    total: int = 0
    done: int = 0
    blocked: int = 0
    ready: int = 0
    waiting: int = 0

    @property
    def open(self) -> int:
        """How many below are not done."""
        return self.total - self.done


NONE: Final = Tally()

Share = tuple[int, int, int]
NO_SHARE: Final[Share] = (0, 0, 0)


def share(document: Document | None) -> Share:
    """What a document adds to the total, done and blocked counts of those it counts for."""
    if isinstance(document, Step):
        return 1, int(document.done), int(document.blocked and not document.done)
    if isinstance(document, Node):
        return 1, int(document.done), 0
    if isinstance(document, Task) and document.plan is not None:
        return 1, int(document.done), 0
    return NO_SHARE


def counted_at(place: str, document: Document | None) -> tuple[str, ...]:
    """The places whose tallies a document counts in."""
    if isinstance(document, Step | Node):
        return places.above(place)
    if isinstance(document, Task) and document.plan is not None:
        plan = places.of_id(document.plan)
        return () if plan is None else (plan,)
    return ()
