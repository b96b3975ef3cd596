"""Checks as operations see them: what may run, what a run gave, and whether a proof is still fresh."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from gatepost.domain.checkpoints import Confirmation, TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from gatepost.domain.steps import Step

Said = Callable[[bytes], None]
"""Gets what a check prints, line by line and without credentials; and nothing, now and then, while it is silent."""


class CheckRun(Struct, frozen=True):
    """What one run of a check gave.

    `exit_code` is none if the command was killed or never started. `output` is the head and the tail of what it
    printed, without terminal escapes; `cut` counts the bytes that are left out. `problem` says in plain English why
    it did not pass.
    """

    passed: bool
    exit_code: int | None
    seconds: float
    output: str
    cut: int = 0
    problem: str | None = None


class CheckCancelled(Exception):
    """Nobody waits for a check any more. It was ended, and nothing of it is stored."""


class Cancellation(Protocol):
    """Says that nobody wants the result any more. A `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether the check must end."""
        ...


class Trees(Protocol):
    """The source tree as it is now, for one view: it asks git at most once, however many proofs there are."""

    def is_stale(self, covers: tuple[str, ...], mark: TreeMark) -> bool:
        """Whether a file that a proof covers has changed since."""
        ...


class StaleProofs:
    """Judges proofs by the source tree, for one view. The tree is looked at when there is a proof to judge."""

    def __init__(self, checks: "Checks") -> None:
        self._checks = checks
        self._trees: Trees | None = None

    def __call__(self, step: Step, mark: Confirmation) -> bool:
        if mark.tree is None or mark.tree.digest is None:
            return False
        if self._trees is None:
            self._trees = self._checks.trees()
        return self._trees.is_stale(step.covers(mark.checkpoint), mark.tree)


class Checks(Protocol):
    """How checks run here."""

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run: nobody trusts the command, or its folder is outside of the root."""
        ...

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The source tree as it is now."""
        ...

    def run(self, check: Check, said: Said | None = None, cancelled: Cancellation | None = None) -> CheckRun:
        """Run a check under its limits, or until it is `cancelled`. `said` gets the output while it runs."""
        ...

    def trees(self) -> Trees:
        """The source tree, for one view."""
        ...
