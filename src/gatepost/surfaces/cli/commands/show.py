"""`gatepost show`: one plan, task or step in full."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show a plan with its tasks, a task with the tree of its steps, or one step with\nits checkpoints.",
        examples="""\
  gatepost show TASK-001                 its steps and their state
  gatepost show TASK-001 s:0.s:2         one step, by its path
  gatepost show TASK-001 STEP-0A1B2C3D   the same, by its id
  gatepost show PLAN-001 --events 10     a plan, and its latest events""",
    )
    parser.add_argument("target", metavar="TARGET", help="a task or plan, for example TASK-001")
    parser.add_argument("step", metavar="STEP", nargs="?", help="a step: its path (s:0.s:2) or id (STEP-…)")
    parser.add_argument("--events", metavar="N", type=int, help="also show the latest N events (maximum 200)")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N steps or tasks (maximum 200)")
    parser.add_argument("--cursor", metavar="C", help="continue an earlier tree")
    parser.add_quiet("print only the ids of its tasks or steps, one per line")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show it."""
    from gatepost.surfaces.cli.invocation import ROOM, Invocation, given
    from gatepost.surfaces.cli.json_output import print_json

    with Invocation(options) as invocation:
        arguments: dict[str, Any] = {"workspace": invocation.workspace(), "task": options.target}
        if options.step is not None:
            arguments["step_id" if options.step.startswith(("STEP-", "NODE-")) else "path"] = options.step
        if options.events is not None:
            arguments["events_limit"] = options.events
        arguments |= given(options, "limit", "cursor")
        if options.json:
            print_json(invocation.ask("tasks_resume", arguments))
        else:
            from gatepost.surfaces.cli.views.show import show

            wide = {"limit": 200, **arguments, "max_chars": ROOM}
            show(invocation, arguments, invocation.ask("tasks_resume", wide))
    return 0
