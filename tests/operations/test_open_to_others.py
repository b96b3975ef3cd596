"""What others may do with what somebody holds, and no more than that."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World
from tests.operations.test_claims import ANN, BOB, PERSON, by, refused


@pytest.mark.requirement("crew.claims.holder-only")
def test_nobody_else_puts_a_confirmation_in_the_place_of_the_holders(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    by(world, ANN, "tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    marks = [{"confirmed": False}, {"confirmed": True, "note": "I have looked, too."}]
    calls = [
        {"tool": "tasks_verify", "arguments": {"task": task, "path": "s:0", "checkpoints": {"criteria": mark}}}
        for mark in marks
    ]

    for who in (BOB, PERSON, Caller(ANN.actor, session="another-session")):
        world.caller = who
        failed = world.no("BATCH_FAILED", "tasks_batch", operations=calls)
        assert (failed["operation_index"], failed["error"]["code"]) == (0, "CLAIMED")


@pytest.mark.requirement("crew.claims.holder-only")
def test_others_lift_a_question_of_the_holder_only_with_an_answer(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    by(world, ANN, "tasks_block", task=task, path="s:0", ask="Which fence?")

    refused(world, BOB, "tasks_block", task=task, path="s:0", blocked=False)
    by(world, BOB, "tasks_block", task=task, path="s:0", blocked=False, answer="The green one.")

    assert by(world, ANN, "tasks_radar", task=task)["now"]["answer"]["answer"] == "The green one."
