"""How a command ends when it does not end well: exit codes, refusals, troubles and faults.

| code | means |
|---|---|
| 0 | done |
| 1 | a fault, or a store or an environment that does not allow it |
| 2 | bad usage or invalid input |
| 3 | unknown target |
| 4 | conflict: revision, gate, undo |
| 5 | forbidden |
| 6 | busy |
| 130, 141 | interrupted; the reader of our output has gone |
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any, TextIO

FAULT = 1
EXIT_OF_FAMILY = {"store": FAULT, "invalid": 2, "unknown": 3, "conflict": 4, "forbidden": 5, "busy": 6}
INTERRUPTED = 130
NOBODY_READS = 141


class CommandError(Exception):
    """A command cannot be carried out. `error` is what `--json` shows of it, in the shape of a refusal."""

    def __init__(self, exit_code: int, error: dict[str, Any], *, prefix: str = "gatepost: ") -> None:
        super().__init__(error["message"])
        self.exit_code = exit_code
        self.error = error
        self.prefix = prefix
        self.text: str | None = None


class BadUsage(CommandError):
    """The command line itself is wrong."""

    def __init__(self, message: str, recovery: str, *, prefix: str = "gatepost: ") -> None:
        error = {"code": "INVALID_INPUT", "message": message, "recovery": recovery}
        super().__init__(EXIT_OF_FAMILY["invalid"], error, prefix=prefix)


class NothingFound(CommandError):
    """What should be read does not exist."""

    def __init__(self, message: str, recovery: str, suggestion: dict[str, Any] | None = None) -> None:
        error: dict[str, Any] = {"code": "NOT_FOUND", "message": message, "recovery": recovery}
        if suggestion is not None:
            error["suggestion"] = suggestion
        super().__init__(EXIT_OF_FAMILY["unknown"], error)


class Refused(CommandError):
    """The operation said no. `text` is its answer, to the letter."""

    def __init__(self, text: str, family: str) -> None:
        import msgspec

        super().__init__(EXIT_OF_FAMILY[family], msgspec.json.decode(text)["error"])
        self.text = text


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


def refused(error: Exception) -> Refused | None:
    """What a refusal says that no operation answered: the store is busy, or cannot be used."""
    from gatepost.domain.refusals import Refusal

    if not isinstance(error, Refusal):
        return None
    from gatepost.wire.json_output import refusal

    return Refused(refusal(error), error.family)


def exit_code(error: BaseException) -> int:
    """The exit code after something was raised that no command foresaw; says on stderr what it was."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else FAULT
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _stop_writing()
        return NOBODY_READS
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
