"""`gatepost undo` and `gatepost redo`: undo the last operation, and redo it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help of both commands."""
    word, what = parser.command, "operation" if parser.command == "undo" else "undone one"
    parser.describe(
        f"Show the last {what} of the workspace, or of a task or plan, and {word} it\n"
        "after asking. Nothing is lost: the log keeps everything, and undo and redo\n"
        "reverse each other until something new is written.",
        examples=f"""\
  gatepost {word}                  the last operation; asks first
  gatepost {word} TASK-001         the last one of a task
  gatepost {word} --dry-run        only show what it would do
  gatepost {word} --yes            do not ask""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, for example TASK-001")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")
    parser.add_quiet("print nothing once it is done")
    parser.add_argument("--actor", metavar="A", help="the name in the log (GATEPOST_ACTOR; default: cli)")
    parser.add_json()
    parser.add_place()


def run(options: Namespace) -> int:
    """Show, ask, do."""
    import msgspec

    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.prompt import agreed
    from gatepost.surfaces.terminal import stdout

    word = options.command
    with Invocation(options) as invocation:
        arguments = {"workspace": invocation.workspace()}
        if options.target is not None:
            arguments["task"] = options.target
        text = invocation.rehearse(f"tasks_{word}", arguments)
        lines = _lines(f"Would {word}", msgspec.json.decode(text))
        if not options.dry_run:
            if not agreed(lines, yes=options.yes, what=word.capitalize()):
                return 0
            text = invocation.ask(f"tasks_{word}", arguments)
            lines = _lines("Undid" if word == "undo" else "Redid", msgspec.json.decode(text))
        if options.json:
            print_json(text)
        elif not options.quiet or options.dry_run:
            for line in lines:
                stdout().say(stdout().clean(line))
    return 0


def _lines(verb: str, reply: dict[str, Any]) -> list[str]:
    """What was, or would be, undone or redone."""
    touched = ", ".join(f"{name} (revision {revision})" for name, revision in reply["revisions"].items())
    done = f"{verb} operation {reply['operation']} ({reply['tool']}) on {touched}"
    warnings = [f"note: {warning}" for warning in reply.get("warnings", ())]
    return [done, *warnings]
