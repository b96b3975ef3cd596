"""`gatepost diff`: what changed between two moments, or by one operation."""

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.moments import FORMS, moment
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show what changed since a moment, or between two, each document once,\n"
        "before and after. Or show what one operation changed.",
        examples="""\
  gatepost diff                            since yesterday
  gatepost diff TASK-001 --since 2h
  gatepost diff PLAN-001 --since 2026-01-01 --to today
  gatepost diff --operation 3              one operation, field by field
  gatepost diff --since 1 --quiet          only where something changed""",
    )
    parser.add_target("TARGET", optional=True, about="only this task, or this plan with its tasks")
    parser.add_argument("--since", metavar="WHEN", type=moment, help=f"{FORMS} (default yesterday)")
    parser.add_argument("--to", metavar="WHEN", type=moment, help="compare with that moment instead of now")
    parser.add_argument("--operation", metavar="N", type=int, help="show what this operation changed")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N documents (default 50, maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier diff")
    parser.add_quiet("print only where something changed, one per line")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.diff import Diff
    from gatepost.operations.history import History

    options = invocation.options
    command: Diff | History
    asked = {"workspace": invocation.workspace(), "task": options.target, **given(options, "limit", "cursor")}
    if options.operation is None:
        since = moment("yesterday") if options.since is None else options.since
        command = Diff(since=since, **asked, **given(options, "to"))
    elif options.since is not None or options.to is not None:
        raise BadUsage("--operation does not go with --since or --to", "Give one of them.")
    else:
        command = History(operation=options.operation, **asked)
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.changes import show

        show(invocation, command)
