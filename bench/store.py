"""The engine's price: closing a step against a bare transaction of one row, in turns."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import apsw

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import Closing, Rig, seed
from bench.scale import Scale
from bench.timing import Progress, take_turns, timed

_STEPS: Final = 1_000
_AIMS: Final = {"FULL": Aim(sign="≤", bound=2), "NORMAL": Aim(sign="≤", bound=16)}


def measure(scale: Scale, folder: Path) -> Section:
    """Both, once with each kind of durability."""
    figures: list[Figure] = []
    for synchronous in _AIMS:
        figures.extend(_compare(scale, folder, synchronous))
    return Section(name="store", figures=figures)


def _compare(scale: Scale, folder: Path, synchronous: str) -> Sequence[Figure]:
    bare = _Bare(folder / f"bare-{synchronous}.db", synchronous)
    with Rig(folder / f"store-{synchronous}.db", synchronous) as rig:
        progress = Progress(f"store {synchronous}", _STEPS, until=time.monotonic() + scale.seeding)
        field = seed(rig, tasks=1, steps_each=_STEPS, progress=progress)
        closing = Closing(rig.ok, field)
        times = take_turns({"bare": bare, "close": closing}, rounds=2 * scale.rounds, seconds=scale.seconds)
    bare.connection.close()
    base = median(times["bare"], "µs")
    return (
        alone(f"bare one-row transaction, {synchronous}", base, "µs"),
        compared(f"close a step, {synchronous}", median(times["close"], "µs"), "µs", base, _AIMS[synchronous]),
    )


class _Bare:
    """The least a durable write can be: begin, one row, commit."""

    def __init__(self, path: Path, synchronous: str) -> None:
        self.connection = apsw.Connection(str(path))
        self.connection.pragma("journal_mode", "wal")
        self.connection.pragma("synchronous", synchronous)
        self.connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")

    def __call__(self) -> float:
        return timed(self._write)

    def _write(self) -> None:
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        run("INSERT INTO bare (text) VALUES (?)", ("x" * 100,))
        run("COMMIT")
