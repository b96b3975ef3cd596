"""`gatepost lint`: problems in a plan or task."""

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Find problems in a plan or task, with the call that fixes each where there is\n"
        "one. Without a target, check the task or plan in focus, or the first task that\n"
        "can be worked on.",
        examples="""\
  gatepost lint TASK-007
  gatepost lint PLAN-001 --json
  gatepost lint TASK-007 --quiet || echo problems""",
        exits="0 no problems\n1 problems were found, or a fault",
    )
    parser.add_target("TARGET", optional=True)
    parser.add_argument("--limit", type=int, metavar="N", help="list at most N")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> int:
    """Show it."""
    from gatepost.operations.lint import Lint
    from gatepost.surfaces.cli.json_output import print_json

    options = invocation.options
    command = Lint(workspace=invocation.workspace(), task=options.target, **given(options, "limit"))
    text, reply = invocation.ask(command)
    if options.json and not options.quiet:
        print_json(text)
    elif not options.quiet:
        from gatepost.surfaces.cli.views.lint import show

        show(invocation, reply)
    return 1 if reply.findings else 0
