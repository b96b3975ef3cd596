"""Whether a proof is still fresh. Every read asks for this, and few find a proof to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gatepost.domain.checkpoints import Confirmation
    from gatepost.domain.steps import Step
    from gatepost.engine.checks import Checks, Trees


class StaleProofs:
    """Judges proofs by the source tree, for one view. The tree is looked at when there is a proof to judge."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._trees: Trees | None = None

    def __call__(self, step: Step, mark: Confirmation) -> bool:
        if mark.tree is None or mark.tree.digest is None:
            return False
        if self._trees is None:
            self._trees = self._checks.trees()
        return self._trees.is_stale(step.covers(mark.checkpoint), mark.tree)
