"""What a write to a step says to people: what happened, and what comes next."""

from __future__ import annotations

from gatepost.surfaces.terminal import stdout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.replies.step_writes import TaskWrite
    from gatepost.replies.steps import StepName


def say_written(options: Namespace, reply: TaskWrite, step: StepName, what: str) -> None:
    """Say what happened to a step, then the step to work on, or what else is left."""
    terminal = stdout()
    terminal.say(f"{reply.task} {step.path} {what}: {terminal.clean(step.title or '')}")
    if reply.now is not None and reply.now.step_id != step.step_id:
        where = f"{reply.now.path} {terminal.clean(reply.now.title)}".rstrip()
        terminal.say(f"Next: {where}{_left(reply)}")
    elif reply.left is not None and not reply.left.open:
        from gatepost.surfaces.cli.suggested_commands import joined, same_place

        line = joined(["done", reply.task, *same_place(options)])
        terminal.say(f"All steps are done. Complete the task with: {terminal.paint(line, 'bold')}")


def _left(reply: TaskWrite) -> str:
    if reply.left is None:
        return ""
    blocked = f", {reply.left.blocked} blocked" if reply.left.blocked else ""
    return f" ({reply.left.open} open{blocked})"
