"""`gatepost claim` and `gatepost release`: hold a step or a whole task, and release it."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.replies.claims import WorkClaimed, WorkReleased
    from gatepost.surfaces.terminal import Terminal

_ABOUT = {
    "claim": """\
Hold a step, so that nobody else works on it: the one you name, or the next one
that is ready. A claim ends when the step is closed, when you release it, or
when you make no call for the time given with --ttl (15 minutes).""",
    "release": "Release a step or a whole task that you claimed.",
}
_EXAMPLES = {
    "claim": """\
  gatepost claim                             # the next step that is ready
  gatepost claim TASK-001 s:0.s:2 --ttl 2h
  gatepost claim TASK-001 --whole            # the task with everything in it
  gatepost claim TASK-001 s:0.s:1 --take-over 'Its agent has stopped.'""",
    "release": """\
  gatepost release TASK-001 s:0.s:2
  gatepost release TASK-001                  # a task that you hold whole""",
}
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the two commands."""
    claims = parser.command == "claim"
    parser.describe(_ABOUT[parser.command], examples=_EXAMPLES[parser.command])
    parser.add_target(optional=True)
    parser.add_step()
    if claims:
        parser.add_plan("the next step that is ready in this plan")
        parser.add_argument("--whole", action="store_true", help="hold the task with everything in it")
        parser.add_argument("--ttl", metavar="TIME", type=_seconds, help="how long without a call: 30m, 2h, 1d")
        parser.add_argument("--take-over", metavar="REASON", help="take it from its holder, and say why")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Claim or release, and say so."""
    from gatepost.operations.claims import ClaimWork, ReleaseWork
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.selectors import selected
    from gatepost.surfaces.cli.subjects import task_of
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    if options.command == "release":
        task_of(invocation)
    where = {"workspace": invocation.workspace(), **selected(invocation, options.target, options.step)}
    lines: list[str]
    if options.command == "claim":
        given = {"whole": options.whole, "ttl_s": options.ttl, "take_over": options.take_over}
        text, claimed = invocation.ask(ClaimWork(task=options.target, plan=options.plan, **where, **given))
        lines = _claimed(terminal, claimed)
    else:
        text, released = invocation.ask(ReleaseWork(task=options.target, **where))
        lines = _released(terminal, released)
    if options.json:
        print_json(text)
    elif not options.quiet:
        for line in lines:
            terminal.say(line)


def _claimed(terminal: Terminal, reply: WorkClaimed) -> list[str]:
    from gatepost.surfaces.cli.formats import claim_words, short_time

    if reply.task is None or reply.until is None:
        held = [f"{item.task} {item.path or ''}  {item.title}: {claim_words(item)}" for item in reply.held or ()]
        return ["Nothing is free.", *map(terminal.clean, held or ["To see why, run: gatepost radar"])]
    what = reply.task if reply.step is None else f"{reply.task} {reply.step.path}"
    title = "" if reply.step is None else f": {terminal.clean(reply.step.title or '')}"
    return [f"{what} is yours until {short_time(reply.until, seconds=False)}{title}"]


def _released(terminal: Terminal, reply: WorkReleased) -> list[str]:
    what = reply.task if reply.step is None else f"{reply.task} {reply.step.path}"
    title = "" if reply.step is None else f": {terminal.clean(reply.step.title or '')}"
    return [f"{what} {'is free' if reply.changed else 'was not claimed'}{title}"]


def _seconds(text: str) -> int:
    from argparse import ArgumentTypeError

    count, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (count.isascii() and count.isdecimal() and len(count) < 7):
        raise ArgumentTypeError(f"{text!r} is not a duration; write 90s, 30m, 2h or 1d")
    return int(count) * _UNITS[unit]
