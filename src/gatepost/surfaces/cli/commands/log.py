"""`gatepost log`: what happened."""

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.moments import FORMS, moment
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show events, oldest first: the latest ones, or with --since those after it.",
        examples="""\
  gatepost log                             the latest events
  gatepost log TASK-001 --type step_done   when its steps were closed
  gatepost log --since yesterday           everything since yesterday morning
  gatepost log --since 2h                  the last two hours
  gatepost log --since 120 --json          events after seq 120, for a script
  gatepost log --follow                    the latest events, then each new one
  gatepost log --quiet --limit 1           the number of the newest event""",
    )
    parser.add_target("TARGET", optional=True, about="only events of this task or plan")
    parser.add_argument("--since", metavar="WHEN", type=moment, help=f"only events after it: {FORMS}")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N (default 50, maximum 200)")
    parser.add_argument(
        "--type", metavar="T", action="append", dest="types", help="only events of this type; can be repeated"
    )
    parser.add_argument("--follow", action="store_true", help="wait for new events, until Ctrl-C")
    parser.add_quiet("print only event numbers, one per line")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.surfaces.cli.views.log import follow, show

    if invocation.options.follow:
        follow(invocation)
    else:
        show(invocation)
