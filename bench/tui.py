"""The terminal: from the start to the first frame with something on it, and from a commit to the screen."""

import fcntl
import itertools
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bench.figures import Aim, Section, alone, compared, median
from bench.rig import WORKSPACE, Rig, grow
from bench.scale import Scale
from bench.timing import Progress, Turn, take_turns, timed

_PATIENCE: Final = 60.0
_SMALL: Final = 10
_LARGE: Final = 10_000
_TOOLKIT: Final = (sys.executable, "-c", "import textual.app, textual.widgets")
_AGAINST_THE_TOOLKIT: Final = Aim(sign="≤", bound=4)
_WITHIN: Final = Aim(sign="<", bound=100, unit=" ms")


def measure(scale: Scale, folder: Path) -> Section:
    """Wall time, on a terminal of 80 columns and 24 rows."""
    figures = []
    with ExitStack() as ending:
        small = ending.enter_context(Rig(folder / "small.db", "NORMAL"))
        large = ending.enter_context(Rig(folder / "large.db", "NORMAL"))
        for rig, steps in ((small, _SMALL), (large, _LARGE)):
            _seed(rig, steps, scale)
        times = take_turns(
            {
                "toolkit": lambda: timed(lambda: subprocess.run(_TOOLKIT, check=True)),
                "small": lambda: _start(small.location),
                "large": lambda: _start(large.location),
            },
            rounds=scale.spawns,
            seconds=scale.seconds,
            warm_up=1,
        )
        base = median(times["toolkit"], "ms")
        figures += [
            alone("python, importing Textual", base, "ms"),
            compared(
                f"start to first frame, {_SMALL} items",
                median(times["small"], "ms"),
                "ms",
                base,
                _AGAINST_THE_TOOLKIT,
            ),
            compared(f"start to first frame, {_LARGE:,} items", median(times["large"], "ms"), "ms", base),
        ]
        turns: dict[str, Turn] = {
            f"{_SMALL} items": _updating(small, ending.enter_context(_shown(small.location))),
            f"{_LARGE:,} items": _updating(large, ending.enter_context(_shown(large.location))),
            f"{_LARGE:,} items, all lists": _updating(large, ending.enter_context(_shown(large.location, b"o"))),
        }
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
        figures += [alone(f"commit to screen, {name}", median(times[name], "ms"), "ms", _WITHIN) for name in turns]
    return Section(name="tui", figures=figures)


class _Terminal:
    """A program on a terminal, of which what it writes is read."""

    def __init__(self, location: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GATEPOST_")}
        words = (sys.executable, "-m", "gatepost", "tui", "--store", location, "--workspace", WORKSPACE)
        self._process = subprocess.Popen(
            words,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=Path(location).parent,
            env={**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = b""

    def press(self, keys: bytes) -> None:
        """Type something."""
        os.write(self._ours, keys)

    def until(self, mark: bytes) -> None:
        """Read until something was written."""
        until = time.monotonic() + _PATIENCE
        while mark not in self._seen:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"{mark!r} was never shown"
            self._seen = self._seen[-65_536:] + os.read(self._ours, 65_536)
        self._seen = b""

    def drain(self) -> None:
        """Read what was written up to now."""
        while select.select([self._ours], [], [], 0)[0]:
            os.read(self._ours, 65_536)

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(_PATIENCE)
        os.close(self._ours)


def _seed(rig: Rig, steps: int, scale: Scale) -> None:
    rig.ok("tasks_create", kind="task", title="Round 0.")
    progress = Progress(f"a task of {steps:,} steps", steps, until=time.monotonic() + scale.seeding)
    grow(rig, "TASK-001", steps, progress)
    rig.ok("tasks_note", task="TASK-001", note="Begun.")
    progress.finish()


def _start(location: str) -> float:
    begun = time.perf_counter()
    terminal = _Terminal(location)
    try:
        terminal.until(b"Round 0.")
        return time.perf_counter() - begun
    finally:
        terminal.close()


@contextmanager
def _shown(location: str, keys: bytes = b"") -> Iterator[_Terminal]:
    terminal = _Terminal(location)
    try:
        terminal.until(b"Round ")
        if keys:
            terminal.press(keys)
            terminal.until(b"follow")
        yield terminal
    finally:
        terminal.close()


def _updating(rig: Rig, terminal: _Terminal) -> Turn:
    """From the moment that a call is answered to the moment that its effect is on the terminal."""
    rounds = itertools.count(1)

    def turn() -> float:
        title = f"Round {next(rounds)} of {id(terminal) % 1000}."
        terminal.drain()
        rig.ok("tasks_edit", task="TASK-001", title=title)
        begun = time.perf_counter()
        terminal.until(title.encode())
        return time.perf_counter() - begun

    return turn
