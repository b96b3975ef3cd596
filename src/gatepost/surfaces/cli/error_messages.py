"""What people read on stderr: what is wrong, what to do about it, and the command that does it."""

import os
import sys
from argparse import Namespace
from shlex import quote
from typing import Any, Final
from zlib import crc32

from gatepost.surfaces.cli.errors import CommandError
from gatepost.surfaces.cli.suggested_commands import call_lines
from gatepost.surfaces.terminal import Terminal

_FRAMES: Final = 3
"""A fault is identified by this many innermost frames; the outer ones only show how it was reached."""


def print_error(error: CommandError, options: Namespace | None) -> None:
    """Say what is wrong, then the way out, then the suggestion as a line to paste."""
    if sys.stderr is None:
        return
    terminal = Terminal(sys.stderr)
    told = error.error
    first, *rest = terminal.wrap(error.prefix + told["message"], 0)
    terminal.say(terminal.paint(first, "alarm"))
    for line in (*rest, *terminal.wrap(told["recovery"], 0)):
        terminal.say(line)
    for line in _hint(terminal, told, options):
        terminal.say(f"  {line}")


def _hint(terminal: Terminal, error: dict[str, Any], options: Namespace | None) -> list[str]:
    """The suggestion; or where to find what an operation takes."""
    if "suggestion" in error:
        call = error["suggestion"]
        return call_lines(terminal, call["tool"], call["arguments"], options, 2)
    tool: str | None = getattr(options, "tool", None)
    if tool is not None and error["code"] == "INVALID_INPUT":
        return [terminal.paint(terminal.clean(f"gatepost call {quote(tool)} --about"), "bold")]
    return []


def print_fault(error: BaseException) -> None:
    """Say what the environment does not allow, in its own words; or own up to a fault."""
    said = _environment(error)
    debug = os.environ.get("GATEPOST_DEBUG", "") not in ("", "0")
    if debug:
        from gatepost.surfaces.faults import report

        report("in the command line", error)
    if said is None and not debug:
        mark = _mark(error)
        said = f"internal error {mark}: a bug in Gatepost, not in what you typed. GATEPOST_DEBUG=1 shows where."
    if said is not None and sys.stderr is not None:
        terminal = Terminal(sys.stderr)
        for line in terminal.wrap(f"gatepost: {said}", 0):
            terminal.say(line)


def _environment(error: BaseException) -> str | None:
    """Words for what is wrong outside of Gatepost; none if it is Gatepost itself."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    return None


def _mark(error: BaseException) -> str:
    """The same fault gets the same mark, so that two reports of it can be matched."""
    trace = error.__traceback__
    where: list[str] = []
    while trace is not None:
        where.append(f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{crc32(' '.join([type(error).__name__, *where[-_FRAMES:]]).encode()):08x}"
