"""Proofs: what the confirmations of a step rest on, as every view shows it."""

from collections.abc import Callable
from typing import Any

from gatepost.domain.checkpoints import Checkpoint, Confirmation, Provenance
from gatepost.domain.documents import Member
from gatepost.domain.steps import Step
from gatepost.replies.steps import StepProof

Staleness = Callable[[Step, Confirmation], bool]
"""Whether files that a proof covers have changed since it was made."""


def never_stale(_step: Step, _mark: Confirmation) -> bool:
    """For views that do not look at the source tree."""
    return False


def proofs(step: Step, is_stale: Staleness) -> tuple[StepProof, ...]:
    """What each checkpoint of a step was confirmed on, by whom and when."""
    return tuple(StepProof(**basis(step, mark, is_stale), actor=mark.actor, at=mark.at) for mark in step.confirmed)


def basis(step: Step, mark: Confirmation, is_stale: Staleness) -> dict[str, Any]:
    """What one confirmation rests on, as the fields of a `ProofBasis`."""
    tree = mark.tree
    return {
        "checkpoint": mark.checkpoint,
        "provenance": mark.provenance,
        "note": mark.note,
        "evidence": mark.evidence,
        "commit": None if tree is None else tree.commit,
        "dirty": tree is not None and bool(tree.dirty),
        "stale": is_stale(step, mark),
        "signed": mark.signed,
    }


def provenance(member: Member | None) -> dict[Checkpoint, Provenance] | None:
    """What each confirmation of a step rests on; nothing if there is none."""
    if not isinstance(member, Step):
        return None
    return {mark.checkpoint: mark.provenance for mark in member.confirmed} or None
