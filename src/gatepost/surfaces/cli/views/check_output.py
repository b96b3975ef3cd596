"""What checks print, as they print it, with a line that says what runs and for how long."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from gatepost.surfaces.terminal import spelled_out

_EVERY: Final = 0.5
_CLEAR: Final = "\r\x1b[K"


class _ProgressLine:
    """The last line of a terminal: what runs, and for how long. It makes way for output."""

    def __init__(self, words: str) -> None:
        self._words = spelled_out(words)
        self._started = self._looked = time.monotonic()
        self._at_start = True
        self._drawn = False
        self._draws = sys.stderr is not None and sys.stderr.isatty()

    def show(self, output: bytes) -> None:
        """Print what a check printed; if it is silent, say how long it has run."""
        if output:
            self._wipe()
            _print(output.decode("utf-8", "replace"))
            self._at_start = output.endswith(b"\n")
        elif self._draws and time.monotonic() - self._looked >= _EVERY:
            self._draw()

    def end(self) -> None:
        """Remove the line, and complete the last line of output."""
        self._wipe()
        if not self._at_start:
            _print("\n")

    def _draw(self) -> None:
        self._looked = time.monotonic()
        sys.stderr.write(f"{_CLEAR}{self._words[:60]} … {self._looked - self._started:.0f} s")
        sys.stderr.flush()
        self._drawn = True

    def _wipe(self) -> None:
        if self._drawn:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            self._drawn = False


def _print(text: str) -> None:
    """Print what the stream can show; a closed stream shows nothing."""
    if sys.stdout is not None:
        known = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(known, "replace").decode(known))
        sys.stdout.flush()


@contextmanager
def shown(words: str) -> Iterator[Callable[[bytes], None]]:
    """Show what a command prints while it runs, and on a terminal how long it has run."""
    line = _ProgressLine(words)
    try:
        yield line.show
    finally:
        line.end()
