"""Terms: what a document is found by, each a posting in one index.

Every question "which?" (the next open step, the blocked ones, the tasks of a plan with a tag) is a walk over
postings. The stores do not know what the terms mean. Word search is separate (`domain/search.py`).
"""

from collections.abc import Iterable
from itertools import product
from typing import Final

from gatepost.domain import places
from gatepost.domain.claims import Claim
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.people import is_person
from gatepost.domain.questions import HUMAN
from gatepost.domain.roots import Kind, Plan, Priority, Root, Task, kind_of, shown_status
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.domain.taskdocs import Taskdoc
from gatepost.domain.todos import Todos

NOW: Final = "now"
BLOCKED: Final = "blocked"
UNPROVEN: Final = "unproven"
ASSERTED: Final = "asserted"
"""A done step with a confirmation on a word alone."""
CHECKED: Final = "checked"
"""A done step with a proof that a check made, which can go stale."""
UNSIGNED: Final = "unsigned"
"""An open step with everything confirmed, but not all of it by people: a policy may require a person."""
ANSWERED: Final = "answered"
"""An open step that has the answer it waited for."""
TO_CHECK: Final = "to_check"
"""A step to work on that has checks to run."""
UNAPPROVED: Final = "unapproved"
"""A plan that waits for a person's approval."""
BARE: Final = "bare"
"""An open step that does not say what its criteria or its tests take."""
READY: Final = "ready"
NOT_READY: Final = "not_ready"
WAITS: Final = "waits"
HELD: Final = "held"
TASKDOC: Final = "taskdoc"
ARCHIVED: Final = "archived"
"""An archived taskdoc, which lists leave out."""
CLAIMED: Final = "claimed"
"""Something that is claimed, or a task with claimed steps, even if the claim has expired."""
OWNED: Final = "owned"
"""A session's list that ends with a process."""
PRIORITIES: Final[tuple[Priority, ...]] = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
"""The most urgent first."""


def of(document: Document | None, tally: Tally) -> frozenset[str]:
    """All terms of a document, given its tally."""
    return fixed(document) | moving(document, tally)


def fixed(document: Document | None) -> frozenset[str]:
    """The terms that follow from the document alone."""
    if isinstance(document, Step | Node):
        return frozenset(map(formerly, document.formerly)) if document.formerly else _NOTHING
    if isinstance(document, Plan | Task):
        return frozenset(_said_by(document))
    if isinstance(document, Taskdoc):
        return frozenset(_of_taskdoc(document))
    return _OF_OWNED if isinstance(document, Todos) and document.process is not None else _NOTHING


def moving(document: Document | None, tally: Tally) -> frozenset[str]:
    """The terms that depend on the tally. Must be cheap: they change with every step."""
    if isinstance(document, Step):
        found = _of_step(document, tally)
        return found if document.claim is None else found | _of_claim(document.claim)
    if isinstance(document, Node):
        found = _NOTHING if document.done or tally.open else _OF_NOW
        return found if document.claim is None else found | _of_claim(document.claim)
    if isinstance(document, Plan | Task):
        return frozenset(_counted_for(document, tally))
    return _NOTHING


def kind(name: str) -> str:
    return f"kind:{name}"


def status(name: str) -> str:
    return f"status:{name}"


def startable(status: str) -> str:
    """A task that waits for nothing and has a step to work on."""
    return f"startable:{status}"


def queued(kind: Kind, rank: int, number: str = "") -> str:
    """The term of ready plans or tasks of a priority rank and plan number; without a number, the common prefix.

    Sorted by these terms, and by place within each term, they are the ready queue.
    """
    return f"queue:{kind}:{rank}:{number}"


def queue_rank(root: Root) -> tuple[int, str]:
    """The rank of a plan's or task's priority and the number of its plan, which sorts last if it has none."""
    in_plan = root.plan if isinstance(root, Task) else root.id
    return PRIORITIES.index(root.priority), _LAST if in_plan is None else places.at_id(in_plan)[1:]


def plan(plan_id: str) -> str:
    return f"plan:{plan_id}"


def tag(name: str) -> str:
    return f"tag:{name}"


def domain(name: str) -> str:
    return f"domain:{name}"


def priority(name: str) -> str:
    return f"priority:{name}"


