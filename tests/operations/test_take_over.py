"""Taking over: what somebody else holds, above, at or below a place."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World
from tests.operations.test_claims import ANN, BOB, PERSON, by, refused

DAN = Caller("agent:coder/dddd", session="session-dddd")


@pytest.fixture
def task(world: World) -> str:
    made = world.task("first")
    by(world, ANN, "tasks_decompose", task=made, path="s:0", steps=[{"title": "one"}, {"title": "two"}])
    return made


def test_taking_over_a_step_of_a_whole_claim_ends_what_others_hold_below_it(world: World, task: str) -> None:
    by(world, ANN, "tasks_claim", task=task, whole=True)
    by(world, DAN, "tasks_claim", task=task, path="s:0.s:1", take_over="Ann is away.")

    by(world, BOB, "tasks_claim", task=task, path="s:0", take_over="Both are away.")

    released = [event for event in by(world, BOB, "tasks_delta")["events"] if event["type"] == "step_released"]
    assert [(event["path"], event["because"]) for event in released] == [("s:0.s:1", "taken over")]
    by(world, BOB, "tasks_define", task=task, path="s:0.s:1", title="Two")
    refused(world, DAN, "tasks_define", task=task, path="s:0.s:1", title="Other")


def test_a_holder_claims_again_what_it_holds_whatever_was_taken_over_below(world: World, task: str) -> None:
    by(world, ANN, "tasks_claim", task=task, path="s:0")
    by(world, DAN, "tasks_claim", task=task, path="s:0.s:1", take_over="Ann is away.")

    again = by(world, ANN, "tasks_claim", task=task, path="s:0")

    assert (again["step"]["path"], again["changed"]) == ("s:0", False)
    refused(world, ANN, "tasks_define", task=task, path="s:0.s:1", title="Two")


def test_a_holder_takes_back_what_was_taken_over_below(world: World, task: str) -> None:
    by(world, ANN, "tasks_claim", task=task, path="s:0")
    by(world, DAN, "tasks_claim", task=task, path="s:0.s:1", take_over="Ann is away.")

    by(world, ANN, "tasks_claim", task=task, path="s:0", take_over="I am back.")

    by(world, ANN, "tasks_define", task=task, path="s:0.s:1", title="Two")
    refused(world, DAN, "tasks_define", task=task, path="s:0.s:1", title="Other")


@pytest.mark.parametrize(
    ("who", "named"),
    [
        (BOB, True),
        (Caller("agent:coder/bbbb", tools=frozenset({"tasks_radar", "tasks_claim", "tasks_define"})), True),
        (Caller("agent:coder/bbbb", tools=frozenset({"tasks_radar", "tasks_define"})), False),
        (PERSON, False),
    ],
)
def test_the_way_on_names_tools_only_to_those_who_have_them(
    world: World, task: str, who: Caller, named: bool
) -> None:
    by(world, ANN, "tasks_claim", task=task, path="s:0")

    error = refused(world, who, "tasks_define", task=task, path="s:0", title="Other")

    assert ("tasks_claim" in error["recovery"]) is named
    assert ("take_over" in error["recovery"]) is named
    if who.tools is not None:
        assert error["suggestion"]["tool"] in who.tools
