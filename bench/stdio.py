"""The surface's price: starting a server against starting Python, and calls through it against the engine's own."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.client import Client
from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import CONFIRMED, WORKSPACE, Closing, Field, Rig, Target, seed
from bench.scale import Scale
from bench.timing import Progress, Turn, take_turns, timed

_STEPS: Final = 1_000
_CALLS: Final = 200
_START: Final = Aim(sign="<", bound=3)
_MEMORY: Final = Aim(sign="<", bound=30, unit=" MiB")


def measure(scale: Scale, folder: Path) -> Section:
    """Start, memory, round trips."""
    path = folder / "stdio.db"
    with Rig(path, "FULL") as rig:
        progress = Progress("stdio", _STEPS, until=time.monotonic() + scale.seeding)
        field = seed(rig, tasks=1, steps_each=_STEPS, progress=progress)
        figures = [*_starts(scale, path), *_memory(path, field, rig), *_round_trips(scale, path, field, rig)]
    return Section(name="stdio", figures=figures)


def _starts(scale: Scale, path: Path) -> Sequence[Figure]:
    def bare() -> float:
        return timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True, cwd=path.parent))

    def served() -> float:
        begun = time.perf_counter()
        with Client(path) as client:
            client.greet()
            return time.perf_counter() - begun

    times = take_turns({"bare": bare, "served": served}, rounds=scale.spawns, seconds=scale.seconds, warm_up=2)
    base = median(times["bare"], "ms")
    return (
        alone("python -c pass", base, "ms"),
        compared("gatepost mcp: spawn → tools/list", median(times["served"], "ms"), "ms", base, _START),
    )


def _memory(path: Path, field: Field, rig: Rig) -> Sequence[Figure]:
    with Client(path) as client:
        client.greet()
        closing = Closing(rig, field, lambda target: client.call(*_close(target)))
        for _ in range(_CALLS // 2):
            client.call("tasks_radar", _radar(field))
            closing()
        used = client.memory()
    return () if used is None else (alone(f"server's memory after {_CALLS} calls", used, "MiB", _MEMORY),)


def _round_trips(scale: Scale, path: Path, field: Field, rig: Rig) -> Sequence[Figure]:
    """The server and this process share the file; they take turns, so neither waits for the other."""
    with Client(path) as client:
        client.greet()
        turns: dict[str, Turn] = {
            "radar": lambda: timed(lambda: client.call("tasks_radar", _radar(field))),
            "radar, engine": lambda: timed(lambda: rig.ok("tasks_radar", task=field.tasks[0])),
            "close": Closing(rig, field, lambda target: client.call(*_close(target))),
            "close, engine": Closing(rig, field),
        }
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    middle = {name: median(spent, "µs") for name, spent in times.items()}
    figures: list[Figure] = []
    for name in ("radar", "close"):
        engine, whole = middle[f"{name}, engine"], middle[name]
        figures += (
            alone(f"{name}, FULL: the engine alone", engine, "µs"),
            compared(f"{name}, FULL: over stdio", whole, "µs", engine),
            alone(f"{name}, FULL: the protocol's share", whole - engine, "µs"),
        )
    return figures


def _radar(field: Field) -> dict[str, Any]:
    return {"workspace": WORKSPACE, "task": field.tasks[0]}


def _close(target: Target) -> tuple[str, dict[str, Any]]:
    return "tasks_close_step", {"workspace": WORKSPACE, **target.selector, "checkpoints": CONFIRMED}
