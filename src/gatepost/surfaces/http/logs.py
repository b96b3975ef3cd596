"""The server's log: one JSON object per line on stderr, without credentials."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from gatepost.wire import json_output
from gatepost.wire.credentials import redacted

Log = Callable[[dict[str, Any]], None]


def to_stderr(entry: dict[str, Any]) -> None:
    """Write one line. Serving goes on even if stderr is closed."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with suppress(AttributeError, OSError, ValueError):
        line, _ = redacted(json_output.text({"at": at, **entry}))
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


class LibraryLog(logging.Handler):
    """Sends the warnings of libraries to the same log."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """One record as one entry."""
        self._log({"level": record.levelname.lower(), "logger": record.name, "message": record.getMessage()})
