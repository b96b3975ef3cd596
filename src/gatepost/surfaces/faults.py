"""Faults: what is nobody's refusal. Logged once, with an id that the caller is told instead of the details."""

from __future__ import annotations

import os
import sys


def report(where: str, error: BaseException) -> str:
    """Write a traceback without secrets to stderr under a short id, which it returns; never raises itself."""
    from contextlib import suppress
    from traceback import format_exception

    from gatepost.wire.secrets import mask_text

    fault = os.urandom(4).hex()
    with suppress(AttributeError, OSError, ValueError):  # stderr may be None, a broken pipe, or closed
        sys.stderr.write(mask_text(f"gatepost: fault {fault} {where}\n{''.join(format_exception(error))}"))
        sys.stderr.flush()
    return fault