def needs(root_id: str) -> str:
    return f"needs:{root_id}"


def formerly(path: str) -> str:
    """A step or task node that was at a path of its task, and was moved."""
    return f"formerly:{path}"


def asked(actor: str | None) -> str:
    """A step that waits for an answer from an actor. If nobody was named, from any person."""
    return f"asked:{HUMAN if actor is None or is_person(actor) else actor}"


def bound(plan_id: str) -> str:
    """The taskdoc bound to a plan."""
    return f"bound:{plan_id}"


def held_by(holder: str) -> str:
    """Something that this holder claimed."""
    return f"holder:{holder}"


def called(name: str) -> str:
    """A renamed taskdoc that has or had this name."""
    return f"called:{name}"


_LAST: Final = "~"
"""Sorts after the number of every plan."""
_NOTHING: Final[frozenset[str]] = frozenset()
_OF_OWNED: Final = frozenset([OWNED])
_OF_NOW: Final = frozenset([NOW])
_OF_BLOCKED: Final = frozenset([BLOCKED])
_OF_UNSIGNED: Final = frozenset([UNSIGNED])
_OF_TO_CHECK: Final = frozenset([TO_CHECK])
_OF_ANSWERED: Final = frozenset([ANSWERED])
_OF_DONE: Final = {
    named: frozenset(term for term, holds in zip((UNPROVEN, ASSERTED, CHECKED), named, strict=True) if holds)
    for named in product((False, True), repeat=3)
}
"""The terms of a done step, by whether confirmations are missing, one rests on a word alone, a check made one."""
_OF_BARE: Final = frozenset([BARE])
_OF_BARE_NOW: Final = frozenset([BARE, NOW])


def _of_taskdoc(taskdoc: Taskdoc) -> Iterable[str]:
    yield ARCHIVED if taskdoc.archived else TASKDOC
    if taskdoc.plan is not None:
        yield bound(taskdoc.plan)
    if taskdoc.name is not None:
        yield called(taskdoc.name)
    yield from map(called, taskdoc.formerly)


def _of_claim(claim: Claim) -> frozenset[str]:
    return frozenset([CLAIMED, held_by(claim.holder)])


def _of_step(step: Step, tally: Tally) -> frozenset[str]:
    if step.done:
        return _OF_DONE[bool(step.missing), bool(step.asserted), step.checked]
    if step.blocked:
        return _OF_BLOCKED if step.question is None else _OF_BLOCKED | {asked(step.question.for_)}
    found = _of_free_step(step, tally)
    return found if step.answer is None else found | _OF_ANSWERED


def _of_free_step(step: Step, tally: Tally) -> frozenset[str]:
    if tally.open:
        return _OF_BARE if step.undescribed else _NOTHING
    found = _OF_BARE_NOW if step.undescribed else _OF_NOW
    if step.checks and set(step.by_checks) & set(step.missing):
        return found | _OF_TO_CHECK
    return found | _OF_UNSIGNED if step.confirmed and _is_unsigned(step) else found


def _is_unsigned(step: Step) -> bool:
    return not step.missing and not all(any(map(is_person, mark.actors)) for mark in step.relied_on)


def _counted_for(root: Root, tally: Tally) -> Iterable[str]:
    yield status(shown_status(root, tally.tasks_begun))
    if tally.blocked and isinstance(root, Task):
        yield HELD
    if isinstance(root, Task) and (tally.claimed or root.claim is not None):
        yield CLAIMED
    if tally.waiting:
        yield WAITS
    elif tally.ready and not root.done:
        yield startable(root.status)
    stuck = isinstance(root, Task) and tally.blocked and not tally.ready
    if root.done or tally.waiting or stuck:
        yield NOT_READY
    else:
        yield READY
        yield queued(kind_of(root), *queue_rank(root))


def _said_by(root: Root) -> Iterable[str]:
    yield kind(kind_of(root))
    yield priority(root.priority)
    if isinstance(root, Task) and root.plan is not None:
        yield plan(root.plan)
    if root.domain is not None:
        yield domain(root.domain)
    if isinstance(root, Task) and root.claim is not None:
        yield held_by(root.claim.holder)
    if isinstance(root, Plan) and root.waits_for_approval:
        yield UNAPPROVED
    yield from map(tag, root.tags)
    yield from map(needs, root.depends_on)
