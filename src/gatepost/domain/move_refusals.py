"""Refusals about what was moved."""

from gatepost.domain.refusals import UNKNOWN, Refusal, StepAddress, Suggestion


class PathMoved(Refusal):
    """A path led to a step that was moved. It never leads to another one."""

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
