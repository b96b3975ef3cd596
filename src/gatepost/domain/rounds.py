"""Rounds: an agent ends one and leaves a re-entry package in the log."""

from gatepost.domain.value import Value


class Rounds(Value, frozen=True, kw_only=True, tag="rounds", tag_field="kind"):
    """The plan or task that an agent's newest round named, so that the agent finds it without naming it again."""

    task: str | None = None
