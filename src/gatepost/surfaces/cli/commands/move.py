"""`gatepost move`: put a task into another plan, or a step below another one."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.operations.moves import Move

_NONE = "none"


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Move a step, with everything below it, below another step or to the end of its\n"
        "task; or move a task to another plan. Ids, proof and notes stay. A moved step\n"
        "has a new path; if you use the old one, Gatepost names the new one. You can undo\n"
        "a move.",
        examples="""\
  gatepost move TASK-001 s:0.s:0 --to s:0.s:1
  gatepost move TASK-001 STEP-0A1B2C3D --top
  gatepost move TASK-001 --plan none
  gatepost move TASK-002 --plan PLAN-001""",
    )
    parser.add_target()
    parser.add_step()
    parser.add_argument("--to", metavar="STEP", help="the step to move it below")
    parser.add_argument("--top", action="store_true", help="move it directly below its task (the default)")
    parser.add_plan("the plan to move the task to, or none")
    parser.add_quiet("print only the new path, or the task")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Move, and say where it is now."""
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    text, reply = invocation.ask(_command(invocation))
    if options.json:
        print_json(text)
        return
    if options.quiet:
        terminal.say(reply.task if reply.step is None else reply.step.path)
        return
    if reply.step is None:
        where = "in no plan" if reply.plan is None else f"in {reply.plan}"
        terminal.say(f"{reply.task} is {where if reply.changed else f'already {where}'}.")
        return
    below = f", with {reply.moved - 1} below it" if reply.moved > 1 else ""
    said = (
        f"is at {reply.step.path} now{below}"
        if reply.changed
        else f"is already the last one there, at {reply.step.path}"
    )
    terminal.say(f"{reply.step.step_id} {said}: {terminal.clean(reply.step.title or '')}")


def _command(invocation: Invocation) -> Move:
    from msgspec import UNSET

    from gatepost.operations.moves import Move
    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.selectors import selected

    options = invocation.options
    if options.step is None and options.plan is None:
        raise BadUsage(
            "nothing to move", "Name a step, or a plan for the task with --plan (--plan none: in no plan)."
        )
    if options.step is not None and options.plan is not None:
        raise BadUsage(
            "a step cannot leave its task", "Leave out --plan, or leave out the step to move the whole task."
        )
    if options.to is not None and (options.top or options.step is None):
        raise BadUsage("--to needs a step", "Name the step, and give either --to or --top.")
    parent = next(iter(selected(invocation, options.target, options.to).values()), None)
    plan = None if options.plan is not None and options.plan.lower() == _NONE else options.plan
    return Move(
        workspace=invocation.workspace(),
        task=options.target,
        **selected(invocation, options.target, options.step),
        parent=UNSET if parent is None else parent,
        plan=UNSET if options.plan is None else plan,
    )
