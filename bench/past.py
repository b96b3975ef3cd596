"""The past: views of a plan and a task as they were, beside few and many other tasks, and beside those of now.

Half of the others are older than the moment that is looked at, half are newer.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.figures import Aim, Figure, Section, compared, median
from bench.rig import CONFIRMED, Rig
from bench.scale import Scale
from bench.timing import OutOfTime, Progress, Turn, take_turns, timed

_AIM: Final = Aim(sign="≤", bound=1.5)
_TASKS: Final = 20
_STEPS: Final = 10
_BATCH: Final = 100
_TARGETS: Final[Mapping[str, dict[str, str]]] = {"task": {"task": "TASK-001"}, "plan": {"plan": "PLAN-001"}}
_VIEWS: Final = ("radar", "mirror", "resume", "handoff")

Key = tuple[str, int, bool]
"""What is asked for, beside how many others, and whether it is the past."""


def measure(scale: Scale, folder: Path) -> Section:
    """Every view of now and of the past, in turns."""
    sizes, notes = scale.sizes[:2], list[str]()
    turns: dict[Key, Turn] = {}
    with ExitStack() as stack:
        for size in sizes:
            rig = stack.enter_context(Rig(folder / f"{size}.db", "NORMAL"))
            progress = Progress(f"{size:,} other tasks", size, until=time.monotonic() + scale.seeding)
            try:
                moment = _made(rig, size, progress)
            except OutOfTime as late:
                notes.append(f"left out, because making it took too long: {late}")
                continue
            progress.finish()
            turns |= {
                key: partial(timed, partial(rig.ok, tool, **given)) for key, tool, given in _asked(size, moment)
            }
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    return Section(name="past", figures=list(_compared(times)), notes=notes)


def _asked(size: int, moment: int) -> Iterator[tuple[Key, str, dict[str, Any]]]:
    for past in (False, True):
        at = {"at": moment} if past else {}
        for name, target in _TARGETS.items():
            for view in _VIEWS:
                yield (f"{view} of a {name}", size, past), f"tasks_{view}", {**target, **at}
        yield ("a page of all tasks", size, past), "tasks_context", {"kind": "task", **at}


def _compared(times: Mapping[Key, Sequence[float]]) -> Iterator[Figure]:
    """Each against the same view beside the fewest others; and the past against now."""
    fewest = min(size for _, size, _ in times)
    for (what, size, past), found in times.items():
        if past:
            now = median(times[what, size, False], "µs")
            yield compared(f"{what} as it was, {size:,} others, against now", median(found, "µs"), "µs", now)
            if size != fewest:
                base = median(times[what, fewest, True], "µs")
                yield compared(
                    f"{what} as it was, against {fewest:,} others", median(found, "µs"), "µs", base, _AIM
                )


def _made(rig: Rig, others: int, progress: Progress) -> int:
    """A plan that goes on before and after a moment, among others; that moment."""
    rig.ok("tasks_create", kind="plan", title="The plan", description="Because it must be done.")
    for _ in range(_TASKS):
        steps = [{"title": f"Step {number}", "criteria": ["It does."]} for number in range(_STEPS)]
        rig.ok("tasks_create", kind="task", title="A task", plan="PLAN-001", steps=steps)
    _add_others(rig, others // 2, progress)
    _close(rig, 0)
    moment = rig.seq()
    _add_others(rig, others - others // 2, progress)
    _close(rig, 1)
    return moment


def _add_others(rig: Rig, count: int, progress: Progress) -> None:
    call = {
        "tool": "tasks_create",
        "arguments": {"kind": "task", "title": "Another", "steps": [{"title": "Do it"}]},
    }
    while count:
        size = min(count, _BATCH)
        rig.ok("tasks_batch", operations=[call] * size)
        progress.add(size)
        count -= size


def _close(rig: Rig, step: int) -> None:
    for number in range(1, _TASKS + 1):
        rig.ok("tasks_close_step", task=f"TASK-{number:03d}", path=f"s:{step}", checkpoints=CONFIRMED)
