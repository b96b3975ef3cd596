"""`gatepost show`: one plan, task or step in full."""

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser
from gatepost.surfaces.cli.selectors import selected


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show a plan with its tasks, a task with the tree of its steps, or one step with\nits checkpoints.",
        examples="""\
  gatepost show TASK-001                 its steps and their state
  gatepost show TASK-001 s:0.s:2         one step, by its path
  gatepost show TASK-001 STEP-0A1B2C3D   the same, by its id
  gatepost show PLAN-001 --events 10     a plan, and its latest events
  gatepost show TASK-001 --at 2h         as it was two hours ago""",
    )
    parser.add_target("TARGET")
    parser.add_step()
    parser.add_argument(
        "--events", metavar="N", type=int, dest="events_limit", help="also show the latest N events (maximum 200)"
    )
    parser.add_argument("--limit", metavar="N", type=int, help="at most N steps or tasks (maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier tree")
    parser.add_at()
    parser.add_quiet("print only the ids of its tasks or steps, one per line")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.resume import Resume

    options = invocation.options
    command = Resume(
        workspace=invocation.workspace(),
        task=options.target,
        **selected(invocation, options.target, options.step),
        **given(options, "events_limit", "limit", "cursor", "at"),
    )
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.show import show

        show(invocation, command)
