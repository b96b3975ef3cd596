"""`gatepost batch`: several calls at once."""

from __future__ import annotations

from gatepost.surfaces.cli.commands.call import read_json
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Make several calls in one transaction: all of them, or none. FILE has a JSON\n"
        'list of {"tool": …, "arguments": {…}}, or all the arguments of tasks_batch.\n'
        "A batch that deletes something asks first.",
        examples="""\
  gatepost batch calls.json
  gatepost batch calls.json --dry-run   what each would reply; changes nothing
  generate-calls | gatepost batch -""",
    )
    parser.add_argument("file", metavar="FILE", help="a file of JSON, or - for stdin")
    parser.add_argument("--each", action="store_true", help="make each call separately, not all or none")
    parser.add_argument("--dry-run", action="store_true", help="print what it would reply; change nothing")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask before deleting")
    parser.add_actor()
    parser.add_quiet("print no reply; refusals are still shown")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Read, ask if need be, call."""
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.prompt import agreed

    options, client = invocation.options, invocation.client
    arguments = invocation.placed(_read(options))
    if options.dry_run:
        print_json(client.rehearse("tasks_batch", arguments))
        return
    doomed = _destructive(arguments)
    if doomed:
        client.rehearse("tasks_batch", arguments)
        if not agreed(doomed, yes=options.yes, what="Run the batch"):
            return
    text = client.text("tasks_batch", arguments)
    if not options.quiet:
        print_json(text)


def _read(options: Namespace) -> dict[str, Any]:
    value, source = read_json("-" if options.file == "-" else f"@{options.file}")
    if isinstance(value, list):
        value = {"operations": value}
    if not isinstance(value, dict):
        raise BadUsage(
            f"{source} must contain a list of calls",
            'Write it like this: [{"tool": "tasks_note", "arguments": {…}}]',
        )
    return {**value, "atomic": False} if options.each else value


def _destructive(arguments: dict[str, Any]) -> list[str]:
    """The calls that take something away, in words."""
    from gatepost.operations.catalog import BY_NAME

    calls = arguments.get("operations")
    found = []
    for index, call in enumerate(calls if isinstance(calls, list) else []):
        operation = BY_NAME.get(str(call.get("tool"))) if isinstance(call, dict) else None
        if operation is not None and operation.destructive:
            found.append(f"call {index}: {operation.name} {call.get('arguments', {}).get('task', '')}")
    return found
