"""Rows and details of steps and task nodes: in one line or in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gatepost.domain import places
from gatepost.domain.documents import Member
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Staleness, Step, provenance, stale_proofs
from gatepost.domain.tallies import Tally
from gatepost.replies.step_details import StepCounts, StepDetail, StepRow
from gatepost.views.proofs import check_results, proofs

if TYPE_CHECKING:
    from gatepost.replies.evidence import KeptEvidence

_SAID: Final = tuple(
    name
    for name in StepDetail.__struct_fields__
    if name in Step.__struct_fields__ and name not in StepRow.__struct_fields__
)
"""What a step says in full, beyond its row: every field that the stored step and its detail share."""

NodeRow = TypeVar("NodeRow", bound=StepRow)


def step_row(place: str, step: Member, tally: Tally, is_stale: Staleness) -> StepRow:
    """A step or task node: where it is, how far it is, what is missing, and what is confirmed on what."""
    return step_row_as(StepRow, place, step, tally, **row_proofs(step, is_stale))


def row_proofs(step: Member, is_stale: Staleness) -> dict[str, Any]:
    """What is confirmed on what, as the fields of a row."""
    return {"provenance": provenance(step), "stale": stale_proofs(step, is_stale) or None}


def step_counts(tally: Tally) -> StepCounts | None:
    """How many steps are below, if there are any."""
    if not tally.total:
        return None
    return StepCounts(total=tally.total, done=tally.done, open=tally.open, blocked=tally.blocked)


def step_row_as(kind: type[NodeRow], place: str, step: Member, tally: Tally, **more: Any) -> NodeRow:
    """A step or task node as a row that says something more."""
    node = step if isinstance(step, Node) else None
    own = step if isinstance(step, Step) else None
    return kind(
        step_id=step.id,
        path=places.path_of(place),
        title=step.title,
        revision=tally.step_revision,
        done=step.done,
        counts=step_counts(tally),
        status=None if node is None else node.status,
        blocked=None if own is None or not own.blocked else own.waits_for or True,
        unconfirmed=None if own is None else own.missing or None,
        **more,
    )


def step_detail(
    place: str, step: Member, tally: Tally, is_stale: Staleness, evidence: Sequence[KeptEvidence]
) -> StepDetail:
    """Everything a step or task node says."""
    return step_row_as(StepDetail, place, step, tally, **step_texts(step, is_stale, evidence))


def step_texts(step: Member, is_stale: Staleness, evidence: Sequence[KeptEvidence]) -> dict[str, Any]:
    """What a step or task node says beyond its row, as the fields of a `StepDetail`."""
    if isinstance(step, Node):
        return {"priority": step.priority, "description": step.description}
    said = {name: getattr(step, name) for name in _SAID} | {"confirmed": proofs(step, is_stale)}
    return {**said, "results": check_results(step, evidence, is_stale) or None}
