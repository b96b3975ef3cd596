"""Closings: who closed which steps, as far as the end of the log tells."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple, Protocol, TypeVar

from gatepost.domain import places
from gatepost.domain.roots import Plan, Root
from gatepost.domain.steps import Step
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import EventRow
from gatepost.operations.done_steps import is_closing, place_of

LOOKED_BACK: Final = 300
"""How many of the newest events of a task, or of a plan's workspace, are looked through."""
_AT_ONCE: Final = timedelta(seconds=1)


class Closing(Protocol):
    """That a step was closed: in which task, by whom and when."""

    @property
    def seq(self) -> int: ...
    @property
    def root(self) -> str | None: ...
    @property
    def actor(self) -> str: ...
    @property
    def at(self) -> str: ...


C = TypeVar("C", bound=Closing)


class BulkClosing(NamedTuple):
    """Steps of one task that one actor closed in one call, or within one second."""

    actor: str
    at: str
    one_call: bool
    steps: Sequence[Found[Step]]


def latest_events(
    reader: Reader, target: Found[Root], tasks: Iterable[Found[Root]], least: int = 0
) -> list[EventRow]:
    """The newest events of a task, or of a plan and its tasks, newest first: a bounded part of the log."""
    most = max(LOOKED_BACK, least)
    if not isinstance(target.value, Plan):
        return reader.recent(most, target.place)
    mine = {target.place, *(task.place for task in tasks)}
    return [row for row in reader.recent(most, None) if row.root in mine]


def closed_in_bulk(reader: Reader, rows: Iterable[EventRow]) -> list[BulkClosing]:
    """The steps among the closings of these events that were closed together and are still done, oldest first.

    A step that was closed together with the last one below it counts as one with it.
    """
    found = []
    for group in closed_together(row for row in rows if is_closing(row)):
        at = {place: row.at for row in group if (place := place_of(reader, row)) is not None}
        done = [step for step in reader.steps(sorted(at)) if step.value.done_at == at[step.place]]
        apart = [step for step in done if not any(step.place in places.above(other.place) for other in done)]
        if len(apart) > 1:
            calls = {row.operation for row in group}
            found.append(BulkClosing(group[0].actor, group[0].at, len(calls) == 1, apart))
    return found


def closed_together(rows: Iterable[C]) -> list[list[C]]:
    """Closings of one task by one actor that follow each other at once, two or more. One call has one time."""
    groups: list[list[C]] = []
    for _, run in groupby(sorted(rows, key=lambda row: (row.root or "", row.actor, row.seq)), _whose):
        group: list[C] = []
        for row in run:
            if group and not _at_once(group[0], row):
                groups.append(group)
                group = []
            group.append(row)
        groups.append(group)
    return sorted((group for group in groups if len(group) > 1), key=lambda group: group[0].seq)


def _whose(row: Closing) -> tuple[str | None, str]:
    return row.root, row.actor


def _at_once(first: Closing, row: Closing) -> bool:
    return datetime.fromisoformat(row.at) - datetime.fromisoformat(first.at) < _AT_ONCE
