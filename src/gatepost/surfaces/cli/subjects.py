"""The task and step that a command is about: as they were typed, or as the person at the terminal chooses them."""

from __future__ import annotations

from gatepost.surfaces.cli.questions import require
from gatepost.surfaces.cli.selectors import selected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gatepost.domain.roots import Status
    from gatepost.surfaces.cli.invocation import Invocation


_OPEN: tuple[Status, ...] = ("ACTIVE", "TODO")
_BEGUN: tuple[Status, ...] = ("DONE", "ACTIVE")


def task_of(invocation: Invocation, *, done: bool = False) -> str:
    """The task. If none was named, the person chooses one; `done` says that some of it must be done."""
    options = invocation.options
    if options.target is None:
        require(options, "TASK")
        from gatepost.surfaces.cli.choices import choose_task

        options.target = choose_task(invocation, _BEGUN if done else _OPEN)
    target: str = options.target
    return target


def step_of(invocation: Invocation, *, done: bool = False) -> dict[str, Any]:
    """The arguments that name the task and the step, each chosen by the person if it was not named."""
    options = invocation.options
    if options.step is None:
        require(options, *(["STEP"] if options.target is not None else ["TASK", "STEP"]))
    task = task_of(invocation, done=done)
    if options.step is None:
        from gatepost.surfaces.cli.choices import choose_step

        options.step = choose_step(invocation, task, done=done)
    return {"task": task, **selected(invocation, task, options.step)}
