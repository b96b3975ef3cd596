"""`gatepost check`: run the checks of a step, or of all steps of a task."""

from __future__ import annotations

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Run the checks of a step, or of every step of a task that has some, and show\n"
        "what they print. What passes is confirmed, and the output is kept as evidence.\n"
        "Only commands that you trust run: see gatepost trust. The exit code is 4 if a\n"
        "check failed.",
        examples="""\
  gatepost check TASK-001                the checks of all its steps
  gatepost check TASK-001 s:0.s:2        those of one step, by its path
  gatepost check TASK-001 STEP-0A1B2C3D  the same, by its id
  gatepost check TASK-001 --json | jq .confirmed""",
    )
    parser.add_target(optional=True)
    parser.add_step()
    parser.add_actor()
    parser.add_quiet("print only the checks that failed")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Run them."""
    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.cli.views.check import check

    with Invocation(options) as invocation:
        return check(invocation)
