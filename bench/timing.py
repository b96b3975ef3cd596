"""Timing: rivals take turns in one loop, so that whatever else the machine does hits them all."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

Turn = Callable[[], float]
"""Does something, and answers how many seconds of it count."""

K = TypeVar("K")

_LEAST_ROUNDS: Final = 3
_BAR: Final = 30


class OutOfTime(Exception):
    """A machine this slow would hold everybody up."""


def timed(work: Callable[[], object]) -> float:
    """How long something takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def take_turns(
    turns: Mapping[K, Turn], *, rounds: int, seconds: float, warm_up: int = 5
) -> dict[K, Sequence[float]]:
    """Every turn's times, over so many rounds or as many as fit into the time; each round starts with another."""
    order = list(turns)
    times: dict[K, list[float]] = {key: [] for key in order}
    until = time.monotonic() + seconds
    for number in range(rounds + warm_up):
        if number >= warm_up + _LEAST_ROUNDS and time.monotonic() > until:
            break
        for key in order:
            spent = turns[key]()
            if number >= warm_up:
                times[key].append(spent)
        order = order[1:] + order[:1]
    return dict(times)


class Progress:
    """Says on stderr how far a long job is: a bar on a terminal, else one line at its end."""

    def __init__(self, what: str, total: int, *, until: float) -> None:
        self._what = what
        self._total = total
        self._until = until
        self._done = 0
        self._begun = time.monotonic()
        self._live = sys.stderr.isatty()

    @property
    def elapsed(self) -> float:
        """Seconds since the job began."""
        return time.monotonic() - self._begun

    def add(self, count: int) -> None:
        """So much more is done; stops the job when its time is up."""
        before, self._done = self._done, self._done + count
        if self._live and self._done * 200 // self._total != before * 200 // self._total:
            self._draw()
        if time.monotonic() > self._until:
            raise OutOfTime(f"{self._what}: {self._done:,} of {self._total:,} when the time was up")

    def finish(self) -> float:
        """The job is done; how long it took."""
        spent = self.elapsed
        line = f"{self._what}: {self._done:,} in {spent:.1f} s"
        print(f"\r{line:<79}" if self._live else line, file=sys.stderr)
        return spent

    def _draw(self) -> None:
        full = _BAR * self._done // self._total
        line = f"{self._what} {'█' * full}{'░' * (_BAR - full)} {self._done:,} {self.elapsed:.0f} s"
        print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)
