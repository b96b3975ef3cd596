"""`gatepost lint`: what is amiss in a plan or task."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "What is amiss in a plan or task, and where there is one, the call that mends it.\n"
        "Without a target: in what is in focus, or in the first task that can be worked\n"
        "on.",
        examples="""\
  gatepost lint TASK-007
  gatepost lint PLAN-001 --json
  gatepost lint TASK-007 --quiet || echo amiss""",
        exits="0 nothing is amiss\n1 something is amiss, or a fault",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, such as TASK-001")
    parser.add_argument("--limit", type=int, metavar="N", help="name at most so many")
    parser.add_quiet("print nothing: the exit code tells")
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
