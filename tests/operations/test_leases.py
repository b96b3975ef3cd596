"""Leases: a claim lives as long as its session shows signs of life."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import msgspec
import pytest

from gatepost.engine import leases, processes
from gatepost.engine.caller import Caller
from gatepost.engine.clock import later
from gatepost.engine.engine import Engine
from gatepost.engine.port import Ask, StoreSnapshot
from gatepost.operations.answer import answer
from gatepost.storage.sqlite.connection_pool import Patience
from gatepost.storage.sqlite.store import SqliteStore
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


@pytest.mark.requirement("crew.claims.ends")
def test_rows_count_only_claims_that_live(world: World, clock: SetClock) -> None:
    plan = world.plan()
    task = world.task("first", "second", plan=plan)
    dead = Caller("agent:coder", session="two", process=GONE)

    by(world, dead, "tasks_claim", task=task)
    assert [row.get("claimed") for row in world.ok("tasks_context")["items"]] == [None, None]
    by(world, BOB, "tasks_claim", task=task, ttl_s=60)
    by(world, ANN, "tasks_claim", task=task, path="s:1", ttl_s=120)
    world.caller = Caller("asker", session="asker")
    for living in (2, 1, None):
        rows = [
            *world.ok("tasks_context")["items"],
            *world.ok("tasks_context", text="login")["items"][-1:],
            world.ok("tasks_resume", task=task)["target"],
            *world.ok("tasks_resume", plan=plan)["tasks"],
        ]
        assert [row.get("claimed") for row in rows] == [living] * len(rows)
        clock.wait(60)


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


@pytest.mark.requirement("crew.claims.ends")
def test_a_claim_made_while_the_clock_was_ahead_does_not_outlive_its_term_by_that(
    world: World, clock: SetClock
) -> None:
    task = world.task("first", "second")
    clock.wait(24 * 3600)
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    clock.wait(-24 * 3600)

    assert held(world, task) == []
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)
    clock.wait(-30)
    assert held(world, task) == ["s:0"]
    clock.wait(90)
    assert held(world, task) == []


def test_a_longer_term_can_be_asked_for_again(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, ttl_s=60)

    again = by(world, ANN, "tasks_claim", task=task, ttl_s=600)

    assert (again["until"], clock.at) == ("2026-01-01T00:10:00.000Z", "2026-01-01T00:00:00.000Z")
    world.no("INVALID_INPUT", "tasks_claim", task=task, ttl_s=9)
    world.no("INVALID_INPUT", "tasks_claim", task=task, ttl_s=7 * 24 * 3600 + 1)


def test_a_claim_that_ended_below_a_newer_one_does_not_come_back(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    by(world, ANN, "tasks_claim", task=task, path="s:0.s:0", ttl_s=60)
    clock.wait(120)

    by(world, BOB, "tasks_claim", task=task, path="s:0")
    by(world, ANN, "tasks_radar", task=task)

    refused(world, ANN, "tasks_define", task=task, path="s:0.s:0", title="Mine")
    by(world, BOB, "tasks_define", task=task, path="s:0.s:0", title="Mine")


def test_a_whole_claim_ends_what_had_ended_in_the_task(world: World, clock: SetClock) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task, path="s:0", ttl_s=60)
    clock.wait(120)

    by(world, BOB, "tasks_claim", task=task, whole=True)
    by(world, ANN, "tasks_radar", task=task)

    refused(world, ANN, "tasks_define", task=task, path="s:0", title="Mine")
    by(world, BOB, "tasks_define", task=task, path="s:0", title="Mine")


def test_a_renewal_waits_for_no_other_writer_and_the_next_call_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, path = SetClock(), str(tmp_path / "gp.db")
    engine, other = Engine(SqliteStore(path), clock), SqliteStore(path)
    told(engine, "tasks_create", kind="task", title="Login", steps=[{"title": "first"}])
    told(engine, "tasks_claim", ttl_s=60)
    clock.wait(30)

    with monkeypatch.context() as patched:
        patched.setattr(Patience, "__call__", _never)
        with other.writing("acme/repo"):
            told(engine, "tasks_radar")
    clock.wait(20)
    told(engine, "tasks_radar")
    clock.wait(30)

    with engine.store.reading("acme/repo") as snapshot:
        assert snapshot.lease(ANN.holder_name) == "2026-01-01T00:00:50.000Z"
    assert "claim" in told(engine, "tasks_radar")["now"]
    engine.store.close()
    other.close()


@pytest.mark.requirement("crew.claims.renewed")
def test_what_a_session_claims_while_another_call_of_it_reads_is_renewed_too(tmp_path: Path) -> None:
    """Clients make several calls at once: one of them looks before the claim is there, and ends after it."""
    clock, store = SetClock(), SqliteStore(str(tmp_path / "gp.db"))
    told(Engine(store, clock), "tasks_create", kind="task", title="Login", steps=[{"title": "first"}])
    engine = Engine(store, clock)  # which knows nothing of the session yet
    opened = store.reading

    @contextmanager
    def opened_before_the_claim(workspace: str, first: Ask | None = None) -> Iterator[StoreSnapshot]:
        with opened(workspace, first) as snapshot:
            snapshot.head()
            store.reading = opened  # type: ignore[method-assign]
            claiming = Thread(target=told, args=(engine, "tasks_claim"), kwargs={"ttl_s": 60})
            claiming.start()
            claiming.join()
            yield snapshot

    store.reading = opened_before_the_claim  # type: ignore[method-assign]
    engine.read("acme/repo", ANN, lambda reader: reader.head())
    clock.wait(50)
    told(engine, "tasks_radar")

    with store.reading("acme/repo") as snapshot:
        assert snapshot.lease(ANN.holder_name) == clock.at
    store.close()


@pytest.mark.requirement("crew.claims.renewed")
def test_what_a_person_claims_elsewhere_is_renewed_by_the_calls_that_are_made_here(
    world: World, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person is one holder on the page, in the terminal and on the command line."""
    task = world.task("first")
    by(world, ANN, "tasks_radar", task=task)
    here = world.engine
    world.engine = Engine(world.store, clock)
    by(world, ANN, "tasks_claim", task=task)
    world.engine = here

    for number in range(1, 4):
        clock.wait(14 * 60)
        monkeypatch.setattr(leases, "monotonic", lambda: monotonic() + number * 14 * 60)  # noqa: B023 - used at once
        by(world, ANN, "tasks_radar", task=task)

    assert held(world, task) == ["s:0"]


def told(engine: Engine, tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply to a call of Ann."""
    answered = answer(engine, tool, {"workspace": "acme/repo", **arguments}, ANN)
    assert answered.refusal is None, answered.text
    reply: dict[str, Any] = msgspec.json.decode(answered.text)
    return reply


def _never(*_: object) -> bool:
    raise AssertionError("a read waited for a writer")
