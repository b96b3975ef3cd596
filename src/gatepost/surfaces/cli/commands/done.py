"""`gatepost done` and `gatepost reopen`: complete what is proven, and open it again."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.domain.roots import Status

_ABOUT = {
    "done": """\
Complete a task or plan when everything in it is done; or close a step whose
checkpoints are confirmed. It confirms nothing: see gatepost close.""",
    "reopen": """\
Open a step again, or a task or plan that is done. Reopening a step withdraws
its confirmations, and also reopens the steps and the task that contain it.""",
}
_EXAMPLES = {
    "done": """\
  gatepost done 2
  gatepost done PLAN-002
  gatepost done TASK-001 s:0.s:2""",
    "reopen": """\
  gatepost reopen 3
  gatepost reopen TASK-001 s:0.s:1 'It fails on Safari.'""",
}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the two commands."""
    parser.describe(_ABOUT[parser.command], examples=_EXAMPLES[parser.command])
    parser.add_target("TARGET", optional=True)
    parser.add_step()
    if parser.command == "reopen":
        parser.add_argument("reason", metavar="REASON", nargs="?", help="why the step is not done")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Complete or reopen, and say so."""
    from gatepost.surfaces.cli.questions import require
    from gatepost.surfaces.cli.subjects import task_of

    options = invocation.options
    if options.target is None:
        require(options, "TARGET")
    task_of(invocation, done=options.command == "reopen")
    if options.step is None:
        _set_status(invocation)
    else:
        _set_step(invocation)


def _set_step(invocation: Invocation) -> None:
    from gatepost.operations.steps import Finish, Progress
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.step_lines import say_written
    from gatepost.surfaces.cli.subjects import step_of

    options = invocation.options
    where = {"workspace": invocation.workspace(), **step_of(invocation)}
    if options.command == "done":
        text, reply = invocation.ask(Finish(**where))
        said = "is done" if reply.changed else "was done already"
    else:
        text, reply = invocation.ask(Progress(**where, completed=False, reason=options.reason))
        said = "is open again" if reply.changed else "was not done"
    if options.json:
        print_json(text)
    elif not options.quiet:
        say_written(options, reply, reply.step, said)


def _set_status(invocation: Invocation) -> None:
    from gatepost.operations.completion import Complete
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options = invocation.options
    completes = options.command == "done"
    status: Status = "DONE" if completes else "ACTIVE"
    if not completes:
        _require_done(invocation)
    text, reply = invocation.ask(Complete(workspace=invocation.workspace(), task=options.target, status=status))
    if options.json:
        print_json(text)
    elif not options.quiet:
        said = ("is done" if reply.changed else "was done already") if completes else "is open again"
        stdout().say(f"{reply.task} {said}.")


def _require_done(invocation: Invocation) -> None:
    """Refuse to reopen what is open: setting its status would only make it look begun."""
    from gatepost.operations.resume import Resume
    from gatepost.surfaces.cli.errors import BadUsage

    target = invocation.options.target
    _, reply = invocation.ask(Resume(workspace=invocation.workspace(), task=target, limit=1))
    if reply.target is not None and reply.target.status != "DONE":
        raise BadUsage(f"{target} is not done", f"To reopen one of its steps: gatepost reopen {target} STEP")
