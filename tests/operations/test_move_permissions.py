"""Moves, policies and proofs: what goes along, and what only a person may move."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World
from tests.operations.house import batched, built, proofs

PERSON = Caller("human:ada")
ANN = Caller("agent:coder/aaaa", session="session-aaaa")
BOB = Caller("agent:coder/bbbb", session="session-bbbb")


@pytest.fixture
def house(world: World) -> World:
    return built(world)


def test_what_a_person_and_a_check_confirmed_moves_along_by_an_agent(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:1", checks=[{"run": "true"}])
    house.ok("tasks_check", task="TASK-001", path="s:1")
    agent, house.caller = house.caller, PERSON
    house.ok("tasks_verify", task="TASK-001", path="s:1", checkpoints={"criteria": {"confirmed": True}})
    house.caller = agent

    house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")

    assert proofs(house.step("TASK-001", "s:0.s:2")) == {"criteria": "human", "tests": "machine"}


@pytest.mark.requirement("crew.move.policy")
def test_only_a_person_moves_a_step_to_where_less_is_demanded(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0", policy={"proof": "evidence"})

    refused = house.no("HUMAN_REQUIRED", "tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")
    assert refused["loosened"] == ["proof"]
    assert "gatepost move TASK-001 s:0.s:0 --to s:1" in refused["recovery"]
    top = house.no("HUMAN_REQUIRED", "tasks_move", task="TASK-001", path="s:0.s:0")
    assert "gatepost move TASK-001 s:0.s:0 --top" in top["recovery"]
    house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")
    house.no("HUMAN_REQUIRED", "tasks_undo")

    house.caller = PERSON
    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    assert house.logged(reply)[0]["loosened"] == ["proof"]


def test_a_step_keeps_its_own_policy_wherever_it_goes(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0.s:0", policy={"proof": "evidence"})

    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    house.no("PROOF_REQUIRED", "tasks_close_step", task="TASK-001", path="s:1.s:0.s:0", checkpoints=CONFIRMED)


def test_a_batch_of_moves_does_not_lead_out_of_the_reach_of_a_policy(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0", policy={"proof": "evidence"})
    moves = [{"path": "s:0", "parent": "s:1"}, {"path": "s:1.s:0.s:0", "parent": "s:1"}]

    failed = house.no("BATCH_FAILED", "tasks_batch", operations=batched(*moves))

    assert (failed["operation_index"], failed["error"]["code"]) == (1, "HUMAN_REQUIRED")


def test_what_somebody_holds_is_moved_by_its_holder_and_stays_held(house: World) -> None:
    house.caller = ANN
    held = house.ok("tasks_claim", task="TASK-001", path="s:0.s:0")
    house.caller = BOB
    for moved, parent in (("s:0.s:0", "s:1"), ("s:0.s:0.s:0", "s:1"), ("s:0", "s:1"), ("s:1", "s:0.s:0")):
        refused = house.no("CLAIMED", "tasks_move", task="TASK-001", path=moved, parent=parent)
        assert (refused["holder"], refused["path"]) == (ANN.actor, "s:0.s:0")

    house.caller = ANN
    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    assert reply["step"]["step_id"] == held["step"]["step_id"]
    house.caller = BOB
    refused = house.no("CLAIMED", "tasks_define", task="TASK-001", path="s:1.s:0.s:0", title="No.")
    assert (refused["holder"], refused["path"]) == (ANN.actor, "s:1.s:0")


def test_a_question_goes_along_and_is_answered_at_the_new_place(house: World) -> None:
    house.ok("tasks_block", task="TASK-001", path="s:0.s:1", ask="Which colour?", **{"for": "human"})

    house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent="s:1")

    house.no("HUMAN_REQUIRED", "tasks_block", task="TASK-001", path="s:1.s:0", blocked=False, answer="Red.")
    house.caller = PERSON
    assert [item["path"] for item in house.ok("tasks_inbox")["items"]] == ["s:1.s:0"]
    house.ok("tasks_block", task="TASK-001", path="s:1.s:0", blocked=False, answer="Red.")
