"""`gatepost ls`: plans and tasks."""

from gatepost.surfaces.cli.invocation import Invocation, given
from gatepost.surfaces.cli.parser import Parser

FILTERS = ("kind", "status", "plan", "tag", "domain", "priority", "text", "ready", "limit", "cursor", "at")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "List plans and tasks in the order they were created. Filters combine. With\n"
        "--text, list plans, tasks and taskdocs that contain the words, best match first:\n"
        "in titles, steps, notes, reasons and evidence.",
        examples="""\
  gatepost ls --ready                      tasks that can be worked on
  gatepost ls --status ACTIVE --tag auth   active tasks tagged auth
  gatepost ls --plan PLAN-001              the tasks of a plan
  gatepost ls --text "login form"          tasks with both words in one text
  gatepost ls --status ACTIVE --at 3d      what was worked on three days ago
  gatepost ls --ready --quiet              only their ids, one per line""",
    )
    parser.add_argument("--kind", metavar="KIND", type=str.lower, help="plan or task")
    parser.add_argument("--status", metavar="STATUS", type=str.upper, help="TODO, ACTIVE or DONE")
    parser.add_plan("only tasks of this plan")
    parser.add_argument("--tag", metavar="TAG", help="only those with this tag")
    parser.add_argument("--domain", metavar="D", help="only those of this domain")
    parser.add_argument("--priority", metavar="P", type=str.upper, help="LOW, MEDIUM, HIGH or CRITICAL")
    parser.add_argument(
        "--text", metavar="WORDS", help="only those with all these words, or words that begin with them"
    )
    parser.add_argument(
        "--ready", action="store_true", default=None, help="only what can be started, most urgent first"
    )
    parser.add_argument("--limit", metavar="N", type=int, help="at most N (default 50, maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier list")
    parser.add_at()
    parser.add_quiet("print only ids, one per line")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """List them."""
    from gatepost.operations.context import Context

    command = Context(workspace=invocation.workspace(), **given(invocation.options, *FILTERS))
    if invocation.options.json:
        invocation.print_json(command)
    else:
        from gatepost.surfaces.cli.views.ls import show

        show(invocation, command)
