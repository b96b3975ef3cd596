"""`gatepost ls`: plans and tasks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser

FILTERS = ("kind", "status", "plan", "tag", "domain", "priority", "text", "limit", "cursor")


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "List plans and tasks in the order they were made. Filters add up. With --text,\n"
        "the best matches come first: plans, tasks and taskdocs by the words in them,\n"
        "their steps, notes, reasons and evidence.",
        examples="""\
  gatepost ls --ready                      what can be worked on
  gatepost ls --status ACTIVE --tag auth   what is under way about auth
  gatepost ls --plan PLAN-001              the tasks of a plan
  gatepost ls --text "login form"          what says both words in one text
  gatepost ls --ready --quiet              their ids alone, one a line""",
    )
    parser.add_argument("--kind", metavar="KIND", help="plan or task")
    parser.add_argument("--status", metavar="STATUS", type=str.upper, help="TODO, ACTIVE or DONE")
    parser.add_argument("--plan", metavar="ID", help="the tasks of this plan")
    parser.add_argument("--tag", metavar="TAG", help="what carries this tag")
    parser.add_argument("--domain", metavar="D", help="what belongs to this domain")
    parser.add_argument("--priority", metavar="P", type=str.upper, help="LOW, MEDIUM, HIGH or CRITICAL")
    parser.add_argument("--text", metavar="WORDS", help="what says all these words; a word's beginning is enough")
    parser.add_argument("--ready", action="store_true", default=None, help="what is open and waits for nothing")
    parser.add_argument("--limit", metavar="N", type=int, help="at most so many; 50 if not given, 200 at most")
    parser.add_argument("--cursor", metavar="C", help="go on where an earlier list stopped")
    parser.add_quiet("print only ids, one a line")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """List them."""
    from gatepost.surfaces.cli.invocation import Invocation, given
    from gatepost.surfaces.cli.json_output import print_json

    with Invocation(options) as invocation:
        arguments = {"workspace": invocation.workspace(), **given(options, *FILTERS, "ready")}
        if options.json:
            print_json(invocation.ask("tasks_context", arguments))
        else:
            from gatepost.surfaces.cli.views.ls import show

            show(invocation, arguments)
    return 0
