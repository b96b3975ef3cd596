"""The target of a typed line, and what was shown when it was begun."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from gatepost.surfaces.tui.models.composer_syntax import ComposerCommand, ComposerLine, ComposerNote
from gatepost.surfaces.tui.models.todo_lists import TodoLists, is_task
from gatepost.todo import Scope

_ON_A_STEP: Final = ("block", "unblock")
_ON_A_TASK: Final = ("undo", "redo")


class ComposerTarget(NamedTuple):
    """A step, or a task where no step of it is in progress."""

    task: str
    step: str | None
    title: str

    @property
    def arguments(self) -> dict[str, str]:
        """How a call names it."""
        return {"task": self.task} if self.step is None else {"task": self.task, "step_id": self.step}

    @property
    def name(self) -> str:
        """How people name it."""
        return f"{self.title} of {self.task}"

    def described(self, meaning: ComposerLine, dot: str) -> str:
        """What a line would do to it; empty if the line is about something else."""
        match meaning:
            case ComposerNote():
                return f"note on {self.task} {dot} {self.title}"
            case ComposerCommand(name, _) if name in _ON_A_STEP and self.step is not None:
                return f"{name} {self.task} {dot} {self.title}"
            case ComposerCommand("step", _):
                return f"new step in {self.task}"
            case ComposerCommand(name, _) if name in _ON_A_TASK:
                return f"{name} in {self.task}"
            case _:
                return ""


class ComposerContext(NamedTuple):
    """What was shown when a line was begun, and the revisions its writer has learned of since."""

    aim: ComposerTarget | None
    seen: Mapping[str, Scope]
    learned: Mapping[str, int] = {}

    def revision(self, task: str) -> int | None:
        """The revision of a task that the writer knows of."""
        scope = self.seen.get(task)
        return self.learned.get(task, None if scope is None else scope.revision)

    def knowing(self, task: str, revision: int) -> "ComposerContext":
        """The same, once the writer has seen a task's new revision."""
        return self._replace(learned={**self.learned, task: revision})


def composer_target(lists: TodoLists) -> ComposerTarget | None:
    """The step in progress of the list that leads; its task, if no step is."""
    scope = next((scope for scope in lists.ordered() if is_task(scope.key)), None)
    if scope is None:
        return None
    pieces = lists.parts(scope.key)
    item = next(iter((*pieces.now, *pieces.blocked[: not pieces.open])), None)
    return (
        ComposerTarget(scope.key, None, scope.label)
        if item is None
        else ComposerTarget(scope.key, item.id, item.title)
    )
