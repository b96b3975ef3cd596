"""Refusals about steps that were moved."""

from gatepost.domain.refusals import Refusal, StepAddress, Suggestion, UnknownId


class PathMoved(UnknownId):
    """Refuses the old path of a moved step, and names the new one. Paths are never reused."""

    def __init__(self, field: str, path: str, now: StepAddress) -> None:
        Refusal.__init__(
            self,
            f"`{field}`: {now.step_id} was moved from {path} to {now.path} of {now.task}.",
            f"Use {now.path}, or the id, which stays.",
            Suggestion("tasks_resume", now.selector),
            field=field,
            moved={"step_id": now.step_id, "path": now.path},
        )
