"""A crew of real processes drains a plan, while some of them are killed."""

from pathlib import Path
from typing import Any

import pytest

from bench.crew import Drained, drain, simulate, trespasses
from gatepost.domain.claims import WITH_PROCESS

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
        return trespasses(Drained(events, 1.0, dict.fromkeys(killed, 0.1)))

    assert counted(claimed | ann, done | ann) == 0
    assert counted(claimed | ann, claimed | bob, done | bob, killed=("agent:ann",)) == 0
    assert counted(claimed | ann, claimed | bob, done | bob) == 1
    assert counted(claimed | ann, done | bob) == 1
    assert counted(done | bob) == 1


@pytest.mark.requirement("crew.claims.ends")
def test_what_a_killed_worker_held_is_taken_up_long_before_its_term_ends(drained: Drained) -> None:
    claims = [event for event in of_type(drained, "step_claimed") if event["actor"] in drained.killed]
    closed = {event["step_id"]: event["actor"] for event in of_type(drained, "step_done")}

    left = {claim["actor"] for claim in claims if closed[claim["step_id"]] != claim["actor"]}
    assert left == drained.killed.keys(), "each was killed with a step in its hands"
    assert max(drained.killed.values()) < WITH_PROCESS / 100


@pytest.mark.parametrize("agents", [2, 4, 8])
@pytest.mark.requirement("crew.claims.no-waste")
def test_agents_that_claim_what_the_radar_shows_do_nothing_in_vain(tmp_path: Path, agents: int) -> None:
    without, claimed = (simulate(tmp_path / f"{claim}.db", agents, claim=claim) for claim in (False, True))

    assert without.waste > 0
    assert claimed.waste == 0
    assert (claimed.open, claimed.closed.total()) == (0, 60)
    assert sorted(claimed.closed) == list(range(agents)), "all of them work, and none alone"
