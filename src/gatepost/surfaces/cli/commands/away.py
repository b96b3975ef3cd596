"""`gatepost away`: what happened while you were away."""

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.moments import FORMS, moment
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Sum up what happened since a moment: what was finished and how it was proven,\n"
        "what was asked and answered, what is blocked now, and who worked.",
        examples="""\
  gatepost away                            since yesterday
  gatepost away --since 2h
  gatepost away --since 2026-01-01 --json | jq .finished.proven""",
    )
    parser.add_argument("--since", metavar="WHEN", type=moment, help=f"{FORMS} (default yesterday)")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.away import Away

    since = moment("yesterday") if invocation.options.since is None else invocation.options.since
    command = Away(workspace=invocation.workspace(), since=since)
    if invocation.options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.away import show

        show(invocation, command)
