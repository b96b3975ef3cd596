"""`gatepost lint`: problems in a plan or task."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

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
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, for example TASK-001")
    parser.add_argument("--limit", type=int, metavar="N", help="list at most N")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it."""
    import msgspec

    from gatepost.surfaces.cli.invocation import Invocation, given
    from gatepost.surfaces.cli.json_output import print_json

    with Invocation(options) as invocation:
        arguments = {"workspace": invocation.workspace(), **given(options, "limit")}
        if options.target is not None:
            arguments["task"] = options.target
        text = invocation.ask("tasks_lint", arguments)
        if options.quiet:
            return 0 if not msgspec.json.decode(text)["findings"] else 1
        if options.json:
            print_json(text)
            return 0 if not msgspec.json.decode(text)["findings"] else 1
        from gatepost.surfaces.cli.views.lint import show

        return 0 if show(invocation, text) else 1
