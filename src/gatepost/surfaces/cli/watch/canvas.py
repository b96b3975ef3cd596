"""A few lines of a terminal, updated in place. The lines above them stay."""

import os
from collections.abc import Sequence
from os import terminal_size
from typing import Final, TextIO

_USUAL: Final = (80, 24)


class Canvas:
    """The lines at the cursor. The cursor stays below them, so that the terminal is usable however we end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown: list[tuple[str, int]] = []
        self._size = size(stream)

    def draw(self, lines: Sequence[tuple[str, int]]) -> None:
        """Show these lines, each with the columns it takes, in place of the ones before; equal ones are let be."""
        now = size(self._stream)
        if list(lines) == self._shown and now == self._size:
            return
        up = self._height(now.columns)
        back = (f"\x1b[{up}A" if up else "") + "\r"
        # In another size everything is wiped first: else terminals take lines for broken ones that no longer are.
        wipe = "" if now == self._size else "\x1b[J"
        # One write: a terminal never shows half of it.
        self._stream.write(back + wipe + "".join(f"{line}\x1b[K\n" for line, _ in lines) + "\x1b[J")
        self._stream.flush()
        self._shown, self._size = list(lines), now

    def leave(self) -> None:
        """Be done: the lines stay, and what the terminal echoed of an interrupt goes."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()

    def restart_below(self) -> None:
        """Another program wrote below: draw below that from now on."""
        self._shown = []

    def _height(self, columns: int) -> int:
        """How many rows the lines take that are shown. In a narrower window, terminals break what is too long."""
        return sum(max(1, -(-width // columns)) for _, width in self._shown)


def size(stream: TextIO) -> terminal_size:
    """The terminal's size. COLUMNS and LINES may make it smaller, not larger: lines must not be broken."""
    try:
        there = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        there = terminal_size((0, 0))
    columns = min(filter(None, (there.columns, _asked("COLUMNS"))), default=_USUAL[0])
    lines = min(filter(None, (there.lines, _asked("LINES"))), default=_USUAL[1])
    return terminal_size((columns, lines))


def _asked(name: str) -> int:
    given = os.environ.get(name, "")
    return int(given) if given.isdecimal() and len(given) < 6 else 0
