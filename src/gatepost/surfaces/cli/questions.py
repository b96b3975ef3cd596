"""Questions to the person at a terminal, for what a command line leaves out."""

from __future__ import annotations

import sys
from contextlib import suppress

from gatepost.surfaces.cli.actors import has_person
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.terminal import stdout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

_YES = ("y", "yes")
_NOTHING = "Nothing was changed."


def can_ask(options: Namespace) -> bool:
    """Whether a person is there to answer. Programs, agents and readers of JSON are never asked."""
    return not options.json and has_person()


def require(options: Namespace, *names: str) -> None:
    """Refuse a command line that leaves something out, unless a person can be asked for it."""
    if not can_ask(options):
        raise BadUsage(
            f"gatepost {options.command}: the following arguments are required: {', '.join(names)}",
            f"See gatepost {options.command} --help",
            prefix="",
        )


def line(question: str, default: str = "") -> str:
    """What the person types, or the default if that is nothing."""
    end = " " if question.endswith("?") else ": "
    return _typed(f"{question} [{default}]{end}" if default else f"{question}{end}") or default


def needed(question: str, default: str = "") -> str:
    """The same, where the command cannot do without."""
    found = line(question, default)
    if not found:
        raise BadUsage("no answer", _NOTHING)
    return found


def agrees(question: str) -> bool:
    """Whether the person says yes. Enter is no."""
    return _typed(f"{question} [y/N] ").lower() in _YES


def chosen(question: str, rows: Sequence[str], default: int = 0) -> int:
    """The number of the row that the person chooses, from 0. Rows are shown with numbers from 1."""
    terminal = stdout()
    for number, row in enumerate(rows, 1):
        text = f"  {number}  {terminal.clean(row)}"
        terminal.say(text if terminal.width is None else terminal.clip(text, terminal.width))
    typed = line(question, str(default + 1))
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 10 and 1 <= int(typed) <= len(rows)):
        raise BadUsage(f"{typed} is not one of the numbers 1 to {len(rows)}", _NOTHING)
    return int(typed) - 1


def _typed(shown: str) -> str:
    terminal = stdout()
    with suppress(ImportError):  # not every system has it
        import readline  # noqa: F401 - arrow keys in what is typed
    sys.stdout.flush()
    try:
        return input(terminal.clean(shown)).strip()
    except (EOFError, KeyboardInterrupt):  # Ctrl-D, Ctrl-C: the person leaves, and the shell's prompt needs a line
        terminal.say()
        raise KeyboardInterrupt from None
