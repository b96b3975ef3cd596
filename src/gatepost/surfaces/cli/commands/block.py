"""`gatepost block`, `unblock` and `answer`: say what a step waits for, and unblock it."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gatepost.operations.blocks import Block

_ABOUT = {
    "block": """\
Block a step, so that nobody works on it until it is unblocked. Say why, or ask
a question. The question waits in the inbox of the person or agent it is for.""",
    "unblock": "Unblock a step. Agents that work on it see your text.",
    "answer": """\
Answer the question of a blocked step. This unblocks the step, and the agent
that asked gets the answer with its next call. The options are only suggestions.""",
}
_EXAMPLES = {
    "block": """\
  gatepost block TASK-001 s:0.s:2 'Staging is down.'
  gatepost block TASK-001 s:0.s:2 --ask 'In which currency?' --option EUR
  gatepost block TASK-001 s:0.s:1 --ask 'Is this safe?' --for agent:reviewer""",
    "unblock": """\
  gatepost unblock TASK-001 STEP-0A1B2C3D 'Staging is up again.'
  gatepost unblock TASK-001 s:0.s:2""",
    "answer": """\
  gatepost answer TASK-001 s:0.s:2 EUR
  gatepost answer TASK-001 s:0.s:1 'In euros, rounded to cents.'""",
}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the three commands."""
    parser.describe(_ABOUT[parser.command], examples=_EXAMPLES[parser.command])
    parser.add_target(optional=True)
    parser.add_step()
    if parser.command == "answer":
        parser.add_argument("answer", metavar="ANSWER", nargs="?", help="your answer; - reads stdin")
        parser.add_argument("-e", "--edit", action="store_true", help="write it in your editor")
    else:
        parser.add_argument("reason", metavar="REASON", nargs="?", help="why, in your own words")
    if parser.command == "block":
        parser.add_argument("--ask", metavar="TEXT", help="a question; the answer unblocks the step")
        parser.add_argument("--option", metavar="TEXT", action="append", help="an answer to choose; repeatable")
        parser.add_argument(
            "--for",
            metavar="WHO",
            dest="addressee",
            help="who must answer: human (only a person can), or an actor such as agent:codex",
        )
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Block, unblock or answer, and say so."""
    from gatepost.surfaces.cli.long_text import send_text
    from gatepost.surfaces.cli.subjects import step_of

    options = invocation.options
    if options.command != "answer":
        _send(invocation, step_of(invocation), None)
        return
    if options.step is None:
        _choose_question(invocation)
    where = step_of(invocation)
    choices = _shown_choices(invocation, where) if options.answer is None and not options.edit else ()
    send_text(options, options.answer, "ANSWER", lambda text: _send(invocation, where, text), choices)


def _shown_choices(invocation: Invocation, where: dict[str, Any]) -> tuple[str, ...]:
    from gatepost.surfaces.cli.questions import require

    require(invocation.options, "ANSWER")
    from gatepost.surfaces.cli.choices import show_question

    return show_question(invocation, {"workspace": invocation.workspace(), **where})


def _choose_question(invocation: Invocation) -> None:
    """Let the person choose one of the questions that wait."""
    from gatepost.surfaces.cli.questions import require

    options = invocation.options
    require(options, *(["STEP"] if options.target is not None else ["TASK", "STEP"]), "ANSWER")
    from gatepost.surfaces.cli.choices import choose_question

    options.target, options.step = choose_question(invocation, options.target)


def _send(invocation: Invocation, where: dict[str, Any], text: str | None) -> None:
    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    said, reply = invocation.ask(_command(invocation, where, text))
    if options.command == "answer" and not reply.changed:
        raise BadUsage(
            f"{reply.task} {reply.step.path} has no open question",
            "Nothing was stored. See what waits with gatepost inbox.",
        )
    if options.json:
        print_json(said)
    elif not options.quiet:
        name = f"{reply.task} {reply.step.path}"
        done, already = {
            "block": ("is blocked", "was blocked already"),
            "unblock": ("is unblocked", "was not blocked"),
            "answer": ("is answered and unblocked", ""),
        }[options.command]
        terminal.say(f"{name} {done if reply.changed else already}: {terminal.clean(reply.step.title or '')}")


def _command(invocation: Invocation, where: dict[str, Any], answered: str | None) -> Block:
    from gatepost.operations.blocks import Block

    options, blocks = invocation.options, invocation.options.command == "block"
    return Block(
        workspace=invocation.workspace(),
        **where,
        blocked=blocks,
        reason=getattr(options, "reason", None),
        ask=options.ask if blocks else None,
        options=tuple(options.option or ()) if blocks else (),
        for_=options.addressee if blocks else None,
        answer=answered,
    )
