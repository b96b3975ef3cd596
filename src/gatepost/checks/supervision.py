"""A check and its supervisor, seen from Gatepost: start them, read from them, end them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from secrets import token_hex
from typing import Final, NamedTuple

from gatepost.checks import supervisor
from gatepost.checks.environment import MARK, cleaned
from gatepost.files.no_follow import closing

PATIENCE: Final = supervisor.GRACE + 60
"""How many seconds the supervisor has to end everything."""

_PIECE: Final = 64 * 1_024
_ROUNDS: Final = 100
_QUIET_LOOKS: Final = 3
_BETWEEN_LOOKS: Final = 0.01
_PROC: Final = os.path.isdir("/proc/self")


class Limits(NamedTuple):
    """Bytes of memory for each process, bytes of each file, processes at once, bytes of output."""

    memory: int = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 * 3
    file_size: int = 4 * 2**30
    processes: int = 512
    output: int = 256 * 2**20


class Supervision:
    """A command that runs in an open folder. `status` and `output` are the pipes to read from."""

    def __init__(self, words: tuple[str, ...], folder: int, limits: Limits) -> None:
        self._mark = token_hex(16)
        self.status, report = os.pipe()  # the supervisor writes to `report`
        arguments = (report, folder, limits.memory, limits.file_size, limits.processes)
        try:
            with closing(report):
                process = subprocess.Popen(  # noqa: S603 - whether it may run is decided before
                    [sys.executable, "-I", "-S", supervisor.__file__, *map(str, arguments), *words],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=cleaned(os.environ, self._mark),
                    start_new_session=True,
                    pass_fds=(report, folder),
                )
        except BaseException:
            os.close(self.status)
            raise
        assert process.stdin  # noqa: S101 - for the type checker: both are pipes
        assert process.stdout  # noqa: S101
        self._process, self._control, self._stdout = process, process.stdin, process.stdout
        self.output = process.stdout.fileno()
        os.set_blocking(self.output, False)
        self._deadline: float | None = None

    @property
    def overdue(self) -> bool:
        """Whether the supervisor has had all the time there is for ending everything."""
        return self._deadline is not None and time.monotonic() > self._deadline

    def stop(self) -> None:
        """Ask the supervisor to end everything."""
        self._deadline = self._deadline or time.monotonic() + PATIENCE
        with suppress(OSError):
            # The check may have stopped it.
            self._process.send_signal(signal.SIGCONT)
            # The end of the pipe alone may not reach it: a forked copy of this process would hold the pipe open.
            self._control.write(b".")

    def end(self) -> None:
        """Come back when nothing is left running."""
        self.stop()
        try:
            done = self._process.wait(PATIENCE if not self.overdue else 0) == 0
        except subprocess.TimeoutExpired:
            self._process.kill()
            done = self._process.wait() == 0
        if not done:
            _kill_marked(f"{MARK}={self._mark}".encode())
        for pipe in (self._control, self._stdout):
            pipe.close()
        os.close(self.status)


def read(pipe: int) -> bytes | None:
    """What is in a pipe: empty at its end, none if there is nothing yet."""
    try:
        return os.read(pipe, _PIECE)
    except BlockingIOError:
        return None


def _kill_marked(mark: bytes) -> None:
    """Kill what a check left without a supervisor: it has the mark in its environment. Linux only.

    A look can miss a process that was forked meanwhile or is loading a program, so several looks in a row must
    find nothing.
    """
    quiet = 0
    for _ in range(_ROUNDS if _PROC else 0):
        signs = {int(name): _bears(name, mark) for name in os.listdir("/proc") if name.isdigit()}
        quiet = 0 if any(sign is not False for sign in signs.values()) else quiet + 1
        if quiet == _QUIET_LOOKS:
            return
        for pid in (pid for pid, sign in signs.items() if sign):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_BETWEEN_LOOKS)


def _bears(pid: str, mark: bytes) -> bool | None:
    """Whether a process has the mark. None if that cannot be report: while a program loads, it has nothing."""
    with suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read()
        if not environment and os.readlink(f"/proc/{pid}/exe"):
            return None
        return mark in environment.split(b"\0")
    return False
