"""Errors that a command can end with, and the exit code of each.

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FAULT = 1
EXIT_OF_FAMILY = {"store": FAULT, "invalid": 2, "unknown": 3, "conflict": 4, "forbidden": 5, "busy": 6}


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


def refused(error: BaseException) -> CommandError | None:
    """A refusal as the error that a command ends with. `text` is the answer, to the letter."""
    from gatepost.domain.refusals import Refusal

    if not isinstance(error, Refusal):
        return None
    import msgspec

    from gatepost.wire.json_output import refusal

    text = refusal(error)
    found = CommandError(EXIT_OF_FAMILY[error.family], msgspec.json.decode(text)["error"])
    found.text = text
    return found
