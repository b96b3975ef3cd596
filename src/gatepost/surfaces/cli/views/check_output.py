"""What checks print, as they print it, with a line that says what runs and for how long."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_EVERY: Final = 0.5
_CLEAR: Final = "\r\x1b[K"


class _ProgressLine:
    """The last line of a terminal: what runs, and for how long. It makes way for output."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._started = time.monotonic()
        self._lock = threading.Lock()
        self._at_start = True
        self._drawn = False

    def show(self, output: bytes) -> None:
        """Print what a check printed."""
        with self._lock:
            self._wipe()
            sys.stdout.write(output.decode("utf-8", "replace"))
            sys.stdout.flush()
            self._at_start = output.endswith(b"\n")

    def draw(self) -> None:
        """Say how long it has run, unless a line of output is incomplete."""
        with self._lock:
            if self._at_start:
                sys.stderr.write(f"{_CLEAR}{self._words[:60]} … {time.monotonic() - self._started:.0f} s")
                sys.stderr.flush()
                self._drawn = True

    def end(self) -> None:
        """Remove the line, and complete the last line of output."""
        with self._lock:
            self._wipe()
            if not self._at_start:
                sys.stdout.write("\n")

    def _wipe(self) -> None:
        if self._drawn:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            self._drawn = False


@contextmanager
def shown(words: str) -> Iterator[Callable[[bytes], None]]:
    """Show what a command prints while it runs, and on a terminal how long it has run."""
    line, ended = _ProgressLine(words), threading.Event()

    def follow() -> None:
        while not ended.wait(_EVERY):
            line.draw()

    painter = threading.Thread(target=follow, daemon=True)
    if sys.stderr.isatty():
        painter.start()
    try:
        yield line.show
    finally:
        ended.set()
        if painter.ident is not None:
            painter.join()
        line.end()
