"""The surface's price: starting a server against starting Python, and calls through it against the engine's own."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.client import gatepost
from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import Closing, Field, Rig, seed
from bench.scale import Scale
from bench.timing import Progress, Turn, take_turns, timed

_STEPS: Final = 1_000
_CALLS: Final = 200
_ECHO: Final = "import os\nwhile line := os.read(0, 65536): os.write(1, line)"
_START: Final = Aim(sign="<", bound=3)
_MEMORY: Final = Aim(sign="<", bound=30, unit=" MiB")


def measure(scale: Scale, folder: Path) -> Section:
    """Start, memory, round trips."""
    served, own = folder / "served.db", folder / "own.db"
    with Rig(own, "NORMAL") as rig:
        field = _seeded(rig, scale)
        with Rig(served, "NORMAL") as twin:
            _seeded(twin, scale)
        figures = [*_starts(scale, served), *_round_trips(scale, served, field, rig)]
    return Section(name="stdio", figures=figures)


def _seeded(rig: Rig, scale: Scale) -> Field:
    progress = Progress("stdio", _STEPS, until=time.monotonic() + scale.seeding)
    return seed(rig, tasks=1, steps_each=_STEPS, progress=progress)


def _starts(scale: Scale, path: Path) -> Sequence[Figure]:
    def bare() -> float:
        return timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=path.parent))

    def served() -> float:
        begun = time.perf_counter()
        with gatepost(path) as client:
            client.greet()
            return time.perf_counter() - begun

    times = take_turns({"bare": bare, "served": served}, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    base = median(times["bare"], "ms")
    return (
        alone("python -c pass", base, "ms"),
        compared("gatepost mcp: spawn → tools/list", median(times["served"], "ms"), "ms", base, _START),
    )


def _round_trips(scale: Scale, path: Path, field: Field, rig: Rig) -> Iterator[Figure]:
    """The server has a store of its own, made alike: on a shared one each would throw the other's cache away."""
    radar = {"task": field.tasks[0]}
    with gatepost(path) as client, _echo() as echo:
        client.greet()
        closing = Closing(client.ok, field)
        for _ in range(_CALLS // 4):  # a closing is three calls
            client.ok("tasks_radar", **radar)
            closing()
        used = client.memory()
        turns: dict[str, Turn] = {
            "echo": lambda: timed(echo),
            "ping": lambda: timed(lambda: client.ask("ping", {})),
            "radar": lambda: timed(lambda: client.ok("tasks_radar", **radar)),
            "radar, engine": lambda: timed(lambda: rig.ok("tasks_radar", **radar)),
            "close": closing,
            "close, engine": Closing(rig.ok, field),
        }
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    if used is not None:
        yield alone(f"server's memory after {_CALLS} calls", used, "MiB", _MEMORY)
    middle = {name: median(spent, "µs") for name, spent in times.items()}
    yield alone("a line to a bare Python process and back", middle["echo"], "µs")
    yield compared("ping over stdio", middle["ping"], "µs", middle["echo"])
    for name in ("radar", "close"):
        engine, whole = middle[f"{name}, engine"], middle[name]
        yield alone(f"{name}, NORMAL: the engine alone", engine, "µs")
        yield compared(f"{name}, NORMAL: over stdio", whole, "µs", engine)
        yield alone(f"{name}, NORMAL: the protocol's share", whole - engine, "µs")


@contextmanager
def _echo() -> Iterator[Callable[[], object]]:
    """What two processes need to wake each other up, whatever they say."""
    line = b"x" * 100 + b"\n"
    command = [sys.executable, "-c", _ECHO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        to, back = process.stdin.fileno(), process.stdout.fileno()
        yield lambda: (os.write(to, line), os.read(back, len(line)))
        process.stdin.close()
