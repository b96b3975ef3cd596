"""What others hold in a task, and the words for it."""

from collections.abc import Iterable

from gatepost.replies.steps import HeldStep

WHOLE = ""
"""In place of a step's id: the whole task."""


def held_steps(held: Iterable[HeldStep] | None, task: str) -> dict[str, HeldStep]:
    """What others hold in one task, by the step's id."""
    return {one.step_id or WHOLE: one for one in held or () if one.task == task}


def claim_words(held: HeldStep) -> str:
    """Who works on it, and since when."""
    return f"In progress since {clock(held.since)} by {held.holder}"


def claim_tail(held: HeldStep) -> str:
    """The same, for a row."""
    return f"{held.holder.removeprefix('agent:')} since {clock(held.since)}"


def clock(at: str) -> str:
    """The time of day of a moment of the log, in UTC as the log has it."""
    return at[11:16]
