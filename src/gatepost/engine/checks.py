"""Checks as operations see them: what may run, and what a run gave."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from gatepost.domain.checkpoints import TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal


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


class Trees(Protocol):
    """The source tree as it is now, for one view: it asks git at most once, however many proofs there are."""

    def is_stale(self, covers: tuple[str, ...], mark: TreeMark) -> bool:
        """Whether a file that a proof covers has changed since."""
        ...


class Checks(Protocol):
    """How checks run here."""

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run: nobody trusts the command, or its folder is outside of the root."""
        ...

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The source tree as it is now."""
        ...

    def run(self, check: Check, said: Callable[[bytes], None] | None = None) -> CheckRun:
        """Run a check under its limits. `said` gets the output while it runs."""
        ...

    def trees(self) -> Trees:
        """The source tree, for one view."""
        ...
