"""Moments as people type them, and `gatepost log --since`."""

import re
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta

import pytest

from gatepost.surfaces.cli.moments import moment
from tests.cli.givens import Desk


def time_of(word: str) -> datetime:
    found = moment(word)
    assert isinstance(found, str)
    return datetime.fromisoformat(found)


def test_a_number_is_a_seq() -> None:
    assert moment("120") == 120


@pytest.mark.parametrize(
    ("word", "ago"),
    [
        ("30m", timedelta(minutes=30)),
        ("2h", timedelta(hours=2)),
        ("3d", timedelta(days=3)),
        ("1w", timedelta(weeks=1)),
    ],
)
def test_a_length_of_time_goes_back_from_now(word: str, ago: timedelta) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)

    found = time_of(word)

    assert before <= found + ago <= datetime.now(UTC)


def test_today_and_yesterday_begin_at_local_midnight() -> None:
    today, yesterday = (time_of(word).astimezone() for word in ("today", "yesterday"))

    for then in (today, yesterday):
        assert (then.hour, then.minute, then.second, then.microsecond) == (0, 0, 0, 0)
    assert today.date() - yesterday.date() == timedelta(days=1)
    assert datetime.now().astimezone() - today < timedelta(days=1, hours=1)


def test_a_time_without_a_zone_is_local_and_one_with_a_zone_is_not() -> None:
    assert time_of("2026-03-04") == datetime(2026, 3, 4).astimezone()
    assert time_of("2026-03-04T05:06") == time_of("2026-03-04 05:06:00") == datetime(2026, 3, 4, 5, 6).astimezone()
    assert time_of("2026-03-04T05:06Z") == datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
    assert time_of("2026-03-04T05:06+02:00") == datetime(2026, 3, 4, 3, 6, tzinfo=UTC)


@pytest.mark.parametrize("word", ["", "later", "h", "2y", "-1", "2026-02-30", "2026-W10-1", "9999999d", "٣"])
def test_what_is_no_moment_is_refused_with_what_would_be_one(word: str) -> None:
    with pytest.raises(ArgumentTypeError, match="yesterday"):
        moment(word)


def test_the_log_since_a_time_is_what_came_after_it(desk: Desk) -> None:
    task = desk.world.task("First")
    cut = desk.world.ok("tasks_delta")["events"][-1]
    desk.world.close(task, "s:0")

    since = desk.here("log", "--since", cut["at"]).out

    assert since == desk.here("log", "--since", str(cut["seq"])).out
    assert re.findall("step_[a-z]+", since) == ["step_verified", "step_done"]
    assert desk.here("log", "--since", "2025-12-01", "-q").out.split() == ["1", "2", "3", "4"]


def test_the_log_says_that_nothing_happened_since(desk: Desk) -> None:
    desk.world.task("First")

    assert "No events in acme/repo since 20" in desk.here("log", "--since", "1m").out
