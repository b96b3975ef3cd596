"""Refusals about proof: checks that did not run or failed, commands nobody trusts, what only a person may do."""

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
    """Only a person may do this."""

    code = "HUMAN_REQUIRED"
    family = FORBIDDEN
