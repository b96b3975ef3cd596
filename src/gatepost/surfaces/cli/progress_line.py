"""How far a long command is, on one line of stderr, if that is a terminal."""

import sys

from gatepost.surfaces.terminal import Terminal

_ROOM = 24


class ProgressLine:
    """A bar that is drawn again when it has moved. Use it as a context: it is gone afterwards."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._terminal = Terminal(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None
        self._shown = ""

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *raised: object) -> None:
        self.clear()

    def show(self, what: str, done: int, total: int) -> None:
        """Draw how much is done."""
        if self._terminal is None:
            return
        percent = 100 * done // max(total, 1)
        bar = self._terminal.glyphs.bar(done, total, _ROOM)
        line = self._terminal.clean(f"{self._verb} {what} {bar} {percent} %")
        line = self._terminal.clip(line, (self._terminal.width or 80) - 1)
        if line != self._shown:
            self._shown = line
            sys.stderr.write(f"\r{line}\x1b[K")
            sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._shown = ""
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
