"""Word search: the same questions to few and to many tasks, and to few beside many, in turns."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.figures import Aim, Figure, Section, compared, median
from bench.rig import Rig
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed
from gatepost.operations.batch import MOST

_AIM: Final = Aim(sign="≤", bound=3.0)
_PAGE: Final = 20
_BESIDE: Final = "acme/small"
_QUESTIONS: Final[dict[str, str]] = {
    "a word in every title": "number",
    "its beginning": "num",
    "a digit that many words begin with": "1",
    "two words in half of the titles": "number left",
    "two words that never meet": "left right",
    "a word in 20 titles and one in every title": "rare number",
    "a word in one title": "needle",
    "a word in none": "nowhere",
}


class _Place(NamedTuple):
    name: str
    rig: Rig
    workspace: dict[str, str]


def measure(scale: Scale, folder: Path) -> Section:
    """Every question in every place, each against the fewest tasks."""
    few, many = scale.sizes[:2]
    with ExitStack() as stack:
        small, large = (stack.enter_context(Rig(folder / f"words-{size}.db", "NORMAL")) for size in (few, many))
        _fill(small, few)
        _fill(large, many)
        _fill(large, few, workspace=_BESIDE)
        places = [
            _Place(f"{few:,} tasks", small, {}),
            _Place(f"{many:,} tasks", large, {}),
            _Place(f"{few:,} tasks beside {many:,}", large, {"workspace": _BESIDE}),
        ]
        turns: dict[tuple[str, str], Turn] = {
            (question, place.name): _Asking(place, text)
            for question, text in _QUESTIONS.items()
            for place in places
        }
        os.sync()
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    figures = [figure for question in _QUESTIONS for figure in _compared(times, question, places)]
    return Section(name="words", figures=figures)


def _fill(rig: Rig, size: int, **where: str) -> None:
    """Tasks with a number in each title, the two sides in turn, a rare word here and there, and a needle."""
    tasks = iter([_task(number, size) for number in range(size)])
    while operations := list(islice(tasks, MOST)):
        rig.ok("tasks_batch", operations=operations, **where)


def _task(number: int, size: int) -> dict[str, Any]:
    side = "left" if number % 2 else "right"
    rare = "" if number % max(1, size // 20) else " rare"
    title = f"Task number {number} {side}{rare}{' needle' if number == size // 2 else ''}"
    return {"tool": "tasks_create", "arguments": {"kind": "task", "title": title}}


class _Asking:
    """Asks for a page of what is found."""

    def __init__(self, place: _Place, text: str) -> None:
        self._place = place
        self._text = text

    def __call__(self) -> float:
        rig, where = self._place.rig, self._place.workspace
        return timed(lambda: rig.ok("tasks_context", text=self._text, limit=_PAGE, **where))


def _compared(
    times: Mapping[tuple[str, str], Sequence[float]], question: str, places: Sequence[_Place]
) -> Iterator[Figure]:
    base = median(times[question, places[0].name], "µs")
    for place in places:
        aim = None if place is places[0] else _AIM
        yield compared(f"{question}: {place.name}", median(times[question, place.name], "µs"), "µs", base, aim)
