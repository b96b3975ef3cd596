"""Tallies: counts kept next to the documents, and numbers that only rise.

Tallies are written in the same transaction as the documents but are never in images: undo never lowers a revision
or reuses an ordinal.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import TODO, Root, Task
from gatepost.domain.steps import Step


class Tally(Struct, frozen=True):
    """`revision` and the next ordinals only rise; the rest follows from the documents.

    A step's `revision` counts the changes of its text, confirmations and state, and of what is below it. `total`,
    `done`, `blocked` and `unproven` count the steps and task nodes below (for a plan, those of its tasks); `tasks`,
    `tasks_done` and `tasks_begun` count a plan's tasks. `claimed` counts what is claimed below, even if the claim
    has expired: steps and task nodes, and for a plan its tasks too. `ready` counts the steps of a task that
    can be worked on, `waiting` the unmet dependencies, and one more for an approval that is missing, or for a task
    whose plan waits.
    """

    revision: int = 0
    next_step: int = 0
    next_node: int = 0
    total: int = 0
    done: int = 0
    blocked: int = 0
    ready: int = 0
    waiting: int = 0
    unproven: int = 0
    tasks: int = 0
    tasks_done: int = 0
    tasks_begun: int = 0
    claimed: int = 0

    @property
    def step_revision(self) -> int:
        """The revision of a step or task node: 1 until something about it changes."""
        return self.revision + 1

    @property
    def open(self) -> int:
        """The number of open steps and task nodes below."""
        return self.total - self.done

    @property
    def tasks_open(self) -> int:
        """The number of a plan's open tasks."""
        return self.tasks - self.tasks_done


NONE: Final = Tally()


class Share(Struct, frozen=True):
    """What a document adds to the tallies above it."""

    total: int = 0
    done: int = 0
    blocked: int = 0
    unproven: int = 0
    tasks: int = 0
    tasks_done: int = 0
    tasks_begun: int = 0
    claimed: int = 0


NO_SHARE: Final = Share()


def share(document: Document | None, tally: Tally) -> Share:
    """What a document adds to the tallies above it. A task adds its own tally to its plan's."""
    if isinstance(document, Step):
        blocked, unproven = document.blocked and not document.done, document.done and bool(document.missing)
        return Share(1, int(document.done), int(blocked), int(unproven), claimed=int(document.claim is not None))
    if isinstance(document, Node):
        return Share(1, int(document.done), claimed=int(document.claim is not None))
    if isinstance(document, Task) and document.plan is not None:
        below = tally.total, tally.done, tally.blocked, tally.unproven
        claimed = tally.claimed + (document.claim is not None)
        return Share(*below, 1, int(document.done), int(document.status != TODO), claimed)
    return NO_SHARE


def counted_at(place: str, document: Document | None) -> tuple[str, ...]:
    """The places whose tallies a document counts in directly."""
    if isinstance(document, Step | Node):
        return places.above(place)
    return plan_of(document)


def revised(place: str, before: Document | None, after: Document | None) -> tuple[str, ...]:
    """The steps whose revision a change raises: the one that changed, or those below which something came or went.

    Neither evidence nor a claim is a change of its step.
    """
    if before is None or after is None:
        return places.above(place)[:-1]
    if isinstance(before, Step) and isinstance(after, Step) and _with_records_of(before, after) == after:
        return ()
    if isinstance(before, Node) and isinstance(after, Node) and replace(before, claim=after.claim) == after:
        return ()
    return (place,)


def _with_records_of(step: Step, other: Step) -> Step:
    return replace(step, evidenced=other.evidenced, supported=other.supported, claim=other.claim)


def waiting(root: Root, is_open: Callable[[str], bool], waits: Callable[[str], bool]) -> int:
    """How many things a plan or task waits for: open dependencies, a person's approval, and for a task its plan
    while that waits."""
    unmet = sum(map(is_open, root.depends_on))
    if isinstance(root, Task):
        return unmet + (root.plan is not None and waits(root.plan))
    return unmet + root.waits_for_approval


def plan_of(document: Document | None) -> tuple[str, ...]:
    """The place of a task's plan; none without one."""
    plan = places.of_id(document.plan) if isinstance(document, Task) and document.plan is not None else None
    return () if plan is None else (plan,)


def moved(tally: Tally, was: Share, now: Share) -> Tally:
    """A tally with one share replaced by another."""
    return replace(
        tally,
        total=tally.total + now.total - was.total,
        done=tally.done + now.done - was.done,
        blocked=tally.blocked + now.blocked - was.blocked,
        unproven=tally.unproven + now.unproven - was.unproven,
        tasks=tally.tasks + now.tasks - was.tasks,
        tasks_done=tally.tasks_done + now.tasks_done - was.tasks_done,
        tasks_begun=tally.tasks_begun + now.tasks_begun - was.tasks_begun,
        claimed=tally.claimed + now.claimed - was.claimed,
    )
