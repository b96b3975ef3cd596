"""A crew of real processes drains a plan, while some of them are killed."""

from pathlib import Path
from typing import Any

import pytest

from bench.crew import Drained, drain, trespasses, waste

TASKS, WORKERS, KILLS = 5, 5, 4


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
        return trespasses(Drained(events, 1.0, killed))

    assert counted(claimed | ann, done | ann) == 0
    assert counted(claimed | ann, claimed | bob, done | bob, killed=("agent:ann",)) == 0
    assert counted(claimed | ann, claimed | bob, done | bob) == 1
    assert counted(claimed | ann, done | bob) == 1
    assert counted(done | bob) == 1


@pytest.mark.parametrize("agents", [2, 4, 8])
@pytest.mark.requirement("crew.claims.no-waste")
def test_agents_that_claim_what_the_radar_shows_do_nothing_in_vain(tmp_path: Path, agents: int) -> None:
    assert waste(tmp_path / "without.db", agents, claim=False) > 0
    assert waste(tmp_path / "with.db", agents, claim=True) == 0
