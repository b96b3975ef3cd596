"""The checks of the demo: they really run, in the demo's own folder, and need nobody's trust."""

from gatepost.domain.checks import Check
from gatepost.domain.proof_refusals import NotTrusted
from gatepost.domain.refusals import Refusal
from gatepost.engine.checks import Checks
from gatepost.surfaces.demo.stories import commands


class ScriptedChecks:
    """Lets the commands of the stories run, word for word. Refuses all other commands.

    What the user trusts is neither read nor written.
    """

    def __init__(self, checks: Checks) -> None:
        self.mark, self.run, self.trees = checks.mark, checks.run, checks.trees

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run, or None if a story runs it."""
        if check.run in commands() and check.cwd is None:
            return None
        return NotTrusted(
            f"`{check.line}` did not run: the demo runs the commands of its own stories only.",
            "To run your own checks, use a project of your own: gatepost up --run-checks.",
        )
