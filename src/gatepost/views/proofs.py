"""Proofs: what the confirmations of a step rest on, as every view shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gatepost.domain.checkpoints import Checkpoint, Confirmation
from gatepost.domain.checks import Check
from gatepost.domain.steps import Staleness, Step
from gatepost.replies.step_details import CheckResult, CheckState, StepProof

if TYPE_CHECKING:
    from gatepost.replies.evidence import KeptEvidence


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
        "worktree": None if tree is None else tree.linked,
        "stale": is_stale(step, mark),
        "signed": mark.signed,
    }


def check_results(step: Step, evidence: Sequence[KeptEvidence], is_stale: Staleness) -> tuple[CheckResult, ...]:
    """How the newest run of each check of a step came out, given the step's evidence, newest first."""
    proven: dict[Checkpoint, CheckState] = {
        mark.checkpoint: "stale" if is_stale(step, mark) else "passed"
        for mark in step.confirmed
        if mark.basis == "machine"
    }
    runs = [(check.checkpoint, _newest_run(check, evidence)) for check in step.checks]
    unproven = {name for name, run in runs if run is None or not run.passed}
    return tuple(
        CheckResult(state=proven.get(name, "not_run"))
        if run is None
        else CheckResult(
            state=proven.get(name) or _state(run, unproven & {name}),
            seconds=run.seconds,
            exit_code=run.exit_code,
            evidence=run.seq,
        )
        for name, run in runs
    )


def _newest_run(check: Check, evidence: Sequence[KeptEvidence]) -> KeptEvidence | None:
    """Only of what Gatepost ran itself does an item say whether it passed."""
    ran = (piece for piece in evidence if piece.form == "item" and piece.passed is not None)
    name, line = check.checkpoint, check.line
    return next((piece for piece in ran if piece.command == line and name in (piece.checkpoints or ())), None)


def _state(run: KeptEvidence, unproven: set[Checkpoint]) -> CheckState:
    """The state of a check whose checkpoint no check proves. If all passed, it was reopened or changed since."""
    if not run.passed:
        return "failed"
    return "passed" if unproven else "not_run"
