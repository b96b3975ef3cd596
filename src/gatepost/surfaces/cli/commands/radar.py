"""`gatepost radar`: one screen of what to do now."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "What to do now, why, what proves it, the call that comes next, and what stands\n"
        "in the way. Without a target: of what is in focus, or of the first task that can\n"
        "be worked on.",
        examples="""\
  gatepost radar                   what now?
  gatepost radar PLAN-001          of a plan
  gatepost radar TASK-007 --json   the same for a script
  gatepost show $(gatepost radar --quiet)""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, such as TASK-001")
    parser.add_quiet("print only the task and the path of what to do now, if there is something")
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
