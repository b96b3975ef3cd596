"""`gatepost radar`: one screen of what to do now."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show what to do now, why, how to verify it, the next call, and what blocks it.\n"
        "Without a target, use the task or plan in focus, or the first task that can be\n"
        "worked on.",
        examples="""\
  gatepost radar                   what now?
  gatepost radar PLAN-001          for a plan
  gatepost radar TASK-007 --json   the same for a script
  gatepost show $(gatepost radar --quiet)""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, for example TASK-001")
    parser.add_quiet("print only the task and path of the current step, if any")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it."""
    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.cli.json_output import print_json

    with Invocation(options) as invocation:
        arguments = {"workspace": invocation.workspace()}
        if options.target is not None:
            arguments["task"] = options.target
        text = invocation.ask("tasks_radar", arguments)
        if options.json:
            print_json(text)
        elif options.quiet:
            import msgspec

            now = msgspec.json.decode(text)["now"]
            if now is not None:
                print(now["task"], now["path"])
        else:
            from gatepost.surfaces.cli.views.radar import show

            show(invocation, arguments["workspace"], text)
    return 0
