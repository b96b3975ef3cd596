"""Bulk: what one call does to many documents costs the same for each of them, however many there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import Rig
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed
from gatepost.operations.batch import MOST
from gatepost.operations.editable import MOST_STEPS

_AIM: Final = Aim(sign="≤", bound=1.5)
_CALLS: Final = ("tasks_delete", "tasks_undo", "tasks_redo")

Key = tuple[str, str, int]
"""What was called, on what, and how many documents of it."""
Given = Callable[[Rig, int], dict[str, Any]]


def measure(scale: Scale, folder: Path) -> Section:
    """Delete, undo and redo of few and of many, and calls that make many, each for one document."""
    with ExitStack() as stack:
        turns: dict[Key, Turn] = {}
        for what, given in _GIVEN.items():
            for size in scale.bulk:
                rig = stack.enter_context(Rig(folder / f"{what}-{size}.db".replace(" ", "-"), "NORMAL"))
                reversing = _Reversing(rig, given(rig, size), size)
                turns.update({(call, what, size): reversing.turn(call) for call in _CALLS})
        reversals = take_turns(turns, rounds=scale.bulk_rounds, seconds=scale.seconds, warm_up=0)
        making = take_turns(_making(stack, folder), rounds=scale.bulk_rounds, seconds=scale.seconds, warm_up=1)
    figures = [*_compared(reversals), *_compared(making)]
    return Section(name="bulk", figures=figures, notes=_whole(reversals, scale.bulk[-1]))


class _Reversing:
    """Deletes, undoes and redoes, as asked; what must have happened before is not timed."""

    def __init__(self, rig: Rig, doomed: dict[str, Any], size: int) -> None:
        self._rig = rig
        self._doomed = doomed
        self._size = size
        self._do("tasks_delete")
        self._do("tasks_undo")

    def turn(self, call: str) -> Turn:
        """One of the three, for one document."""
        return lambda: self._timed(call) / self._size

    def _timed(self, call: str) -> float:
        if (call == "tasks_undo") != self._gone:
            self._do("tasks_undo" if self._gone else "tasks_delete")
        return timed(lambda: self._do(call))

    def _do(self, call: str) -> None:
        self._rig.ok(call, **(self._doomed if call == "tasks_delete" else {}))
        self._gone = call != "tasks_undo"


def _plan_of_tasks(rig: Rig, size: int) -> dict[str, Any]:
    rig.ok("tasks_create", kind="plan", title="A plan")
    _create(rig, size, plan="PLAN-001")
    return {"task": "PLAN-001"}


def _task_of_steps(rig: Rig, size: int) -> dict[str, Any]:
    rig.ok("tasks_create", kind="task", title="A task")
    for start in range(0, size, MOST_STEPS):
        _decompose(rig, min(MOST_STEPS, size - start))
    return {"task": "TASK-001"}


def _task_with_dependents(rig: Rig, size: int) -> dict[str, Any]:
    rig.ok("tasks_create", kind="task", title="Waited for")
    _create(rig, size, depends_on=["TASK-001"])
    return {"task": "TASK-001", "force": True, "reason": "It is not needed any more."}


_GIVEN: Final[Mapping[str, Given]] = {
    "a plan of tasks": _plan_of_tasks,
    "a task of steps": _task_of_steps,
    "a task with dependents": _task_with_dependents,
}


def _making(stack: ExitStack, folder: Path) -> dict[Key, Turn]:
    rig = stack.enter_context(Rig(folder / "making.db", "NORMAL"))
    rig.ok("tasks_create", kind="task", title="A task")
    works: dict[str, tuple[Callable[[Rig, int], object], int]] = {
        "tasks_create": (_create_whole, MOST_STEPS),
        "tasks_decompose": (_decompose, MOST_STEPS),
        "tasks_batch": (_create, MOST),
    }
    return {
        (call, "one call", size): lambda work=work, size=size: timed(lambda: work(rig, size)) / size  # type: ignore[misc]  # defaults bind
        for call, (work, most) in works.items()
        for size in (most // 10, most)
    }


def _create(rig: Rig, size: int, **arguments: Any) -> None:
    for start in range(0, size, MOST):
        titles = [f"Task {number}" for number in range(start, min(start + MOST, size))]
        calls = [{"kind": "task", "title": title, **arguments} for title in titles]
        rig.ok("tasks_batch", operations=[{"tool": "tasks_create", "arguments": call} for call in calls])


def _create_whole(rig: Rig, size: int) -> None:
    rig.ok("tasks_create", kind="task", title="A task", steps=[{"title": "A step"}] * size)


def _decompose(rig: Rig, size: int) -> None:
    rig.ok("tasks_decompose", task="TASK-001", steps=[{"title": "A step"}] * size)


def _compared(times: Mapping[Key, Sequence[float]]) -> Iterator[Figure]:
    """Each against the same call on the fewest."""
    fewest: dict[tuple[str, str], float] = {}
    for (call, what, size), seconds in times.items():
        value = median(seconds, "µs")
        name = f"{call}, {what}: each of {size:,}"
        if (call, what) in fewest:
            yield compared(name, value, "µs", fewest[call, what], _AIM)
        else:
            fewest[call, what] = value
            yield alone(name, value, "µs")


def _whole(times: Mapping[Key, Sequence[float]], size: int) -> list[str]:
    """How long the writer's lock is held by the largest: everybody else waits for it."""
    return [
        f"{call} of {what}, {size:,}: {median(seconds, 'ms') * size:,.0f} ms in all"
        for (call, what, many), seconds in times.items()
        if many == size
    ]
