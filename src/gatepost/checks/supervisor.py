"""The process between Gatepost and a check: starts it under limits, and ends everything that it started.

`runner.py` runs this file as a script. It imports nothing of ours, so that it starts quickly. Standard input is a
pipe from Gatepost that closes when the check must end, or when Gatepost itself is gone. What happened is written to
the status pipe, a line each: `failed ERRNO`, `crowded COUNT`, `left COUNT`, `ended CODE`.

On Linux all descendants are found, whatever they do: orphans come to this process, which is their sub-reaper.
Elsewhere only the check's process group is known, and a process that leaves it is not stopped.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from contextlib import suppress
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:  # it costs more than the rest of this file
    from collections.abc import Iterator
    from typing import NoReturn

GRACE = 2.0
"""How long processes have to end by themselves once they are asked to."""

_LOOK = 0.05
_NICER = 5
_MORE_TASKS = 1_024
_OOM_SCORE = b"500"
_CONTROL = 0
_NOT_FOUND = 2
_SET_DEATH_SIGNAL = 1
_SET_SUBREAPER = 36
_SET_NO_NEW_PRIVILEGES = 38


def main() -> None:
    """Run the check that the arguments describe, until nothing of it is left."""
    status, folder, memory, file_size, most = map(int, sys.argv[1:6])
    os.set_inheritable(status, False)  # noqa: FBT003 - it takes no keywords
    wake = _woken_by_children()
    _become_guardian()
    gatepost, here = os.getppid(), os.getpid()
    check = os.fork()
    if check == 0:
        _become_check(here, folder, status, (memory, file_size), sys.argv[6:])
    family = _Family(check, wake)
    count = 0
    while family.lives() and family.code is None and count <= most and os.getppid() == gatepost:
        if family.waits(_LOOK, _CONTROL):
            break
        count = _count(most + 1)
    if crowded := count > most:
        _say(status, f"crowded {count}")
    elif family.code is not None and family.lives():
        # One that moves from process to process may not be seen, and yet it is there.
        _say(status, f"left {_count(most) or 1}")
    # What breeds too fast is not asked first: it would use the time to breed.
    family.end(grace=0 if crowded else GRACE)
    _say(status, f"ended {family.code}")
    os._exit(0)


class _Family:
    """The check and everything that it started."""

    def __init__(self, check: int, wake: int) -> None:
        self._check = check
        self._wake = wake
        self.code: int | None = None
        """How the check itself ended: its exit code, or a signal's number below zero."""

    def waits(self, seconds: float, *pipes: int) -> bool:
        """Wait until someone dies or one of the pipes can be read, at most so long. Whether a pipe can be read."""
        ready, _, _ = select.select([self._wake, *pipes], [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, 4_096)
        return any(pipe in ready for pipe in pipes)

    def lives(self) -> bool:
        """Bury the dead. Whether anyone is left."""
        with suppress(ChildProcessError):
            while (died := os.waitpid(-1, os.WNOHANG))[0]:
                if died[0] == self._check:
                    self.code = os.waitstatus_to_exitcode(died[1])
            return True
        return _signalled(-self._check, 0)

    def end(self, grace: float) -> None:
        """Ask everyone to end, and kill who does not. Comes back when nobody is left, however long that takes."""
        until = time.monotonic() + grace
        if self.lives() and grace:
            _signalled(-self._check, signal.SIGTERM)
            for pid in _descendants():
                # Once each: a program may take a second request for impatience, or clean up twice.
                if not _is_in_group(pid, self._check):
                    _signalled(pid, signal.SIGTERM)
        while self.lives() and (rest := until - time.monotonic()) > 0:
            self.waits(min(rest, _LOOK))
        while self.lives():
            self._kill()
            self.waits(_LOOK)

    def _kill(self) -> None:
        """Freeze everyone, so that nobody has new children meanwhile; then kill."""
        _signalled(-self._check, signal.SIGKILL)
        frozen: set[int] = set()
        more = True
        while more:
            more = False
            # Each as soon as it is found: with every one that stops, there is more time for this process.
            for pid in _descendants():
                if pid not in frozen:
                    more = True
                    frozen.add(pid)
                    _signalled(pid, signal.SIGSTOP)
        for pid in frozen:
            _signalled(pid, signal.SIGKILL)


def _descendants() -> Iterator[int]:
    """The processes below this one, each before those below it. None where the system does not tell."""
    waiting = [os.getpid()]
    while waiting:
        tasks = f"/proc/{waiting.pop()}/task"
        with suppress(OSError):
            for task in os.listdir(tasks):
                with open(f"{tasks}/{task}/children", "rb", buffering=0) as file:
                    below = [int(pid) for pid in file.read().split()]
                yield from below
                waiting += below


def _count(enough: int) -> int:
    """How many processes there are below this one, but not beyond `enough`."""
    return sum(1 for _ in islice(_descendants(), enough))


def _become_guardian() -> None:
    """Adopt the orphans of the check, and run before it where that is allowed, whatever a fork bomb does."""
    _prctl(_SET_SUBREAPER, 1)
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def _become_check(guardian: int, folder: int, status: int, limits: tuple[int, int], words: list[str]) -> NoReturn:
    """Turn this new process into the check."""
    failed = _NOT_FOUND  # a command without a name is not found either
    try:
        os.setsid()
        os.fchdir(folder)
        os.close(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        _set_limits(*limits)
        for each in _blockable():
            signal.signal(each, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        _prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == guardian:
            os.execvp(words[0], words)  # noqa: S606 - that is what a check is
    except OSError as error:
        failed = error.errno or _NOT_FOUND
    finally:
        _say(status, f"failed {failed}")
        os._exit(127)


def _set_limits(memory: int, file_size: int) -> None:
    """Limits that all descendants inherit. Memory that is only reserved does not count."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_FSIZE, file_size)
    with suppress(OSError):
        os.nice(_NICER)
    # With an own user's privileges alone, every descendant can be killed.
    _prctl(_SET_NO_NEW_PRIVILEGES, 1)
    with suppress(OSError, ValueError, IndexError):
        with open("/proc/loadavg", "rb") as file:
            running = int(file.read().split()[3].partition(b"/")[2])
        # The system counts all tasks of the user, so what runs already must have its place too.
        _limit(resource.RLIMIT_NPROC, running + _MORE_TASKS)
        # When memory runs out, the system ends the check, not Gatepost.
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
            file.write(_OOM_SCORE)


def _limit(kind: int, most: int) -> None:
    """Set a limit for good, unless a lower one holds."""
    _, hard = resource.getrlimit(kind)
    lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (lower, lower))


def _is_in_group(pid: int, group: int) -> bool:
    try:
        return os.getpgid(pid) == group
    except OSError:
        return False


def _signalled(pid: int, number: int) -> bool:
    """Send a signal to a process or, below zero, to a group. Whether it is there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _woken_by_children() -> int:
    """A descriptor that can be read when a child has died. Other signals do not end this process: its pipe does."""
    for each in _blockable():
        signal.signal(each, signal.SIG_IGN)
    wake, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    return wake


def _blockable() -> set[signal.Signals]:
    return {each for each in signal.valid_signals() if each not in (signal.SIGKILL, signal.SIGSTOP)}


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        from ctypes import CDLL, c_ulong

        CDLL(None).prctl(option, c_ulong(value), c_ulong(0), c_ulong(0), c_ulong(0))


def _say(status: int, line: str) -> None:
    with suppress(OSError):  # Gatepost may be gone
        os.write(status, f"{line}\n".encode())


if __name__ == "__main__":
    main()
