"""Leases: a claim lives as long as its session shows signs of life."""

from collections.abc import Callable
from typing import Any

import pytest

from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.clock import later
from gatepost.engine.engine import Engine
from tests.givens import CONFIRMED, World
from tests.operations.test_claims import ANN, BOB, by, refused

HERE = processes.this()
GONE = HERE.rpartition("/")[0] + "/0"
"""A process that ended, and left its number to this one."""


class SetClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = "2026-01-01T00:00:00.000Z"

    def now(self) -> str:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at = later(self.at, seconds)


@pytest.fixture
def clock(world: World) -> SetClock:
    made = SetClock()
    world.engine = Engine(world.store, made)
    return made


def held(world: World, task: str) -> list[str]:
    """What somebody else than the asker holds."""
    found = by(world, Caller("asker", session="asker"), "tasks_radar", task=task)
    return [item["path"] for item in found.get("held", ())]


@pytest.mark.requirement("crew.claims.ends")
def test_a_claim_by_time_ends_after_its_term(world: World, clock: SetClock) -> None:
    task = world.task("first")
    claimed = by(world, ANN, "tasks_claim", task=task, ttl_s=60)

    assert claimed["until"] == "2026-01-01T00:01:00.000Z"
    clock.wait(59.999)
    assert held(world, task) == ["s:0"]
    clock.wait(0.001)
    assert held(world, task) == []
    assert by(world, BOB, "tasks_claim", task=task)["step"]["path"] == "s:0"
    refused(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)


CALLS: dict[str, Callable[[World, str], Any]] = {
    "read": lambda world, task: by(world, ANN, "tasks_radar", task=task),
    "write": lambda world, task: by(world, ANN, "tasks_note", task=task, note="Still at it."),
    "unchanged write": lambda world, task: by(world, ANN, "tasks_claim", task=task),
    "refused write": lambda world, _: world.no("UNKNOWN_ID", "tasks_note", task="TASK-404", note="x"),
    "refused read": lambda world, _: world.no("UNKNOWN_ID", "tasks_radar", task="TASK-404"),
}


@pytest.mark.requirement("crew.claims.renewed")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_any_call_of_the_session_renews_its_claims(
    world: World, clock: SetClock, call: Callable[[World, str], Any]
) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    for _ in range(5):
        clock.wait(50)
        world.caller = ANN
        call(world, task)

    clock.wait(59)
    assert held(world, task) == ["s:0"]
    clock.wait(2)
    assert held(world, task) == []


def test_calls_of_others_renew_nothing(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    namesake = Caller(ANN.actor, session="another-session")

    clock.wait(50)
    by(world, namesake, "tasks_radar", task=task)
    clock.wait(10)

    assert held(world, task) == []


@pytest.mark.requirement("crew.claims.renewed")
def test_a_renewal_leaves_the_log_as_it_is_and_comes_after_a_quarter_of_the_term(
    world: World, clock: SetClock
) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=400)
    before = world.everything()
    seen = []

    for _ in range(5):
        clock.wait(50)
        by(world, ANN, "tasks_radar", task=task)
        with world.store.reading(world.workspace) as snapshot:
            seen.append(snapshot.lease(ANN.holder_name))

    assert world.everything() == before
    assert seen == [
        None,
        "2026-01-01T00:01:40.000Z",
        "2026-01-01T00:01:40.000Z",
        "2026-01-01T00:03:20.000Z",
        "2026-01-01T00:03:20.000Z",
    ]


@pytest.mark.requirement("crew.claims.ends")
def test_a_claim_ends_with_its_process_and_needs_no_clean_up(world: World, clock: SetClock) -> None:
    task = world.task("first", "second")
    alive, dead = (Caller("agent:coder", session=name, process=it) for name, it in (("one", HERE), ("two", GONE)))

    by(world, alive, "tasks_claim", task=task)
    by(world, dead, "tasks_claim", task=task)

    assert held(world, task) == ["s:0"]
    assert by(world, BOB, "tasks_claim", task=task)["step"]["path"] == "s:1"
    clock.wait(4 * 3600 - 1)
    assert held(world, task) == ["s:0"]
    clock.wait(1)
    assert held(world, task) == []


def test_the_next_call_of_a_session_keeps_what_nobody_took_meanwhile(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    clock.wait(100)

    assert by(world, ANN, "tasks_claim", task=task)["step"]["path"] == "s:0"

    assert held(world, task) == ["s:0"]


def test_another_engine_knows_the_claims_of_a_session(world: World, clock: SetClock) -> None:
    """A command line is a new process with each call."""
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    for _ in range(3):
        clock.wait(50)
        world.engine = Engine(world.store, clock)
        by(world, ANN, "tasks_radar", task=task)

    assert held(world, task) == ["s:0"]


def test_a_longer_term_can_be_asked_for_again(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)

    again = by(world, ANN, "tasks_claim", task=task, ttl_s=600)

    assert (again["until"], clock.at) == ("2026-01-01T00:10:00.000Z", "2026-01-01T00:00:00.000Z")
    world.no("INVALID_INPUT", "tasks_claim", task=task, ttl_s=9)
    world.no("INVALID_INPUT", "tasks_claim", task=task, ttl_s=7 * 24 * 3600 + 1)
