"""Eight writers: processes that write one file as fast as they can, and how fair that is."""

import itertools
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.figures import Aim, Section, alone, compared
from bench.rig import CONFIRMED, GROUP, LEAVES, WORKSPACE, Rig, leaf, seed
from bench.scale import Scale
from bench.timing import Progress

WRITERS: Final = 8
_STEPS: Final = 1_000
_PATIENCE: Final = 60.0

Call = tuple[str, dict[str, Any]]


class Tale(NamedTuple):
    """What one writer saw."""

    done: int
    refused: int
    longest: float
    spent: float


def measure(scale: Scale, folder: Path) -> Section:
    """One writer alone, then eight together, each for the same time."""
    path = folder / "writers.db"
    with Rig(path, "FULL") as rig:
        progress = Progress("writers", _STEPS * (WRITERS + 1), until=time.monotonic() + scale.seeding)
        field = seed(rig, tasks=WRITERS + 1, steps_each=_STEPS, progress=progress)
    # A task of its own: to close what is closed writes nothing, and so would be quicker.
    single = _together(path, field.tasks[:1], scale.writing)
    eight = _together(path, field.tasks[1:], scale.writing)
    done = [tale.done for tale in eight]
    return Section(
        name="writers",
        figures=(
            alone("one writer, FULL", _rate(single), "calls/s"),
            compared(f"{WRITERS} writers, FULL, all together", _rate(eight), "calls/s", _rate(single)),
            compared("slowest writer, to the quickest", min(done), "calls", max(done), Aim(sign="≥", bound=0.5)),
            alone("longest wait of any", max(tale.longest for tale in eight) * 1e3, "ms"),
            alone("refused", sum(tale.refused for tale in eight), "calls", Aim(sign="≤", bound=0, unit=" calls")),
        ),
        notes=(f"{WRITERS} processes, {scale.writing:g} s: {', '.join(f'{n:,}' for n in done)} calls each",),
    )


def _together(path: Path, tasks: Sequence[str], seconds: float) -> list[Tale]:
    context = multiprocessing.get_context("spawn")
    barrier, tales = context.Barrier(len(tasks)), context.Queue()
    processes = [
        context.Process(target=_write, args=(path, task, seconds, barrier, tales), daemon=True) for task in tasks
    ]
    for process in processes:
        process.start()
    figures = [tales.get(timeout=_PATIENCE) for _ in processes]
    for process in processes:
        process.join(_PATIENCE)
    return figures


def _write(path: Path, task: str, seconds: float, barrier: Barrier, tales: "Queue[Tale]") -> None:
    """One writer's life."""
    with Rig(path, "FULL") as rig:
        rig.seq()
        barrier.wait(_PATIENCE)
        tales.put(_write_on(rig, task, seconds))


def _write_on(rig: Rig, task: str, seconds: float) -> Tale:
    done = refused = 0
    longest = 0.0
    begun = last = time.perf_counter()
    for tool, arguments in _endless(task):
        answered = rig.ask(tool, arguments)
        now = time.perf_counter()
        longest = max(longest, now - last)
        last = now
        done += answered.refusal is None
        refused += answered.refusal is not None
        if now - begun >= seconds:
            break
    return Tale(done, refused, longest, last - begun)


def _endless(task: str) -> Iterator[Call]:
    """Close every leaf of a task, reopen every one, and again."""
    leaves = _STEPS // GROUP * LEAVES
    targets = [{"workspace": WORKSPACE, **leaf(task, number).selector} for number in range(leaves)]
    closing = [("tasks_close_step", {**target, "checkpoints": CONFIRMED}) for target in targets]
    opening = [("tasks_progress", {**target, "completed": False}) for target in targets]
    return itertools.cycle([*closing, *opening])


def _rate(tales: Sequence[Tale]) -> float:
    return sum(tale.done for tale in tales) / max(tale.spent for tale in tales)
