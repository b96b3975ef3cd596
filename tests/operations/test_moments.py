"""Moments: a `seq` or a time leads to the last operation at or before it."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.engine.reader import Reader
from gatepost.engine.rows import OperationRow
from gatepost.operations.moments import Moment, operation_at
from tests.givens import World, worlds


def found(world: World, moment: int | str) -> OperationRow | None:
    """What a moment leads to."""

    def ask(reader: Reader) -> OperationRow | None:
        return operation_at(reader, moment, field="at")

    return world.engine.read(world.workspace, world.caller, ask)


def operations(world: World) -> list[OperationRow]:
    """All of them, the oldest first."""
    rows = world.engine.read(world.workspace, world.caller, lambda reader: reader.operations(2**53, 1_000, None))
    return rows[::-1]


def some_history(world: World) -> None:
    task = world.task("first", "second")
    world.ok("tasks_edit", task=task, title="Better")
    world.close(task, "s:0")
    world.ok("tasks_note", task=task, note="Seen.")


@pytest.mark.requirement("history.moment.seq-or-time")
def test_a_seq_leads_to_the_operation_that_it_is_in(world: World) -> None:
    some_history(world)

    for row in operations(world):
        for seq in range(row.operation, row.last_seq + 1):
            assert found(world, seq) == row


def test_nothing_is_before_the_first_operation(world: World) -> None:
    assert found(world, 0) is None
    assert found(world, "2026-01-01") is None

    some_history(world)

    assert found(world, 0) is None
    assert found(world, "2025-12-31") is None


@pytest.mark.requirement("history.moment.seq-or-time")
def test_a_time_leads_to_the_last_operation_at_or_before_it(world: World) -> None:
    some_history(world)

    for row, later in pairwise(operations(world)):
        assert found(world, row.at) == row
        just_before = datetime.fromisoformat(later.at) - timedelta(milliseconds=1)
        assert found(world, just_before.isoformat()) == row
    last = operations(world)[-1]
    soon = datetime.fromisoformat(last.at) + timedelta(seconds=30)
    assert found(world, soon.isoformat()) == last


def test_a_time_in_another_zone_is_the_same_moment(world: World) -> None:
    some_history(world)

    for row in operations(world):
        there = datetime.fromisoformat(row.at).astimezone(timezone(timedelta(hours=-7, minutes=-30)))
        assert found(world, there.isoformat()) == row
        assert found(world, row.at.lower().replace("t", " ")) == row


@pytest.mark.parametrize("time", ["2026-02-30", "2026-01-01T25:00:00Z", "0001-01-01T00:00:00+23:00"])
def test_a_time_that_no_calendar_has_is_refused(world: World, time: str) -> None:
    some_history(world)

    with pytest.raises(InvalidInput) as refused:
        found(world, time)

    assert time in refused.value.message


def test_a_seq_after_the_newest_is_refused_and_the_newest_named(world: World) -> None:
    some_history(world)
    newest = operations(world)[-1].last_seq

    with pytest.raises(InvalidInput) as refused:
        found(world, newest + 1)

    assert f"at most {newest}" in refused.value.message


def test_a_time_to_come_is_refused_with_the_time_and_the_newest_seq(world: World) -> None:
    some_history(world)
    newest = operations(world)[-1].last_seq

    with pytest.raises(InvalidInput) as refused:
        found(world, "2099-01-01")

    assert "is in the future: it is 2026-01-01T" in refused.value.message
    assert f"the newest seq is {newest}" in refused.value.message


def test_in_a_batch_the_calls_before_are_no_operation_yet(world: World) -> None:
    create = {"tool": "tasks_create", "arguments": {"kind": "task", "title": "New"}}
    diffs = [{"tool": "tasks_diff", "arguments": {"from": since}} for since in (0, "2025-12-31", "2026-01-01")]

    results = world.ok("tasks_batch", operations=[create, *diffs])["results"]

    assert [result["documents"] for result in results[1:]] == [[], [], []]


@pytest.mark.parametrize("text", ["3", "yesterday", "2h", "2026", "2026-01-01T10:00", "2026-01-01T10:00:00", ""])
def test_what_is_neither_a_seq_nor_a_time_is_no_moment(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(text, Moment)


@given(steps=st.integers(1, 30), seconds=st.integers(-5, 40))
def test_the_search_by_halves_finds_what_a_look_at_every_operation_finds(steps: int, seconds: int) -> None:
    for world in worlds("memory", Path()):
        task = world.task()
        for number in range(steps):
            world.ok("tasks_edit", task=task, title=f"Title {number}")
        time = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)

        expected = [row for row in operations(world) if datetime.fromisoformat(row.at) <= time]

        assert found(world, time.isoformat()) == (expected[-1] if expected else None)
