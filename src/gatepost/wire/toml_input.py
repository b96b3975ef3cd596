"""TOML from files that a stranger may have written: parsed in bounded time, or refused as a ValueError."""

from __future__ import annotations

import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_DOTS = 500
"""In one line: a key of n dots takes more than n² steps to parse. 64 KiB of dots take a minute."""


def parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text. The caller limits its length."""
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
