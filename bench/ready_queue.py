"""The ready queue: the same pages of few and of many ready tasks, in turns."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bench.figures import Aim, Section, compared, median
from bench.rig import WORKSPACE, Rig
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed
from gatepost.domain import terms
from gatepost.engine.caller import Caller
from gatepost.operations.batch import MOST
from gatepost.operations.ready_queue import next_ready

_AIM: Final = Aim(sign="≤", bound=2.0)
_PAGE: Final = 20
_TASKS_A_PLAN: Final = 100
_FIRST: Final = "the first step to claim"
_PAGES: Final[dict[str, dict[str, Any]]] = {
    "the first page": {},
    "a page in the middle": {"cursor": ""},
    "of one plan": {"plan": "PLAN-003"},
    "of the lowest priority": {"priority": "LOW"},
    "with a tag of every other task": {"tag": "usual"},
    "with a tag of 20 tasks": {"tag": "rare"},
}


def measure(scale: Scale, folder: Path) -> Section:
    """Every page of the queue of many tasks against the same one of few."""
    sizes = scale.sizes[:2]
    turns: dict[tuple[str, int], Turn] = {}
    with ExitStack() as stack:
        for size in sizes:
            rig = stack.enter_context(Rig(folder / f"queue-{size}.db", "NORMAL"))
            _fill(rig, size)
            turns |= {(name, size): _Asking(rig, page) for name, page in _PAGES.items()}
            turns[_FIRST, size] = _Looking(rig)
        os.sync()
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    figures = []
    for name in (_FIRST, *_PAGES):
        base = median(times[name, sizes[0]], "µs")
        for size in sizes:
            value = median(times[name, size], "µs")
            figures.append(
                compared(f"{name}: {size:,} tasks", value, "µs", base, None if size == sizes[0] else _AIM)
            )
    return Section(name="queue", figures=figures)


class _Asking:
    """Lists what is ready; for a page in the middle, after the first ones of a middle priority."""

    def __init__(self, rig: Rig, page: dict[str, Any]) -> None:
        self._rig = rig
        self._page = page
        if "cursor" in page:
            before = json.loads(rig.ok("tasks_context", ready=True, limit=_PAGE, priority="MEDIUM"))
            self._page = {"cursor": before["cursor"]}

    def __call__(self) -> float:
        return timed(lambda: self._rig.ok("tasks_context", ready=True, limit=_PAGE, **self._page))


class _Looking:
    """Looks for the first step to work on, as a claim does."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._caller = Caller("bench")

    def __call__(self) -> float:
        read = self._rig.engine.read
        return timed(lambda: read(WORKSPACE, self._caller, next_ready))


def _fill(rig: Rig, size: int) -> None:
    for calls in (_plans(size // _TASKS_A_PLAN), _tasks(size)):
        while operations := list(islice(calls, MOST)):
            rig.ok("tasks_batch", operations=operations)


def _plans(size: int) -> Iterator[dict[str, Any]]:
    for number in range(1, size + 1):
        yield {"tool": "tasks_create", "arguments": {"kind": "plan", "title": f"Plan {number}"}}


def _tasks(size: int) -> Iterator[dict[str, Any]]:
    """Ready tasks, each with a step: in every plan all priorities, each with and without a tag."""
    plans = size // _TASKS_A_PLAN
    for number in range(size):
        of_plan = number // plans
        yield {
            "tool": "tasks_create",
            "arguments": {
                "kind": "task",
                "title": f"Task {number}",
                "plan": f"PLAN-{number % plans + 1:03d}",
                "priority": terms.PRIORITIES[of_plan // 2 % 4],
                "tags": ["usual"] * (of_plan % 2) + ["rare"] * (number % (size // 20) == 0),
                "steps": [{"title": "step"}],
            },
        }
