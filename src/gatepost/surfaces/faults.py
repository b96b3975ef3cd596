"""Faults: unexpected errors. Logged once, with an id that the caller gets instead of the details."""

from __future__ import annotations

import os
import sys


def report(where: str, error: BaseException) -> str:
    """Write a traceback without credentials to stderr. Returns its short id and never raises."""
    from contextlib import suppress
    from traceback import format_exception

    from gatepost.wire.credentials import redacted

    fault = os.urandom(4).hex()
    with suppress(AttributeError, OSError, ValueError):  # stderr may be None, a broken pipe, or closed
        said, _ = redacted(f"gatepost: fault {fault} {where}\n{''.join(format_exception(error))}")
        sys.stderr.write(said)
        sys.stderr.flush()
    return fault
