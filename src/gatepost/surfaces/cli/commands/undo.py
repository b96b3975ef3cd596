"""`gatepost undo` and `gatepost redo`: take back what was done last, and bring it back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of both commands."""
    word, what = parser.command, "take back" if parser.command == "undo" else "bring back"
    parser.describe(
        f"Say what would be {'taken' if word == 'undo' else 'brought'} back, ask, and {what} the last operation,\n"
        "of the whole workspace or of one task or plan. Nothing is lost: it is in the\n"
        "log, and undo and redo undo each other until something new is written.",
        examples=f"""\
  gatepost {word}                  the last operation; asks first
  gatepost {word} TASK-001         the last one of a task
  gatepost {word} --dry-run        only say what it would be
  gatepost {word} --yes            do not ask""",
    )
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a task or plan, such as TASK-001")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
    parser.add_quiet("print nothing once it is done")
    parser.add_argument("--actor", metavar="A", help="who the log says it was (GATEPOST_ACTOR; else cli)")
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
        lines = _lines(msgspec.json.decode(text), done=False)
        if not options.dry_run:
            if not agreed(lines, yes=options.yes, what=word.capitalize()):
                return 0
            text = invocation.ask(f"tasks_{word}", arguments)
            lines = _lines(msgspec.json.decode(text), done=True)
        if options.json:
            print_json(text)
        elif not options.quiet or options.dry_run:
            for line in lines:
                stdout().say(stdout().clean(line))
    return 0


def _lines(reply: dict[str, Any], *, done: bool) -> list[str]:
    """What was, or would be, taken back or brought back."""
    touched = ", ".join(f"{name} (revision {revision})" for name, revision in reply["revisions"].items())
    said = f"operation {reply['operation']} ({reply['tool']}) on {touched}"
    warnings = [f"note: {warning}" for warning in reply.get("warnings", ())]
    return [("Done: " if done else "Would be: ") + said, *warnings]
