"""`gatepost radar`: one screen of what to do now."""

from gatepost.surfaces.cli.invocation import Invocation
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
  gatepost radar --at yesterday    what was next yesterday morning
  gatepost show $(gatepost radar --quiet)""",
    )
    parser.add_target("TARGET", optional=True)
    parser.add_at()
    parser.add_quiet("print only the task and path of the current step, if any")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.radar import Radar

    command = Radar(workspace=invocation.workspace(), task=invocation.options.target, at=invocation.options.at)
    if invocation.options.json:
        invocation.print_json(command)
    elif invocation.options.quiet:
        now = invocation.client.do(command).now
        if now is not None:
            print(now.task, now.path)
    else:
        from gatepost.surfaces.cli.views.radar import show

        show(invocation, command)
