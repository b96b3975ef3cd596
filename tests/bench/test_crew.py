"""A crew of real processes drains a plan, while some of them are killed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bench.crew import Drained, drain, longest_kept, trespasses, waste
from gatepost.domain.claims import WITH_PROCESS

TASKS, WORKERS, KILLS = 5, 5, 4
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def drained(tmp_path_factory: pytest.TempPathFactory) -> Drained:
    return drain(tmp_path_factory.mktemp("crew") / "a.db", tasks=TASKS, workers=WORKERS, kills=KILLS, seed=7)


def of_type(drained: Drained, name: str) -> list[dict[str, Any]]:
    return [event for event in drained.events if event["type"] == name]


@pytest.mark.requirement("crew.claims.once")
def test_each_step_is_closed_once_whoever_was_killed(drained: Drained) -> None:
    closed = [event["step_id"] for event in of_type(drained, "step_done")]

    assert len(drained.killed) == KILLS
    assert len(closed) == len(set(closed)) == TASKS * 10


@pytest.mark.requirement("crew.claims.once", "crew.claims.holder-only")
def test_nobody_closes_what_somebody_else_holds(drained: Drained) -> None:
    assert trespasses(drained) == 0


def test_work_on_what_another_holds_would_be_counted() -> None:
    claimed, done = ({"type": name, "step_id": "STEP-1"} for name in ("step_claimed", "step_done"))
    ann, bob = {"actor": "agent:ann"}, {"actor": "agent:bob"}

    def counted(*events: dict[str, Any], killed: tuple[str, ...] = ()) -> int:
        return trespasses(Drained(events, 1.0, dict.fromkeys(killed, NOON)))

    assert counted(claimed | ann, done | ann) == 0
    assert counted(claimed | ann, claimed | bob, done | bob, killed=("agent:ann",)) == 0
    assert counted(claimed | ann, claimed | bob, done | bob) == 1
    assert counted(claimed | ann, done | bob) == 1
    assert counted(done | bob) == 1


@pytest.mark.requirement("crew.claims.ends")
def test_what_a_killed_worker_held_is_taken_up_long_before_its_term_ends(drained: Drained) -> None:
    assert longest_kept(drained) < WITH_PROCESS / 100


def test_the_longest_time_that_the_dead_keep_a_step_is_found() -> None:
    def claimed(actor: str, after: float) -> dict[str, Any]:
        at = (NOON + timedelta(seconds=after)).isoformat()
        return {"type": "step_claimed", "step_id": "STEP-1", "actor": actor, "at": at}

    events = [claimed("ann", -1), claimed("bob", 2), claimed("cid", 9)]

    assert longest_kept(Drained(events, 1.0, {"ann": NOON})) == 2
    assert longest_kept(Drained(events, 1.0, {"bob": NOON})) == 9
    assert longest_kept(Drained(events, 1.0, {})) == 0


@pytest.mark.parametrize("agents", [2, 4, 8])
@pytest.mark.requirement("crew.claims.no-waste")
def test_agents_that_claim_what_the_radar_shows_do_nothing_in_vain(tmp_path: Path, agents: int) -> None:
    assert waste(tmp_path / "without.db", agents, claim=False) > 0
    assert waste(tmp_path / "with.db", agents, claim=True) == 0
