"""`gatepost log`: what happened."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "What happened, oldest first: the latest events, or with --since those that came\nafter one.",
        examples="""\
  gatepost log                             the latest events
  gatepost log TASK-001 --type step_done   when its steps were closed
  gatepost log --since 120 --json          what a script has not seen yet
  gatepost log --follow                    the latest, then each new one
  gatepost log --quiet --limit 1           where the log is now""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="of one task or plan, such as TASK-001")
    parser.add_argument("--since", metavar="SEQ", type=int, help="only events after this number")
    parser.add_argument("--limit", metavar="N", type=int, help="so many; 50 if not given, 200 at most")
    parser.add_argument("--type", metavar="T", action="append", dest="types", help="of this type; may be repeated")
    parser.add_argument("--follow", action="store_true", help="go on with each new event, until Ctrl-C")
    parser.add_quiet("print only the events' numbers, one a line")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it."""
    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.cli.views.log import follow, show

    with Invocation(options) as invocation:
        if options.follow:
            follow(invocation)
        else:
            show(invocation)
    return 0
