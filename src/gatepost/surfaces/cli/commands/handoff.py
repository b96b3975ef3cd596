"""`gatepost handoff`: a shift report."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "What is done, what remains and what may go wrong, with the radar below: what\n"
        "somebody who takes over needs to know. Without a target: of what is in focus, or\n"
        "of the first task that can be worked on.",
        examples="""\
  gatepost handoff TASK-007
  gatepost handoff PLAN-001 --limit 50
  gatepost handoff --json | jq .risks""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, such as TASK-001")
    parser.add_argument("--limit", type=int, metavar="N", help="name at most so many of each")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it."""
    from gatepost.surfaces.cli.invocation import Invocation, given
    from gatepost.surfaces.cli.json_output import print_json

    with Invocation(options) as invocation:
        workspace = invocation.workspace()
        arguments = {"workspace": workspace, **given(options, "limit")}
        if options.target is not None:
            arguments["task"] = options.target
        text = invocation.ask("tasks_handoff", arguments)
        if options.json:
            print_json(text)
        else:
            from gatepost.surfaces.cli.views.handoff import show

            show(invocation, workspace, text)
    return 0
