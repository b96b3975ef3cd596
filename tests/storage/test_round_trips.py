"""Round trips to PostgreSQL: a call costs a handful, no matter how much it shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests import postgres
from tests.givens import CONFIRMED, World
from tests.round_trips import RoundTrips, counting_round_trips

READS = [
    pytest.param("tasks_radar", {"task": "TASK-001"}, 4, id="radar of a task"),
    pytest.param("tasks_radar", {"plan": "PLAN-001"}, 6, id="radar of a plan"),
    pytest.param("tasks_radar", {}, 6, id="radar of a workspace"),
    pytest.param("tasks_context", {"limit": 50}, 4, id="context"),
    pytest.param("tasks_context", {"ready": True, "limit": 50}, 7, id="ready"),
    pytest.param("tasks_context", {"text": "sub", "limit": 50}, 7, id="search"),
    pytest.param("tasks_handoff", {"task": "TASK-001"}, 5, id="handoff of a task"),
    pytest.param("tasks_handoff", {"plan": "PLAN-001"}, 6, id="handoff of a plan"),
    pytest.param("tasks_resume", {"task": "TASK-001"}, 5, id="resume"),
    pytest.param("tasks_mirror", {"plan": "PLAN-001"}, 5, id="mirror"),
    pytest.param("tasks_lint", {"plan": "PLAN-001"}, 6, id="lint"),
    pytest.param("tasks_inbox", {}, 5, id="inbox"),
    pytest.param("tasks_history", {"task": "TASK-001"}, 6, id="history"),
    pytest.param("tasks_delta", {}, 3, id="delta"),
]


class Traced:
    """A world on PostgreSQL whose round trips are counted."""

    def __init__(self, world: World, counter: RoundTrips) -> None:
        self.world = world
        self._counter = counter

    @contextmanager
    def by(self, session: str) -> Iterator[None]:
        """Calls of another session."""
        caller = self.world.caller
        self.world.caller = Caller(f"agent:coder/{session[-4:]}", session=f"session-{session}")
        yield
        self.world.caller = caller

    def pass_seconds(self, number: int) -> None:
        """Let the clock go on."""
        for _ in range(number):
            self.world.engine.leases._now()

    def trips(self, tool: str, **given: Any) -> int:
        """How often a call waited for the server."""
        return self._counter.of(lambda: self.world.ok(tool, **given))


@pytest.fixture(scope="module")
def traced() -> Iterator[Traced]:
    """A plan of 50 tasks with 20 steps each."""
    store = postgres.fresh_store()
    with counting_round_trips() as counter:
        world = World(store)
        plan = world.ok("tasks_create", kind="plan", title="Everything")["id"]
        steps = [{"title": f"step {i}", "steps": [{"title": f"sub {j}"} for j in range(3)]} for i in range(5)]
        for number in range(50):
            world.ok("tasks_create", kind="task", title=f"Task {number}", plan=plan, steps=steps)
        yield Traced(world, counter)
        store.close()


@pytest.mark.parametrize(("tool", "given", "most"), READS)
def test_a_read_is_a_handful_of_round_trips(traced: Traced, tool: str, given: dict[str, Any], most: int) -> None:
    assert 0 < traced.trips(tool, **given) <= most


@pytest.mark.parametrize(
    ("tool", "given", "most"),
    [
        pytest.param("tasks_note", {"path": "s:0", "note": "begun"}, 4, id="note"),
        pytest.param("tasks_close_step", {"path": "s:0.s:0", "checkpoints": CONFIRMED}, 5, id="close"),
        pytest.param("tasks_claim", {"path": "s:1"}, 8, id="claim"),
    ],
)
def test_a_write_is_a_handful_of_round_trips(traced: Traced, tool: str, given: dict[str, Any], most: int) -> None:
    assert 0 < traced.trips(tool, task="TASK-002", **given) <= most


def test_what_changes_no_posting_is_sent_with_the_commit_alone(traced: Traced) -> None:
    traced.trips("tasks_note", task="TASK-005", note="begun")

    assert 0 < traced.trips("tasks_note", task="TASK-005", note="going on") <= 2


@pytest.mark.parametrize(
    ("task", "ttl_s"), [("TASK-003", 3600), ("TASK-004", 10)], ids=["the lease lasts", "the lease is renewed"]
)
def test_work_on_what_is_claimed_is_a_handful_of_round_trips(traced: Traced, task: str, ttl_s: int) -> None:
    step = {"task": task, "path": "s:0.s:0"}

    with traced.by(task):
        claimed = traced.trips("tasks_claim", **step, ttl_s=ttl_s)
        traced.pass_seconds(3)  # so that the short lease is due before a call begins
        noted = traced.trips("tasks_note", **step, note="begun")
        traced.pass_seconds(3)
        closed = traced.trips("tasks_close_step", **step, checkpoints=CONFIRMED)
        looked = traced.trips("tasks_radar", task=task, claim=True)
        released = traced.trips("tasks_release", task=task, path="s:0.s:1")

    assert claimed <= 7
    assert noted <= 7
    assert closed <= 5
    assert looked <= 11
    assert 0 < released <= 6


def test_the_next_free_step_costs_the_same_however_many_work_on_the_plan(traced: Traced) -> None:
    trips = []
    for number in range(6):
        with traced.by(f"{number:04d}"):
            trips.append(traced.trips("tasks_claim", plan="PLAN-001"))

    assert max(trips) <= 9
