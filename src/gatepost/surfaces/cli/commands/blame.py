"""`gatepost blame`: who set the fields of a plan, task or step."""

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser
from gatepost.surfaces.cli.selectors import selected, spelled


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
    parser.add_target("TARGET")
    parser.add_step()
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
    if step is not None and field is None and spelled(step) is None:
        step, field = None, step  # a title needs the field behind it
    command = History(
        workspace=invocation.workspace(),
        task=options.target,
        field=field or "*",
        **selected(invocation, options.target, step),
        **given(options, "limit", "cursor"),
    )
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.blame import show

        show(invocation, command)
