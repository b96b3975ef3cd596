"""Checks that somebody watches while they run, and can end."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from gatepost.domain.checkpoints import TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from gatepost.engine.checks import Cancellation, CheckCancelled, CheckRun, Checks, Said, Trees

Watch = Callable[[str], AbstractContextManager[Said]]
"""Given a command line, what to do around its run, and with what it prints."""


class WatchedChecks:
    """The checks of a project, each watched while it runs, until they are cancelled."""

    def __init__(self, checks: Checks, watch: Watch, cancelled: Cancellation | None = None) -> None:
        self._checks = checks
        self._watch = watch
        self._cancelled = cancelled

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run."""
        return self._checks.refused(check)

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The source tree as it is now."""
        return self._checks.mark(covers)

    def trees(self) -> Trees:
        """The source tree, for one view."""
        return self._checks.trees()

    def run(self, check: Check, said: Said | None = None, cancelled: Cancellation | None = None) -> CheckRun:
        """Run a check and report to the watcher. Raises `CheckCancelled`."""
        cancelled = cancelled or self._cancelled
        with self._watch(check.line) as shown:
            # One that never starts is not worth a process.
            done = None if _is_over(cancelled) else self._checks.run(check, said or shown, cancelled)
        if done is None or _is_over(cancelled):
            raise CheckCancelled(check.line)
        return done


def _is_over(cancelled: Cancellation | None) -> bool:
    return cancelled is not None and cancelled.is_set()
