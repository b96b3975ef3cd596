"""Targets: the plan or task that a read is about, named or not."""

from collections.abc import Sequence
from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.documents import claim_of
from gatepost.domain.roots import Root
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE, Clause
from gatepost.operations.fields import one_target

OPEN: Final = (terms.status("ACTIVE"), terms.status("TODO"))


def find_target(reader: Reader, task: str | None, plan: str | None) -> Found[Root] | None:
    """What a read speaks of: what it names, or the focus, or the first task that can be worked on."""
    named = one_target(task, plan)
    if named is not None:
        return reader.root(named, field="task" if task is not None else "plan")
    focus, _ = reader.focus()
    if focus is not None:
        return reader.root(focus)
    mine = _task_at_hand(reader)
    if mine is not None:
        return mine
    for clauses in (
        ((terms.startable("ACTIVE"),),),
        ((terms.startable("TODO"),),),
        ((terms.kind("task"),), (terms.READY,)),
    ):
        found = _first_free(reader, clauses)
        if found is not None:
            return found
    return _first(reader, (OPEN,))


def _task_at_hand(reader: Reader) -> Found[Root] | None:
    """The first task in which the caller holds a step that it can work on."""
    mine = ((terms.held_by(reader.caller.holder_name),),)
    if reader.moment is not None or not reader.postings(mine, "", LAST_PLACE, 1):
        return None
    tasks = (root_at(reader, place) for place in reader.claims.own_ready("", LAST_PLACE))
    return next((task for task in tasks if not task.tally.waiting), None)


def _first_free(reader: Reader, clauses: Sequence[Clause]) -> Found[Root] | None:
    """The first plan or task with these terms in which others do not hold all the work."""
    found = _first(reader, clauses)
    if found is None or not (found.tally.claimed or claim_of(found.value)):
        return found
    from gatepost.operations.ready_queue import is_free  # only what is claimed needs it

    return next((root for place in reader.every(clauses) if is_free(reader, root := root_at(reader, place))), None)


def _first(reader: Reader, clauses: Sequence[Clause]) -> Found[Root] | None:
    found = reader.postings(clauses, "", LAST_PLACE, 1)
    return root_at(reader, found[0]) if found else None


def root_at(reader: Reader, place: str) -> Found[Root]:
    """The plan or task that a place is in."""
    return reader.root(places.root_id(place))
