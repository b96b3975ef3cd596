"""`gatepost approve`: allow work on a plan that waits for a person."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Approve a plan that waits for a person, so that its tasks can be worked on.\n"
        "A plan waits if its policy says `approval: human`. Only people can approve.",
        examples="""\
  gatepost approve PLAN-001
  gatepost approve PLAN-001 --note 'Go, but not before Monday.'""",
    )
    parser.add_target("PLAN")
    parser.add_argument("--note", metavar="TEXT", help="a note for those who work on it")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Approve, and say so."""
    from gatepost.operations.policies import Approve
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options = invocation.options
    text, reply = invocation.ask(Approve(workspace=invocation.workspace(), plan=options.target, note=options.note))
    if options.json:
        print_json(text)
    elif not options.quiet:
        said = "is approved" if reply.changed else "does not wait for approval"
        stdout().say(f"{reply.plan} {said}.")
