"""`gatepost call`: any operation, by name."""

from __future__ import annotations

import sys
from argparse import Namespace

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from json import JSONDecodeError
    from typing import Any, NoReturn

_AROUND = 60


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Call an operation and print its reply as JSON: compact in a pipe, indented on a\n"
        "terminal. Without TOOL, list the operations; with --about, describe one.\n\n"
        "If the arguments name no workspace, the one that is set (by flag, variable or\n"
        "gatepost.toml) is filled in. A refusal is also JSON on stdout, with a nonzero\n"
        "exit code; on a terminal it is text on stderr.",
        examples="""\
  gatepost call
  gatepost call tasks_create --about
  gatepost call tasks_create '{"kind":"task", "title":"Login"}' --workspace a/b
  gatepost call tasks_radar | jq .next
  gatepost call tasks_delete '{"task":"TASK-007"}' --dry-run
  gatepost call tasks_decompose @steps.json
  generate-steps | gatepost call tasks_decompose -""",
    )
    parser.add_argument("tool", metavar="TOOL", nargs="?", help="the operation's name, for example tasks_create")
    parser.add_argument(
        "arguments", metavar="JSON", nargs="?", help="its arguments: a JSON object, - for stdin, or @FILE"
    )
    parser.add_argument(
        "--about", action="store_true", help="describe the operation and its arguments; call nothing"
    )
    parser.add_argument("--dry-run", action="store_true", help="print what it would reply; change nothing")
    parser.add_actor()
    parser.add_quiet("print no reply; refusals are still shown")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Call it, or tell about it."""
    from gatepost.surfaces.cli.json_output import print_json

    if options.tool is None or options.about:
        from gatepost.surfaces.cli.views.operations import describe, show_all

        if options.tool is None:
            show_all(options)
        else:
            describe(options)
        return 0
    arguments = _read(options.arguments)
    from gatepost.surfaces.cli.invocation import Invocation

    with Invocation(options) as invocation:
        if not invocation.has_store() and _needs_store(options.tool):
            invocation.require_store()
        ask = invocation.client.rehearse if options.dry_run else invocation.client.text
        text = ask(options.tool, invocation.placed(arguments))
        if not options.quiet:
            print_json(text)
    return 0


def _needs_store(tool: str) -> bool:
    """Whether an operation only reads the store. A write creates it, and the project's files exist without it."""
    from gatepost.operations.catalog import BY_NAME

    operation = BY_NAME.get(tool)
    return operation is not None and not (operation.writes or operation.files or tool == "workspace_digest_scan")


def _read(given: str | None) -> dict[str, Any]:
    """The arguments, from wherever they are."""
    if given is None:
        return {}
    value, source = read_json(given)
    if not isinstance(value, dict):
        raise BadUsage(
            f"{source} must be a JSON object, not {_kind(value)}",
            'Write the arguments like this: {"task": "TASK-001"}',
        )
    return value


def read_json(given: str) -> tuple[Any, str]:
    """JSON from the command line, from stdin (`-`) or from a file (`@name`), and a word for where it was."""
    if given == "-":
        return _parsed(_text(sys.stdin.buffer.read(), "stdin"), "stdin"), "stdin"
    if given.startswith("@"):
        name = given[1:]
        try:
            with open(name, "rb") as file:
                return _parsed(_text(file.read(), name), name), name
        except OSError as error:
            raise BadUsage(f"{name} cannot be read: {error.strerror}", "Name a file that contains JSON.") from None
    return _parsed(given, "the argument"), "the argument"


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadUsage(f"{source} is not UTF-8 (at byte {error.start})", "Convert it to UTF-8.") from None


def _parsed(text: str, source: str) -> Any:
    from gatepost.surfaces.cli.stand_ins import import_msgspec

    import_msgspec()
    import msgspec

    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _examined(text, source)


def _examined(text: str, source: str) -> Any:
    """The same by Python's own reader, which accepts a little more and says where it stopped."""
    import json

    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadUsage(_where(error, source), _way_out(text, source)) from None
    except RecursionError:
        raise BadUsage(f"{source} is nested too deeply", "Arguments need only a few levels.") from None
    except ValueError as error:
        raise BadUsage(f"{source} is not JSON: {error}", "Write the arguments as a JSON object.") from None


def _where(error: JSONDecodeError, source: str) -> str:
    """What was expected, where, and a look at the spot."""
    if not error.doc.strip():
        return f"{source} is empty; expected a JSON object"
    line = error.doc.splitlines()[error.lineno - 1] if error.lineno <= len(error.doc.splitlines()) else ""
    start = max(0, error.colno - 1 - _AROUND)
    spot = line[start : error.colno - 1 + _AROUND // 2]
    what = error.msg[0].lower() + error.msg[1:]
    place = f"line {error.lineno}, column {error.colno}"
    return f"{source} is not JSON: {what} at {place}\n  {spot}\n  {' ' * (error.colno - 1 - start)}^"


def _way_out(text: str, source: str) -> str:
    if source == "the argument" and text.startswith("{") and '"' not in text:
        return "The shell seems to have removed the double quotes. Put single quotes around the whole object."
    return 'Write an object like {"task": "TASK-001"}, with names and texts in double quotes.'


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
