"""How a command ends when it fails: what it prints, and its exit code."""

from __future__ import annotations

import os
import sys

from gatepost.surfaces.cli.errors import FAULT, CommandError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import TextIO

INTERRUPTED = 130
OUTPUT_CLOSED = 141


def report(error: CommandError, options: Namespace) -> int:
    """Say what is wrong: as JSON on stdout to programs, in words on stderr to people.

    `call` is mostly a program's command, so it always answers JSON there, unless a person watches both streams.
    """
    by_program = options.command == "call" and not (_is_terminal(sys.stdout) and _is_terminal(sys.stderr))
    if options.json or by_program:
        from gatepost.surfaces.cli.json_output import print_json

        print_json(error.text or _compact({"error": error.error}))
    if not options.json and (options.command != "call" or _is_terminal(sys.stderr)):
        from gatepost.surfaces.cli.error_messages import print_error

        print_error(error, options)
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
        from gatepost.surfaces.cli.error_messages import print_error

        print_error(error, None)
        return error.exit_code
    from gatepost.surfaces.cli.error_messages import print_fault

    try:
        sys.stdout.flush()
    except (AttributeError, OSError, ValueError):
        _stop_writing()
    print_fault(error)
    return FAULT


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
