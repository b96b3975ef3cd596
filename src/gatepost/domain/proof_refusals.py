"""Refusals about proof: checks that did not run or failed, commands nobody trusts, what only a person may do."""

from typing import Any

from gatepost.domain.refusals import CONFLICT, FORBIDDEN, Refusal


class ChecksNotRun(Refusal):
    """A checkpoint that has checks is confirmed by running them, not by a word."""

    code = "CHECKS_NOT_RUN"
    family = CONFLICT


class CheckFailed(Refusal):
    """A check failed, so the step stays open. The run is recorded."""

    code = "CHECK_FAILED"
    family = CONFLICT


class NotTrusted(Refusal):
    """Nobody allowed this command to run here."""

    code = "NOT_TRUSTED"
    family = FORBIDDEN


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
