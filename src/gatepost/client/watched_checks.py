"""Checks that somebody watches while they run."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from gatepost.domain.checkpoints import TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from gatepost.engine.checks import CheckRun, Checks, Trees

Watch = Callable[[str], AbstractContextManager[Callable[[bytes], None] | None]]
"""Given a command line, what to do around its run, and with what it prints."""


class WatchedChecks:
    """The checks of a project, each watched while it runs."""

    def __init__(self, checks: Checks, watch: Watch) -> None:
        self._checks = checks
        self._watch = watch

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run."""
        return self._checks.refused(check)

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The source tree as it is now."""
        return self._checks.mark(covers)

    def trees(self) -> Trees:
        """The source tree, for one view."""
        return self._checks.trees()

    def run(self, check: Check, said: Callable[[bytes], None] | None = None) -> CheckRun:
        """Run a check under the eyes of whoever watches."""
        with self._watch(check.line) as shown:
            return self._checks.run(check, shown or said)
