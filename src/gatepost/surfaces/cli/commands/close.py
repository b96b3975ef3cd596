"""`gatepost close`: close a step, and confirm what was verified."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from gatepost.operations.checkmarks import Checkmarks
    from gatepost.replies.step_writes import StepChanged

CHECKPOINTS = ("criteria", "tests", "security", "perf", "docs")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Close a step. Name each checkpoint that you verified, with a note if you like:\n"
        "only those are confirmed. With --run, the step's checks run first and confirm\n"
        "theirs. In a terminal, without any of these, you are asked about each criterion.",
        examples="""\
  gatepost close                          asks for everything, in a terminal
  gatepost close 1 s:0.s:0 --criteria --tests
  gatepost close 1 s:0.s:1 --criteria 'Works with a keyboard.' --tests
  gatepost close TASK-001 s:0.s:2 --run   its checks prove it""",
    )
    parser.add_target(optional=True)
    parser.add_step()
    for name in CHECKPOINTS:
        about = f"confirm {name}; NOTE says how you know"
        parser.add_argument(f"--{name}", metavar="NOTE", nargs="?", const=True, help=about)
    parser.add_argument("--note", metavar="TEXT", help="the note of each checkpoint that has none of its own")
    parser.add_argument("--run", action="store_true", help="run the step's checks first")
    parser.add_argument("--revision", metavar="N", type=int, help="only if the step is still at this revision")
    parser.add_quiet("print nothing on success")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> int:
    """Confirm what is named, close the step, and say so. 4 if the person did not confirm what it needs."""
    from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, BadUsage
    from gatepost.surfaces.cli.questions import can_ask
    from gatepost.surfaces.cli.subjects import step_of

    options = invocation.options
    named = [name for name in CHECKPOINTS if getattr(options, name) is not None]
    _refuse_swallowed(options, named)
    where = {"workspace": invocation.workspace(), **step_of(invocation)}
    if options.revision is not None:
        where["expected_step_revision"] = options.revision
    if options.note is not None and not named and not options.run:
        raise BadUsage("--note confirms nothing by itself", "Name what you verified, too: --criteria, --tests.")
    if named or options.run or not can_ask(options):
        _close(invocation, where, _marks(invocation, named), run=options.run)
        return 0
    from gatepost.surfaces.cli.closing_dialog import asked

    verdict = asked(invocation, where)
    if verdict is None:
        return EXIT_OF_FAMILY["conflict"]
    where = {"expected_step_revision": verdict.revision, **where}
    _close(invocation, where, _marks(invocation, verdict.names), run=verdict.run)
    return 0


def _refuse_swallowed(options: Namespace, named: Sequence[str]) -> None:
    """Refuse `close 1 --criteria s:0`, which makes a note of the step."""
    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.selectors import spelled

    for name in named:
        note = getattr(options, name)
        if options.step is None and isinstance(note, str) and spelled(note) is not None:
            raise BadUsage(
                f"--{name} takes {note} as its note",
                f"Name the step first: gatepost close TASK STEP --{name}",
            )


def _marks(invocation: Invocation, names: Sequence[str]) -> Checkmarks | None:
    """What is confirmed: the named checkpoints and nothing else, each with its own note or the common one."""
    if not names:
        return None
    from msgspec import UNSET

    from gatepost.operations.checkmarks import Checkmark, Checkmarks

    options = invocation.options
    given = {name: getattr(options, name) for name in names}
    notes = {name: note if isinstance(note, str) else options.note for name, note in given.items()}
    return Checkmarks(
        **{name: Checkmark(confirmed=True, note=UNSET if note is None else note) for name, note in notes.items()}
    )


def _close(invocation: Invocation, where: dict[str, Any], marks: Checkmarks | None, *, run: bool) -> None:
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.step_lines import say_written

    options = invocation.options
    if run:
        from gatepost.surfaces.cli.closings import close_by_checks

        text, reply = close_by_checks(invocation, where, marks)
    else:
        text, reply = _sent(invocation, where, marks)
    if options.json:
        print_json(text)
    elif not options.quiet:
        say_written(options, reply, reply.step, "is closed" if reply.changed else "was closed already")


def _sent(invocation: Invocation, where: dict[str, Any], marks: Checkmarks | None) -> tuple[str, StepChanged]:
    """Close without running anything. Where nothing is named, what is confirmed already must do."""
    from msgspec import UNSET

    from gatepost.operations.steps import CloseStep, Finish

    if marks is None:
        return invocation.ask(Finish(**where))
    if marks.criteria is not UNSET or marks.tests is not UNSET:
        return invocation.ask(CloseStep(**where, checkpoints=marks))
    from gatepost.surfaces.cli.closings import confirm_and_finish

    return confirm_and_finish(invocation, where, marks)
