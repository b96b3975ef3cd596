"""`gatepost handoff`: a handoff report."""

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser
from gatepost.surfaces.cli.selectors import selected


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Report what is done, what remains and what is at risk, followed by the radar:\n"
        "everything the next person or agent needs. Without a target, use the task or\n"
        "plan in focus, or the first task that can be worked on.\n\n"
        "--html and --md write a report of everything in it: each step, what each proof\n"
        "rests on, by whom and on which commit, and the output of checks. The HTML is one\n"
        "file to attach to a pull request; the Markdown fits into its description.",
        examples="""\
  gatepost handoff TASK-007
  gatepost handoff TASK-001 s:0
  gatepost handoff PLAN-001 --limit 50
  gatepost handoff TASK-007 --html report.html
  gatepost handoff TASK-007 --md | gh pr edit --body-file -
  gatepost handoff PLAN-001 --at yesterday
  gatepost handoff --json | jq .risks""",
    )
    parser.add_target("TARGET", optional=True)
    parser.add_step(about="only this step and what is below it")
    parser.add_argument("--limit", type=int, metavar="N", help="list at most N of each")
    for form, name in (("html", "one self-contained HTML file"), ("md", "Markdown")):
        parser.add_argument(
            f"--{form}",
            nargs="?",
            const="-",
            metavar="FILE",
            help=f"write the report as {name}; - or no FILE: stdout",
        )
    parser.add_at()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    options = invocation.options
    if options.html is not None or options.md is not None:
        _check(invocation)
        from gatepost.surfaces.cli.views.report import write

        write(invocation)
        return
    from gatepost.operations.handoff import Handoff

    command = Handoff(
        workspace=invocation.workspace(),
        task=options.target,
        **selected(invocation, options.target, options.step),
        **given(options, "limit", "at"),
    )
    if options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.handoff import show

        show(invocation, command)


def _check(invocation: Invocation) -> None:
    options = invocation.options
    if options.step is not None:
        raise BadUsage("a report is about a task or plan", "Leave out the step, or --html and --md.")
    for name in ("json", "limit", "at"):
        if getattr(options, name) or (name == "at" and options.at is not None):
            raise BadUsage(
                f"--{name} does not go with --html or --md",
                f"Leave out --{name}, or write no report: a report has all.",
            )
    if options.html == options.md == "-":
        raise BadUsage("both --html and --md would go to stdout", "Give one of them a file: --html report.html")
