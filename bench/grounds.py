"""Grounds: stores of many sizes, made alike, so that only their size can make a difference."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal, NamedTuple

from bench.rig import GROUP, Field, Rig, close, deepest_first, grow, seed
from bench.scale import Scale
from bench.timing import OutOfTime, Progress

_LEAST_TASKS: Final = 25
_STEPS_A_TASK: Final = 1_000

Spent = Literal["done", "blocked"]
Plant = Callable[[Rig, Progress], Field]


class Ground(NamedTuple):
    """A store of some size, open twice: as quick as can be, and as durable as it is by default."""

    name: str
    rig: Rig
    durable: Rig
    field: Field


class Grounds:
    """Makes stores until the time is up, and notes what it took."""

    def __init__(self, scale: Scale, folder: Path, stack: ExitStack) -> None:
        self.notes: list[str] = []
        self._scale = scale
        self._folder = folder
        self._stack = stack
        self._until = time.monotonic() + scale.seeding

    def workspaces(self) -> Iterator[Ground]:
        """Workspaces of every size, the smallest first, and one whose steps are all in one task."""
        for size in self._scale.sizes:
            yield from self._made(f"{size:,} steps", size, _many_tasks(size))
        size = self._scale.one_task
        yield from self._made(f"one task of {size:,} steps", size, _one_task(size))

    def spent(self, how: Spent) -> Iterator[Ground]:
        """A small and a big task of which all but the last ten steps are done, or blocked."""
        for size in (self._scale.sizes[0], self._scale.one_task):
            name = f"task of {size:,}, first {size - GROUP:,} {how}"
            yield from self._made(name, 2 * size, _spent_task(size, how))

    def _made(self, name: str, total: int, plant: Plant) -> Iterator[Ground]:
        path = self._folder / f"{name.replace(' ', '-').replace(',', '')}.db"
        rig = self._stack.enter_context(Rig(path, "NORMAL"))
        durable = self._stack.enter_context(Rig(path, "FULL"))
        progress = Progress(f"{name}", total, until=self._until)
        try:
            field = plant(rig, progress)
        except OutOfTime as late:
            self.notes.append(f"left out, because making it took too long: {late}")
            return
        spent = progress.finish()
        self.notes.append(f"{name}: made in {spent:.1f} s, {spent / total * 1e6:.0f} µs a change")
        yield Ground(name, rig, durable, field)


def shape(size: int) -> tuple[int, int]:
    """How many tasks a workspace of some size has, and how many steps each of them."""
    tasks = max(_LEAST_TASKS, size // _STEPS_A_TASK)
    return tasks, size // tasks // GROUP * GROUP


def _many_tasks(size: int) -> Plant:
    tasks, steps_each = shape(size)
    return lambda rig, progress: seed(rig, tasks=tasks, steps_each=steps_each, progress=progress)


def _one_task(size: int) -> Plant:
    def plant(rig: Rig, progress: Progress) -> Field:
        # The others are empty: a list has as many rows here as it has elsewhere.
        field = seed(rig, tasks=_LEAST_TASKS, steps_each=0, progress=progress)
        grow(rig, field.tasks[0], size, progress)
        return Field(field.tasks[:1], size)

    return plant


def _spent_task(size: int, how: Spent) -> Plant:
    def plant(rig: Rig, progress: Progress) -> Field:
        field = seed(rig, tasks=1, steps_each=size, progress=progress)
        for target in deepest_first(field.tasks[0], size // GROUP - 1):
            if how == "done":
                close(rig.ok, target)
            else:
                rig.ok("tasks_block", **target.selector, reason="It waits for the others.")
            progress.add(1)
        return field

    return plant
