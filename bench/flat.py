"""Flat cost: the same calls in small and large workspaces, and in one large task, in turns."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from bench.figures import Aim, Figure, Section, compared, median
from bench.grounds import Ground, Grounds
from bench.rig import Closing
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed

_AIM: Final = Aim(sign="≤", bound=1.5)
_PAGE: Final = 20

_CLOSE: Final = "close, NORMAL"
_DURABLE_CLOSE: Final = "close, FULL"
_RADAR: Final = "radar"
_DELTA: Final = "delta"
_CONTEXT: Final = "context"
_RESUME: Final = "resume"
_CALLS: Final = (_CLOSE, _DURABLE_CLOSE, _RADAR, _DELTA, _CONTEXT, _RESUME)

Key = tuple[str, str]
"""What was called, and where."""


def measure(scale: Scale, folder: Path) -> Section:
    """Every call on every ground, each against the smallest ground."""
    with ExitStack() as stack:
        making = Grounds(scale, folder, stack)
        grounds = list(making.workspaces())
        pairs = [list(making.spent("done")), list(making.spent("blocked"))]
        turns = {key: turn for ground in grounds for key, turn in _turns(ground)}
        turns.update(((_RADAR, ground.name), _Asking(ground, _RADAR)) for pair in pairs for ground in pair)
        times = take_turns(turns, rounds=scale.rounds, seconds=2 * scale.seconds)
        # Apart: a connection whose file another one writes loses its cache each time.
        durable: dict[Key, Turn] = {
            (_DURABLE_CLOSE, ground.name): Closing(ground.durable, ground.field) for ground in grounds
        }
        times |= take_turns(durable, rounds=scale.rounds, seconds=scale.seconds)
    figures = [figure for call in _CALLS for figure in _compared(times, call, grounds)]
    figures += [figure for pair in pairs for figure in _compared(times, _RADAR, pair)]
    return Section(name="flat", figures=figures, notes=making.notes)


def _turns(ground: Ground) -> Iterator[tuple[Key, Turn]]:
    yield (_CLOSE, ground.name), Closing(ground.rig, ground.field)
    for call in (_RADAR, _DELTA, _CONTEXT, _RESUME):
        yield (call, ground.name), _Asking(ground, call)


def _compared(times: Mapping[Key, Sequence[float]], call: str, grounds: Sequence[Ground]) -> Iterator[Figure]:
    smallest = median(times[call, grounds[0].name], "µs")
    for ground in grounds:
        value = median(times[call, ground.name], "µs")
        aim = None if ground is grounds[0] else _AIM
        yield compared(f"{call}: {ground.name}", value, "µs", smallest, aim)


class _Asking:
    """Asks about some task, or about the workspace."""

    def __init__(self, ground: Ground, call: str) -> None:
        self._ground = ground
        self._call = call
        self._chance = random.Random(2)

    def __call__(self) -> float:
        arguments = self._arguments()
        return timed(lambda: self._ground.rig.ok(f"tasks_{self._call}", **arguments))

    def _arguments(self) -> dict[str, Any]:
        if self._call == _DELTA:
            return {"since": self._ground.rig.seq() - _PAGE}
        if self._call == _CONTEXT:
            return {"limit": _PAGE}
        task = self._chance.choice(self._ground.field.tasks)
        return {"task": task, "limit": _PAGE} if self._call == _RESUME else {"task": task}
