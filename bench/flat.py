"""Flat cost: the same calls in small and large workspaces, and in one large task, in turns."""

import os
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
        times = _measured(scale, grounds, [*grounds, *pairs[0], *pairs[1]])
    figures = [figure for call in _CALLS for figure in _compared(times, call, grounds)]
    figures += [figure for pair in pairs for figure in _compared(times, _RADAR, pair)]
    return Section(name="flat", figures=figures, notes=making.notes)


def _measured(scale: Scale, grounds: Sequence[Ground], radars: Sequence[Ground]) -> Mapping[Key, Sequence[float]]:
    """In loops apart, because a connection whose file another one writes loses its cache."""
    closing: dict[Key, Turn] = {(_CLOSE, ground.name): Closing(ground.rig.ok, ground.field) for ground in grounds}
    durable: dict[Key, Turn] = {
        (_DURABLE_CLOSE, ground.name): Closing(ground.durable.ok, ground.field) for ground in grounds
    }
    asking: dict[Key, Turn] = {
        (call, ground.name): _Asking(ground, call) for ground in grounds for call in (_DELTA, _CONTEXT, _RESUME)
    }
    asking.update(((_RADAR, ground.name), _Asking(ground, _RADAR)) for ground in radars)
    times: dict[Key, Sequence[float]] = {}
    os.sync()  # what the seeding left for the kernel to write would be paid for by whoever writes next
    for turns in (closing, durable, asking):
        times |= take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    return times


def _compared(times: Mapping[Key, Sequence[float]], call: str, grounds: Sequence[Ground]) -> Iterator[Figure]:
    for ground in grounds:
        smallest = median(times[call, grounds[0].name], "µs")
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
