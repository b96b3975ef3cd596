"""`gatepost undo` and `gatepost redo`: undo the last operation, and redo it."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.replies.history import Reversed


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


def answer(invocation: Invocation) -> None:
    """Show, ask, do."""
    from gatepost.operations.history import Redo, Undo
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.prompt import agreed
    from gatepost.surfaces.terminal import stdout

    options, word = invocation.options, invocation.options.command
    command = (Undo if word == "undo" else Redo)(workspace=invocation.workspace(), task=options.target)
    text, reply = invocation.rehearse(command)
    if not options.dry_run:
        if not agreed(_lines(f"Would {word}", reply), yes=options.yes, what=word.capitalize()):
            return
        text, reply = invocation.ask(command)
    if options.json:
        print_json(text)
    elif not options.quiet or options.dry_run:
        verb = f"Would {word}" if options.dry_run else "Undid" if word == "undo" else "Redid"
        for line in _lines(verb, reply):
            stdout().say(stdout().clean(line))


def _lines(verb: str, reply: Reversed) -> list[str]:
    """What was, or would be, undone or redone."""
    touched = ", ".join(f"{name} (revision {revision})" for name, revision in reply.revisions.items())
    said = f"{verb} operation {reply.operation} ({reply.tool}) on {touched}"
    return [said, *(f"note: {warning}" for warning in reply.warnings or ())]
