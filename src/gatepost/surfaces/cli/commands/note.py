"""`gatepost note`: tell those who work on a task or step next what they must know."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Add a note to a task, a plan or a step. Agents that work on it see the note.\n"
        "If no TEXT follows STEP, STEP is the text, unless it is a path, number or id.",
        examples="""\
  gatepost note 1 'The staging key is in the vault.'
  gatepost note TASK-001 s:0.s:2 'Half way: the parser is done.'
  gatepost note 1 s:0 --edit
  git log -1 --format=%B | gatepost note 1 -""",
    )
    parser.add_target("TARGET", optional=True)
    parser.add_step()
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the note; - reads stdin")
    parser.add_argument("-e", "--edit", action="store_true", help="write it in your editor")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Keep the note, and say where."""
    from gatepost.surfaces.cli.long_text import send_text
    from gatepost.surfaces.cli.questions import require
    from gatepost.surfaces.cli.selectors import spelled
    from gatepost.surfaces.cli.subjects import task_of

    options = invocation.options
    if options.text is None and options.step is not None and spelled(options.step) is None:
        options.step, options.text = None, options.step
    if options.target is None:
        require(options, "TARGET", "TEXT")
    task = task_of(invocation)
    send_text(options, options.text, "TEXT", lambda text: _take(invocation, task, text))


def _take(invocation: Invocation, task: str, text: str) -> None:
    from gatepost.operations.new_note import TakeNote
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.selectors import selected
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    where = selected(invocation, task, options.step)
    said, reply = invocation.ask(TakeNote(workspace=invocation.workspace(), task=task, note=text, **where))
    if options.json:
        print_json(said)
    elif not options.quiet:
        step = "" if reply.step is None else f" {reply.step.path}: {terminal.clean(reply.step.title or '')}"
        terminal.say(f"Noted on {reply.task}{step}")
