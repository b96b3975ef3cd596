"""`gatepost inbox`: what waits for a person."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show what waits for you, and what to do about each item: questions of agents,\n"
        "steps to sign off, plans to approve, taskdoc files that were edited directly,\n"
        "and commands to trust.",
        examples="""\
  gatepost inbox
  gatepost inbox --limit 5
  gatepost inbox --quiet                   only the tasks and steps that wait
  gatepost inbox --json | jq .counts""",
    )
    parser.add_argument("--limit", metavar="N", type=int, help="at most N things (maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier list")
    parser.add_quiet("print only what waits, one per line: a task and step, a plan, a taskdoc")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.inbox import Inbox

    command = Inbox(workspace=invocation.workspace(), **given(invocation.options, "limit", "cursor"))
    if invocation.options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.inbox import show

        show(invocation, command)
