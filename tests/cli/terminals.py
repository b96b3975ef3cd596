"""A small terminal: what a person sees of what a program writes, and programs that run on one."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tests.cli.givens import PATIENCE

ANSI = re.compile(r"\x1b\[[0-9;]*m")
_PIECE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Sheet:
    """Lines as they stand on a terminal that is `width` wide, and long enough."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[str] = [""]
        self.row = 0
        self.column = 0

    def write(self, text: str) -> None:
        """Do what a terminal does; what it does not know is an error."""
        at = 0
        for piece in _PIECE.finditer(text):
            assert piece.start() == at, f"unknown: {text[at : piece.start()]!r}"
            at = piece.end()
            number, verb, control, plain = piece.groups()
            if plain is not None:
                self._put(plain)
            elif control is not None:
                self._control(control)
            else:
                self._act(verb, int(number or "1") if number.isdigit() or not number else 0)
        assert at == len(text), f"unknown: {text[at:]!r}"

    def _put(self, text: str) -> None:
        for sign in text:
            wide = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
            if self.column + wide > self.width:
                self._control("\r")
                self._control("\n")
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[: self.column] + sign + "\0" * (wide - 1) + line[self.column + wide :]
            self.column += wide

    def _control(self, control: str) -> None:
        if control == "\r":
            self.column = 0
            return
        # A terminal's line discipline returns the carriage, too.
        self.column = 0
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _act(self, verb: str, number: int) -> None:
        if verb == "A":
            self.row = max(0, self.row - number)
        elif verb == "K":
            self.lines[self.row] = self.lines[self.row][: self.column]
        elif verb == "J":
            self.lines[self.row] = self.lines[self.row][: self.column]
            del self.lines[self.row + 1 :]
        else:
            assert verb == "m", f"unknown: {verb}"

    def seen(self) -> list[str]:
        """The lines, without what fills up wide characters."""
        return [line.replace("\0", "").rstrip() for line in self.lines]


class Seat:
    """A program on a terminal, and what it has written so far."""

    def __init__(self, process: "subprocess.Popen[bytes]", terminal: int) -> None:
        self.process = process
        self.written = ""
        self._terminal = terminal

    def until(self, enough: Callable[[str], bool]) -> str:
        """What was written, once it is enough; it is waited for, but not for ever."""
        while not enough(self.written):
            chunk = self._chunk()
            assert chunk, f"it ended with: {self.written!r}"
            self.written += chunk.decode(errors="replace").replace("\r\n", "\n")
        return self.written

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def resize(self, width: int, height: int = 40) -> None:
        """Make the window another size."""
        _set_size(self._terminal, width, height)
        self.process.send_signal(signal.SIGWINCH)

    def rest(self) -> str:
        """What comes until it ends."""
        while chunk := self._chunk():
            self.written += chunk.decode(errors="replace").replace("\r\n", "\n")
        self.process.wait(PATIENCE)
        return self.written

    def _chunk(self) -> bytes:
        """What is written next; nothing once it has ended. It is waited for, but not for ever."""
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
        assert ready, f"this is all: {self.written!r}"
        try:
            return os.read(self._terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            return b""


@contextmanager
def seated(words: Sequence[str], *, width: int = 80, height: int = 40, **environment: str) -> Iterator[Seat]:
    """A program on a terminal of its own; ended at the end, if it has not by then."""
    ours, theirs = os.openpty()
    _set_size(theirs, width, height)
    given = {"TERM": "xterm", **os.environ, "LC_ALL": "C.UTF-8", **environment}
    with subprocess.Popen(
        list(words), stdin=theirs, stdout=theirs, stderr=theirs, env=given, start_new_session=True
    ) as process:
        os.close(theirs)
        try:
            yield Seat(process, ours)
        finally:
            process.kill()
            os.close(ours)


def gatepost(*words: str) -> list[str]:
    """A command line of ours."""
    return [sys.executable, "-m", "gatepost", *words]


def _set_size(terminal: int, width: int, height: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
