"""Programs that checks run in tests, and a look at which of them still run."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from gatepost.domain.checks import Check


def marked() -> str:
    """A word for a command line, to find its processes by."""
    return f"mark-{uuid4().hex}"


def python(code: str, *words: str, timeout_s: int = 60, **fields: object) -> Check:
    """A check that runs Python code with these words."""
    given = {"run": (sys.executable, "-I", "-S", "-c", code, *words), "timeout_s": timeout_s, **fields}
    return Check(**given)  # type: ignore[arg-type]  # as the tests give them


def shell(script: str, *words: str, timeout_s: int = 60, **fields: object) -> Check:
    """A check that runs a shell script with these words. All that it starts has the first in its environment."""
    given = {"run": ("sh", "-c", f'export FIRST="$1"; {script}', "sh", *words), "timeout_s": timeout_s, **fields}
    return Check(**given)  # type: ignore[arg-type]  # as the tests give them


def running(mark: str) -> list[int]:
    """The processes that have a word in their command line or their environment."""
    return list(_having(mark.encode()))


def _having(mark: bytes) -> Iterator[int]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            for file in ("cmdline", "environ"):
                with suppress(OSError):
                    if mark in (process / file).read_bytes():
                        yield int(process.name)
                        break
