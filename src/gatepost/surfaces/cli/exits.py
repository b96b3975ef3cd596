"""How a command ends when it fails: what it prints, and its exit code."""

from __future__ import annotations

import os
import sys

from gatepost.surfaces.cli.errors import FAULT, CommandError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any, TextIO

    from gatepost.surfaces.terminal import Terminal

INTERRUPTED = 130
OUTPUT_CLOSED = 141
_THEIR_USER = "Ask your user to "
_FRAMES = 3
"""A fault is identified by this many innermost frames; the outer ones only show how it was reached."""


def report(error: CommandError, options: Namespace) -> int:
    """Say what is wrong: as JSON on stdout to programs, in words on stderr to people.

    `call` is mostly a program's command, so it always answers JSON there, unless a person watches both streams.
    """
    by_program = options.command == "call" and not (_is_terminal(sys.stdout) and _is_terminal(sys.stderr))
    if options.json or by_program:
        from gatepost.surfaces.cli.json_output import print_json

        print_json(error.text or _compact({"error": error.error}))
    if not options.json and (options.command != "call" or _is_terminal(sys.stderr)):
        _print_error(error, options)
    return error.exit_code


def exit_code(error: BaseException) -> int:
    """The exit code after something was raised that no command foresaw; says on stderr what it was."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else FAULT
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _stop_writing()
        return OUTPUT_CLOSED
    if isinstance(error, CommandError):
        _print_error(error, None)
        return error.exit_code
    try:
        sys.stdout.flush()
    except (AttributeError, OSError, ValueError):
        _stop_writing()
    _print_fault(error)
    return FAULT


def _print_error(error: CommandError, options: Namespace | None) -> None:
    """Say what is wrong, then the way out, then the suggestion as a line to paste."""
    if sys.stderr is None:
        return
    from gatepost.surfaces.terminal import Terminal

    terminal, shown = Terminal(sys.stderr), error.error
    inner = shown.get("error")  # what a batch's call was refused with
    message, recovery = _words(shown)
    if getattr(options, "revision", None) is not None:
        recovery = recovery.replace("call with expected_step_revision", "command with --revision")
    first, *rest = terminal.wrap(error.prefix + message, 0)
    terminal.say(terminal.paint(first, "alarm"))
    said = inner if isinstance(inner, dict) else {}
    for text in (*(_words(said) if said else ()), recovery):
        rest += terminal.wrap(text, 0)
    for line in rest:
        terminal.say(line)
    for line in _hint(terminal, said or shown, options):
        terminal.say(f"  {line}")


def _words(error: dict[str, Any]) -> tuple[str, str]:
    """What is wrong, and the way out. A claim has the times of the reader's clock, and names no tools."""
    if error["code"] != "CLAIMED" or "holder" not in error:
        return error["message"], _to_person(error["recovery"])
    from gatepost.surfaces.cli.formats import short_time

    since, until = (short_time(error[name], seconds=False) for name in ("since", "until"))
    what = f"{error['task']} {error['path']}" if "path" in error else f"the whole of {error['task']}"
    held = f"{error['holder']} has been working on {what} since {since}."
    ends = f"The claim ends at {until} unless its holder makes another call."
    return f"{held} {ends}", "Get another step with `gatepost claim`, or take this one over and say why:"


def _to_person(recovery: str) -> str:
    """A way out as the person at the terminal reads it, who is the user that agents are sent to."""
    from gatepost.surfaces.cli.actors import has_person

    if not recovery.startswith(_THEIR_USER) or not has_person():
        return recovery
    said = recovery.removeprefix(_THEIR_USER)
    return said[0].upper() + said[1:].replace(", then call again", ", then try again")


def _hint(terminal: Terminal, error: dict[str, Any], options: Namespace | None) -> list[str]:
    """The suggestion; the command that takes over what somebody holds; or where to find what an operation takes."""
    if error["code"] == "CLAIMED" and "task" in error:
        from gatepost.surfaces.cli.suggested_commands import joined, same_place

        what = [error["task"], error.get("path", "--whole")]
        line = joined(["claim", *what, "--take-over", "…", *same_place(options)])
        return [terminal.paint(terminal.clean(line), "bold")]
    if "suggestion" in error:
        from gatepost.surfaces.cli.suggested_commands import call_lines

        call = error["suggestion"]
        return call_lines(terminal, call["tool"], call["arguments"], options, 2)
    tool: str | None = getattr(options, "tool", None)
    if tool is not None and error["code"] == "INVALID_INPUT":
        from shlex import quote

        return [terminal.paint(terminal.clean(f"gatepost call {quote(tool)} --about"), "bold")]
    return []


def _print_fault(error: BaseException) -> None:
    """Say what the environment does not allow, in its own words; or own up to a fault."""
    said = None
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        said = f"{where}{error.strerror or error}"
    debug = os.environ.get("GATEPOST_DEBUG", "") not in ("", "0")
    if debug:
        from gatepost.surfaces.faults import report

        report("in the command line", error)
    if said is None and not debug:
        mark = _mark(error)
        said = f"internal error {mark}: a bug in Gatepost, not in what you typed. GATEPOST_DEBUG=1 shows where."
    if said is not None and sys.stderr is not None:
        from gatepost.surfaces.terminal import Terminal

        terminal = Terminal(sys.stderr)
        for line in terminal.wrap(f"gatepost: {said}", 0):
            terminal.say(line)


def _mark(error: BaseException) -> str:
    """The same fault gets the same mark, so that two reports of it can be matched."""
    from zlib import crc32

    trace = error.__traceback__
    where: list[str] = []
    while trace is not None:
        where.append(f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{crc32(' '.join([type(error).__name__, *where[-_FRAMES:]]).encode()):08x}"


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _stop_writing() -> None:
    """Drop what waits to be written: Python would try again on its way out, and complain."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):  # stdout may be None, closed, or no file
        return


def _compact(value: object) -> str:
    import json  # what was typed need not be UTF-8, and only this module can spell that

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
