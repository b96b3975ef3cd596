"""What people read on stderr: what is wrong, what to do about it, and the command that does it."""

import os
import sys
from argparse import Namespace
from shlex import quote
from typing import Any, Final
from zlib import crc32

from gatepost.surfaces.cli.endings import Trouble
from gatepost.surfaces.cli.pasting import call_lines
from gatepost.surfaces.cli.screen import Screen

_TELLING: Final = 3
"""So many innermost places tell a fault from others; the outer ones tell only how it was reached."""


def complain(trouble: Trouble, options: Namespace | None) -> None:
    """Say what is wrong, then the way out, then the suggestion as a line to paste."""
    if sys.stderr is None:
        return
    screen = Screen(sys.stderr)
    error = trouble.error
    first, *rest = screen.wrap(trouble.prefix + error["message"], 0)
    screen.say(screen.paint(first, "alarm"))
    for line in (*rest, *screen.wrap(error["recovery"], 0)):
        screen.say(line)
    for line in _hint(screen, error, options):
        screen.say(f"  {line}")


def _hint(screen: Screen, error: dict[str, Any], options: Namespace | None) -> list[str]:
    """The suggestion; or where to find what an operation takes."""
    if "suggestion" in error:
        return call_lines(screen, error["suggestion"], options, 2)
    tool: str | None = getattr(options, "tool", None)
    if tool is not None and error["code"] == "INVALID_INPUT":
        return [screen.paint(screen.clean(f"gatepost call {quote(tool)} --about"), "bold")]
    return []


def explain(error: BaseException) -> None:
    """Say what the environment does not allow, in its own words; or own up to a fault."""
    said = _environment(error)
    debug = os.environ.get("GATEPOST_DEBUG", "") not in ("", "0")
    if debug:
        from gatepost.surfaces.faults import report

        report("in the command line", error)
    if said is None and not debug:
        mark = _mark(error)
        said = f"internal error {mark}: a fault in Gatepost, not in what you typed. GATEPOST_DEBUG=1 shows where."
    if said is not None and sys.stderr is not None:
        screen = Screen(sys.stderr)
        for line in screen.wrap(f"gatepost: {said}", 0):
            screen.say(line)


def _environment(error: BaseException) -> str | None:
    """Words for what is wrong outside of Gatepost; none if it is Gatepost itself."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}"
    return None


def _mark(error: BaseException) -> str:
    """The same fault, the same mark: so that two reports of it can be told to be one."""
    trace = error.__traceback__
    where: list[str] = []
    while trace is not None:
        where.append(f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{crc32(' '.join([type(error).__name__, *where[-_TELLING:]]).encode()):08x}"
