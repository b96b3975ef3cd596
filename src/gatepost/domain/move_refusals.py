"""Refusals about steps that were moved."""

from gatepost.domain.refusals import UNKNOWN, Refusal, StepAddress, Suggestion


class PathMoved(Refusal):
    """Refuses the old path of a moved step, and names the new one. Paths are never reused."""

    code = "UNKNOWN_ID"
    family = UNKNOWN

    def __init__(self, field: str, path: str, now: StepAddress) -> None:
        super().__init__(
            f"`{field}`: {now.step_id} was moved from {path} to {now.path} of {now.task}.",
            f"Use {now.path}, or the id, which stays.",
            Suggestion("tasks_resume", now.selector),
            field=field,
            moved={"step_id": now.step_id, "path": now.path},
        )
