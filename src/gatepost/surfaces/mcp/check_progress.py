"""Progress of the checks of one call, as MCP notifications: how long, and the last line that was printed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from gatepost.engine.caller import Caller
from gatepost.engine.checks import CheckCancelled, Said
from gatepost.engine.engine import Engine
from gatepost.operations.answer import CallResult, answer
from gatepost.surfaces.mcp.exchange import Exchange
from gatepost.surfaces.mcp.messages import Cancelled

_EVERY: Final = 1.0
"""Seconds between two notifications."""
_LONGEST_COMMAND: Final = 60
_LONGEST_LINE: Final = 120


class CheckProgress:
    """Tells a client about the checks that its call runs."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._began = time.monotonic()
        self._told = 0.0

    @contextmanager
    def watch(self, command: str) -> Iterator[Said]:
        """Watch one check."""
        last = ""

        def said(output: bytes) -> None:
            nonlocal last
            for line in reversed(output.decode("utf-8", "replace").splitlines()):
                if line.strip():
                    last = line.strip()
                    break
            self._tell(command, last)

        yield said

    def _tell(self, command: str, last: str) -> None:
        seconds = time.monotonic() - self._began
        if seconds - self._told >= _EVERY:
            self._told = seconds
            words = f"{_shortened(command, _LONGEST_COMMAND)}, {seconds:.0f} s"
            shown = f"{words}: {_shortened(last, _LONGEST_LINE)}" if last else words
            self._exchange.progress(round(seconds, 1), message=shown)


def answered(
    engine: Engine, name: str, arguments: Mapping[str, Any], caller: Caller, exchange: Exchange
) -> CallResult:
    """Answer a call whose client hears how its checks go on, and can cancel them. Raises `Cancelled`."""
    watched = engine.watched(CheckProgress(exchange).watch, exchange.cancelled)
    try:
        return answer(watched, name, arguments, caller)
    except CheckCancelled:
        raise Cancelled from None


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
