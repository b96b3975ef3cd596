"""`gatepost watch`: the live lists, without taking over the terminal."""

import os
import sys

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

LINES = 12
_FEWEST = 3


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Watch the steps of tasks and the todo lists of sessions as they change, until\n"
        "Ctrl-C. On a terminal, a few lines are updated in place: lists in progress\n"
        "first, then blocked items, then the number of done ones. In a pipe, each change\n"
        "is one line.\n\n"
        "It follows the store, whichever process writes to it, or a server (--url). If\n"
        "the connection is lost, it reconnects, and the last line says so.",
        examples="""\
  gatepost watch                              all lists of the workspace
  gatepost watch --scope TASK-001             the steps of one task
  gatepost watch --url http://127.0.0.1:4870 --workspace acme/repo
  gatepost watch --json | jq -r .scopeKey     for programs
  gatepost watch | grep --line-buffered blocked""",
    )
    parser.add_argument("--scope", metavar="S", help="one list: a task's id, or a session's name")
    parser.add_argument("--lines", metavar="N", type=int, default=LINES, help=f"at most N lines (default {LINES})")
    parser.add_argument(
        "--json", action="store_true", help="print each change as JSON, one per line, as in payload.todo"
    )
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Watch."""
    options = invocation.options
    if options.lines < _FEWEST:
        raise BadUsage(f"--lines {options.lines} is too few", f"Give at least {_FEWEST}.")
    from gatepost.surfaces.cli.watch import watcher

    watch = watcher.Watch(invocation.client, invocation.workspace(), options.scope)
    if options.json:
        watcher.print_events(watch)
    elif sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        watcher.Drawing(watch, options.lines).run()
    else:
        watcher.print_changes(watch)
