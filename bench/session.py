"""The session's price: dispatch against a lock and a list's append, and everything at 10 and at 100,000 entries."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed
from gatepost.runtime import Session, append, upsert_by

_FEW: Final = 10
_MANY: Final = 100_000
_SIZES: Final = (_FEW, _MANY)
_BATCH: Final = 1_000
"""Calls in a turn: one alone is shorter than what a clock can tell."""
_DISPATCH: Final = Aim(sign="≤", bound=8)
_FLAT: Final = Aim(sign="≤", bound=1.5)

_BARE: Final = "lock and append"
_APPEND: Final = "dispatch"
_UPSERT: Final = "upsert"
_SNAPSHOT: Final = "session snapshot"

Key = tuple[str, int]
"""What was called, and with how many entries there."""


@dataclass(frozen=True, slots=True)
class _Entry:
    key: int


def measure(scale: Scale, folder: Path) -> Section:  # noqa: ARG001 - a section's measure; nothing is written
    """Every call at both sizes, all in turns; times are for a thousand calls."""
    turns: dict[Key, Turn] = {}
    for size in _SIZES:
        turns[_BARE, size] = _bare(size)
        turns[_APPEND, size] = _append(size)
        turns[_UPSERT, size] = _upsert(size)
        turns[_SNAPSHOT, size] = _snapshot(size)
    times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    medians = {key: median(spent, "µs") for key, spent in times.items()}
    return Section(name="session", figures=_figures(medians), notes=[f"each figure is of {_BATCH:,} calls"])


def _figures(times: dict[Key, float]) -> list[Figure]:
    figures = [alone(_BARE, times[_BARE, _FEW], "µs")]
    for size in _SIZES:
        base = times[_BARE, size]
        figures.append(
            compared(f"dispatch / ({_BARE}), {size:,} entries", times[_APPEND, size], "µs", base, _DISPATCH)
        )
    for call in (_APPEND, _UPSERT, _SNAPSHOT):
        few, many = times[call, _FEW], times[call, _MANY]
        figures.append(alone(f"{call}, {_FEW} entries", few, "µs"))
        figures.append(compared(f"{call}, {_MANY:,} entries / {_FEW}", many, "µs", few, _FLAT))
    return figures


def _bare(size: int) -> Turn:
    """What dispatch is measured by: nothing less could append from many threads."""
    lock, entry = threading.Lock(), _Entry(0)

    def turn() -> float:
        items = [entry] * size
        items.append(entry)  # a list that is exactly full grows first, as it does after a session's restoring

        def work() -> None:
            for _ in range(_BATCH):
                with lock:
                    items.append(entry)

        return timed(work)

    return turn


def _append(size: int) -> Turn:
    return _dispatching(size, _appending(), _Entry)


def _upsert(size: int) -> Turn:
    # Keys that are there: each call puts a value in the place of another.
    return _dispatching(size, _upserting(), lambda number: _Entry(number % size))


def _dispatching(size: int, session: Session, entry: Callable[[int], _Entry]) -> Turn:
    """Dispatch so many more, and then go back to the size, untimed."""
    for number in range(size):
        session.dispatch(_Entry(number))
    entries = [entry(number) for number in range(_BATCH)]
    start = session.snapshot()

    def turn() -> float:
        session.restore(start)
        session.dispatch(entries[0])  # the first change after a restoring copies; what comes after is what counts

        def work() -> None:
            for each in entries:
                session.dispatch(each)

        return timed(work)

    return turn


def _snapshot(size: int) -> Turn:
    session = _appending()
    for number in range(size):
        session.dispatch(_Entry(number))

    def work() -> None:
        for _ in range(_BATCH):
            session.snapshot()

    return lambda: timed(work)


def _appending() -> Session:
    session = Session()
    session[_Entry].register(_Entry, append)
    return session


def _upserting() -> Session:
    session = Session()
    session[_Entry].register(_Entry, upsert_by(_key))
    return session


def _key(entry: _Entry) -> int:
    return entry.key
