"""A crew of real processes drains a plan, while some of them are killed."""

from pathlib import Path
from typing import Any

import pytest

from bench.crew import Drained, drain, waste

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
    holders: dict[str, str] = {}
    for event in drained.events:
        if event["type"] == "step_claimed":
            before = holders.get(event["step_id"])
            assert before is None or before in drained.killed, "only a killed worker loses its claim"
            holders[event["step_id"]] = event["actor"]
        elif event["type"] == "step_done":
            assert holders[event["step_id"]] == event["actor"]


@pytest.mark.parametrize("agents", [2, 4])
@pytest.mark.requirement("crew.claims.no-waste")
def test_agents_that_claim_what_the_radar_shows_do_nothing_in_vain(tmp_path: Path, agents: int) -> None:
    assert waste(tmp_path / "without.db", agents, claim=False) > 0
    assert waste(tmp_path / "with.db", agents, claim=True) == 0
