"""`gatepost blame`: who set the fields of a plan, task or step."""

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser
from gatepost.surfaces.cli.selectors import selected

_STEPS = ("s:", "STEP-", "NODE-")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show who set each field of a plan, task or step, and when. With a field, also\nshow its earlier values.",
        examples="""\
  gatepost blame TASK-001                  every field of the task
  gatepost blame TASK-001 title            its titles, the newest first
  gatepost blame TASK-001 s:0.s:2          every field of a step
  gatepost blame TASK-001 s:0.s:2 title""",
    )
    parser.add_argument("target", metavar="TARGET", help="a task or plan, for example TASK-001")
    parser.add_argument("step", metavar="STEP", nargs="?", help="a step: its path (s:0.s:2) or id (STEP-…)")
    parser.add_argument("field", metavar="FIELD", nargs="?", help="a field: title, criteria, status, done_at, …")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N values (default 20, maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier list")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.history import History

    options = invocation.options
    step, field = options.step, options.field
    if step is not None and not step.startswith(_STEPS):
        if field is not None:
            raise BadUsage(f"{step} is not a step", "Name a step by its path (s:0.s:2) or id, and then the field.")
        step, field = None, step
    command = History(
        workspace=invocation.workspace(),
        task=options.target,
        field=field or "*",
        **selected(step),
        **given(options, "limit", "cursor"),
    )
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.blame import show

        show(invocation, command)
