"""Refusals about proof: what is not proven as the policy wants, what did not run, what only a person may do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from gatepost.domain.refusals import CONFLICT, FORBIDDEN, Refusal, StepAddress, Suggestion

if TYPE_CHECKING:
    from gatepost.domain.policies import Shortfall

_RESTS_ON: Final = {
    "asserted": "a word alone",
    "noted": "a note",
    "evidenced": "evidence",
    "human": "a person's word",
}
_TO_PROVE: Final = {
    "note": "Confirm {names} with a note that says how you verified it.",
    "evidence": "Capture evidence that names {names}, or confirm it by a check. Then confirm it again.",
    "machine": "Give the step a check for {names}: a command that proves it. Then run the check.",
}


class ChecksNotRun(Refusal):
    """A checkpoint that has checks is confirmed by running them, not by a word."""

    code = "CHECKS_NOT_RUN"
    family = CONFLICT


class CheckFailed(Refusal):
    """A check failed, so the step stays open. The run is recorded."""

    code = "CHECK_FAILED"
    family = CONFLICT


class NotTrusted(Refusal):
    """Nobody allowed this command, or trusted this project's settings, on this machine."""

    code = "NOT_TRUSTED"
    family = FORBIDDEN

    def __init__(self, message: str, recovery: str, command: str | None = None) -> None:
        """`command` is how a person allows it here, if nothing else is needed."""
        super().__init__(message, recovery)
        self.command = command


class HumanRequired(Refusal):
    """Only a person may do this. Agents and programs are never people."""

    code = "HUMAN_REQUIRED"
    family = FORBIDDEN

    def __init__(self, what: str, command: str, **details: Any) -> None:
        """`what` is a sentence that says what needs a person; `command` is how a person does it in a terminal."""
        super().__init__(
            what,
            "Ask your user to do it: on the page (`gatepost up`), or in their own terminal, where the store is,"
            f" with `{command}`. Work on something else until then.",
            **details,
        )


class AnswererRequired(Refusal):
    """Only the actor that a question is for, or a person, may answer it."""

    code = "ANSWERER_REQUIRED"
    family = FORBIDDEN

    def __init__(self, step: StepAddress, what: str, asked: str, command: str) -> None:
        """`what` is a sentence that says what needs `asked`; `command` is how a person does it in a terminal."""
        super().__init__(
            what,
            f"Leave it to {asked}, or ask your user to do it with `{command}`. Work on something else until then.",
            Suggestion("tasks_resume", step.selector),
        )


class ProofRequired(Refusal):
    """The gate is shut: a confirmation rests on less than the policy wants."""

    code = "PROOF_REQUIRED"
    family = CONFLICT

    def __init__(self, step: StepAddress, weak: "Sequence[Shortfall]") -> None:
        wants = weak[0].wants
        said = " and ".join(f"{item.checkpoint} rests on {_RESTS_ON[item.has]}" for item in weak)
        asked = {"note": "a note", "evidence": "evidence", "machine": "a check that passed"}[wants]
        names = " and ".join(item.checkpoint for item in weak)
        super().__init__(
            f"Cannot close {step}: {said}. The policy asks for {asked}.",
            _TO_PROVE[wants].format(names=names),
            Suggestion("tasks_resume", step.selector),
            missing=[{"checkpoint": item.checkpoint, "has": item.has, "proof": item.wants} for item in weak],
        )


class SignoffRequired(Refusal):
    """The gate is shut: somebody else must confirm it."""

    code = "SIGNOFF_REQUIRED"
    family = CONFLICT

    def __init__(self, step: StepAddress, unsigned: "Sequence[Shortfall]") -> None:
        people = [item.checkpoint for item in unsigned if item.wants == "human"]
        others = [item.checkpoint for item in unsigned if item.wants == "other"]
        said, ways = [], []
        if people:
            names = " and ".join(people)
            said.append(f"a person must confirm {names}")
            ways.append(
                f"Confirm what you verified without closing the step: it then waits in your user's inbox. Your user"
                f" confirms {names} and closes it."
            )
        if others:
            names = " and ".join(others)
            said.append(f"somebody who did not work on it must confirm {names}")
            ways.append(f"Ask another agent or your user to confirm {names} of this step.")
        super().__init__(
            f"Cannot close {step}: {', and '.join(said)}.",
            " ".join(ways) + " Continue with another step until then.",
            Suggestion("tasks_resume", step.selector),
            missing=[
                {"checkpoint": item.checkpoint, "confirmed_by": item.has, "signoff": item.wants}
                for item in unsigned
            ],
        )


class ApprovalRequired(Refusal):
    """A person must approve the plan before its tasks are worked on."""

    code = "APPROVAL_REQUIRED"
    family = CONFLICT

    def __init__(self, plan: str, task: str) -> None:
        super().__init__(
            f"{plan} waits for a person's approval, so nothing in {task} can be confirmed or closed yet.",
            f"Ask your user to approve the plan: `gatepost approve {plan}`, or on the page. Until then you can"
            " plan: add steps, define them, take notes.",
            Suggestion("tasks_radar", {"plan": plan}),
        )
