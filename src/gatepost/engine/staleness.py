"""Judges proofs for one view. What that takes is loaded with the first proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatepost.domain.steps import never_stale

if TYPE_CHECKING:
    from gatepost.domain.checkpoints import Confirmation
    from gatepost.domain.steps import Staleness, Step
    from gatepost.engine.checks import Checks, StaleProofs


def staleness(checks: Checks | None) -> Staleness:
    """Whether files that a proof covers have changed since. Without checks nobody knows, and no proof is stale."""
    if checks is None:
        return never_stale
    judge: StaleProofs | None = None

    def is_stale(step: Step, mark: Confirmation) -> bool:
        nonlocal judge
        if mark.tree is None:
            return False
        if judge is None:
            from gatepost.engine.checks import StaleProofs

            judge = StaleProofs(checks)
        return judge(step, mark)

    return is_stale
