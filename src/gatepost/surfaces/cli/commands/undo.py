"""`gatepost undo` and `gatepost redo`: undo the last operation, and redo it."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.replies.history import Reversed


def declare(parser: Parser) -> None:
    """Declare arguments and help of both commands."""
    word, what = parser.command, "operation" if parser.command == "undo" else "undone operation"
    parser.describe(
        f"Show your last {what} in the workspace, or anyone's last in a task or\n"
        f"plan, and {word} it after asking. Nothing is lost: the log keeps everything, and\n"
        "undo and redo reverse each other until something new is written.",
        examples=f"""\
  gatepost {word}                  your last operation; asks first
  gatepost {word} TASK-001         the last one of a task
  gatepost {word} --preview        only show what it would do
  gatepost {word} --yes            do not ask""",
    )
    parser.add_target("TARGET", optional=True)
    if word == "undo":
        parser.add_argument("--operation", metavar="N", type=int, help="undo this operation, by any actor")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", "--preview", action="store_true", help="only show what would happen")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show, ask, do."""
    from msgspec.structs import replace

    from gatepost.operations.undo import Redo, Undo
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.prompt import agreed
    from gatepost.surfaces.terminal import stdout

    options, word = invocation.options, invocation.options.command
    workspace, task = invocation.workspace(), options.target
    command: Undo | Redo
    if word == "undo":
        text, reply = invocation.ask(Undo(workspace=workspace, task=task, operation=options.operation, apply=False))
        command = Undo(workspace=workspace, task=task, operation=reply.operation)
    else:
        command = Redo(workspace=workspace, task=task)
        text, reply = invocation.rehearse(command)
    if not options.dry_run:
        if not agreed(_lines(f"Would {word}", reply), yes=options.yes, what=word.capitalize()):
            return
        warnings = reply.warnings
        text, reply = invocation.ask(command)
        reply = replace(reply, warnings=warnings)
    if options.json:
        print_json(text)
    elif not options.quiet or options.dry_run:
        verb = f"Would {word}" if options.dry_run else "Undid" if word == "undo" else "Redid"
        for line in _lines(verb, reply):
            stdout().say(stdout().clean(line))


def _lines(verb: str, reply: Reversed) -> list[str]:
    """What was, or would be, undone or redone: whose it was, what it did, and each field before and after."""
    from gatepost.surfaces.cli.formats import brief_value, short_time

    touched = ", ".join(f"{name} (revision {revision})" for name, revision in reply.revisions.items())
    said = f"{verb} operation {reply.operation} ({reply.tool}) by {reply.actor}, {short_time(reply.at)}"
    changes = [
        f"  {it.where} {it.field}: {brief_value(it.before)} -> {brief_value(it.after)}" for it in reply.diff or ()
    ]
    warnings = [f"note: {warning}" for warning in reply.warnings or ()]
    return [
        f"{said}, on {touched}" if touched else said,
        *(f"  {what}" for what in reply.what),
        *changes,
        *warnings,
    ]
