"""`gatepost handoff`: a handoff report."""

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Report what is done, what remains and what is at risk, followed by the radar:\n"
        "everything the next person or agent needs. Without a target, use the task or\n"
        "plan in focus, or the first task that can be worked on.",
        examples="""\
  gatepost handoff TASK-007
  gatepost handoff PLAN-001 --limit 50
  gatepost handoff --json | jq .risks""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, for example TASK-001")
    parser.add_argument("--limit", type=int, metavar="N", help="list at most N of each")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.handoff import Handoff

    options = invocation.options
    command = Handoff(workspace=invocation.workspace(), task=options.target, **given(options, "limit"))
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.handoff import show

        show(invocation, command)
