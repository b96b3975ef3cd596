"""A plan's checklist: replaced, advanced, bounded, and never wiped by omission."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import World, memory_store


def shown(world: World, plan: str) -> tuple[list[str], int, str | None]:
    """The checklist, where it stands, and the doc, as a reader sees them."""
    found = world.ok("tasks_resume", plan=plan)["target"]
    checklist = found.get("checklist", {"steps": [], "current": 0})
    return checklist["steps"], checklist["current"], found.get("doc")


@pytest.mark.requirement("tasks.plan-checklist.replace")
def test_steps_replace_the_checklist(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two", "three"])

    reply = world.ok("tasks_plan", plan=plan, steps=["four", "five"])

    assert set(reply) == {"plan", "revision", "steps", "current", "events"}
    assert (reply["plan"], reply["revision"]) == (plan, 3)
    assert (reply["steps"], reply["current"]) == (["four", "five"], 0)
    (event,) = world.logged(reply)
    assert (event["type"], event["plan"], event["fields"]) == ("plan_updated", plan, ["steps"])
    assert shown(world, plan) == (["four", "five"], 0, None)


@pytest.mark.requirement("tasks.plan-checklist.replace")
@pytest.mark.parametrize("nothing", [None, []])
def test_null_or_an_empty_list_empties_the_checklist(world: World, nothing: Any) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=1, doc="d")

    reply = world.ok("tasks_plan", plan=plan, steps=nothing)

    assert (reply["steps"], reply["current"]) == ([], 0)
    assert shown(world, plan) == ([], 0, "d")
    world.ok("tasks_complete", task=plan)


@pytest.mark.requirement("tasks.plan-checklist.advance")
def test_advancing_goes_on_by_one_until_the_end(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"])

    seen = [world.ok("tasks_plan", plan=plan, advance=True)["current"] for _ in range(2)]

    assert seen == [1, 2]
    assert shown(world, plan) == (["one", "two"], 2, None)


@pytest.mark.requirement("tasks.plan-checklist.advance-end")
def test_advancing_past_the_end_is_refused(world: World) -> None:
    plan = world.plan()
    empty = world.no("INVALID_INPUT", "tasks_plan", plan=plan, advance=True)
    world.ok("tasks_plan", plan=plan, steps=["one"], current=1)

    error = world.no("INVALID_INPUT", "tasks_plan", plan=plan, advance=True)
    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps=[], advance=True)

    assert [problem["field"] for problem in (*empty["problems"], *error["problems"])] == ["advance", "advance"]
    assert "2 of 1" in error["message"]


@pytest.mark.requirement("tasks.plan-checklist.doc")
def test_doc_and_current_are_set_where_they_are_given(world: World) -> None:
    plan = world.plan()

    reply = world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=1, doc="How\nto go on")
    world.ok("tasks_plan", plan=plan, doc=None)

    assert reply["current"] == 1
    assert sorted(world.logged(reply)[0]["fields"]) == ["current", "doc", "steps"]
    assert shown(world, plan) == (["one", "two"], 1, None)


@pytest.mark.requirement("tasks.plan-checklist.omission-keeps")
@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"doc": "new"}, (["one", "two"], 1, "new")),
        ({"current": 2}, (["one", "two"], 2, "old")),
        ({"advance": True}, (["one", "two"], 2, "old")),
        ({"steps": ["three"]}, (["three"], 0, "old")),
        ({"advance": False}, (["one", "two"], 1, "old")),
        ({}, (["one", "two"], 1, "old")),
    ],
)
def test_what_is_not_named_stays(world: World, change: dict[str, Any], left: Any) -> None:
    plan = world.plan(contract="c", contract_data={"a": 1}, description="d")
    world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=1, doc="old")

    reply = world.ok("tasks_plan", plan=plan, **change)

    assert shown(world, plan) == left
    assert reply.get("changed", True) is (left != (["one", "two"], 1, "old"))
    found = world.ok("tasks_resume", plan=plan)["target"]
    assert (found["contract"], found["contract_data"], found["description"]) == ("c", {"a": 1}, "d")


@pytest.mark.requirement("tasks.plan-checklist.current-range")
@pytest.mark.parametrize("current", [0, 1, 2])
def test_current_may_be_anywhere_from_the_start_to_the_end(world: World, current: int) -> None:
    plan = world.plan()

    reply = world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=current)

    assert reply["current"] == current


@pytest.mark.requirement("tasks.plan-checklist.current-range")
@pytest.mark.parametrize("current", [-1, 3, 10_001, "1", True, None, 1.0])
def test_a_current_that_is_out_of_range_or_no_number_is_refused(world: World, current: Any) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"])

    error = world.no("INVALID_INPUT", "tasks_plan", plan=plan, current=current)

    assert [problem["field"] for problem in error["problems"]] == ["current"]


@pytest.mark.requirement("tasks.plan-checklist.current-range", "tasks.plan-checklist.replace-resets")
def test_current_is_measured_by_the_new_list_if_there_is_one(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two", "three"], current=3)

    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps=["four"], current=2)
    kept = world.ok("tasks_plan", plan=plan, steps=["four"], current=1)
    reset = world.ok("tasks_plan", plan=plan, steps=["five", "six"])
    advanced = world.ok("tasks_plan", plan=plan, steps=["seven", "eight"], advance=True)

    assert (kept["current"], reset["current"], advanced["current"]) == (1, 0, 1)


@pytest.mark.requirement("tasks.plan-checklist.replace")
def test_the_same_checklist_again_is_no_change(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=1)
    before = world.everything()

    reply = world.ok("tasks_plan", plan=plan, steps=["one", "two"])

    assert (reply["changed"], reply["current"]) == (False, 1)
    assert world.everything() == before


@pytest.mark.requirement("tasks.plan-checklist.replace", "tasks.plan-checklist.advance")
def test_what_is_no_checklist_of_a_plan_is_refused(world: World) -> None:
    plan, task = world.plan(), world.task()

    world.no("INVALID_INPUT", "tasks_plan", plan=task, steps=["x"])
    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps="one")
    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps=["one", ""])
    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps=["one"] * 51)
    world.no("INVALID_INPUT", "tasks_plan", plan=plan, steps=["one"], advance=True, current=0)
    world.no("UNKNOWN_ID", "tasks_plan", plan="PLAN-009", steps=["one"])
    world.no("REVISION_MISMATCH", "tasks_plan", plan=plan, current=9, expected_revision=7)


CALLS = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.lists(st.sampled_from(["a", "b", "c"]), max_size=4),
        "current": st.integers(0, 5),
        "doc": st.sampled_from(["x", "y"]),
        "advance": st.booleans(),
    },
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CALLS, max_size=10))
@pytest.mark.requirement("tasks.plan-checklist.current-range", "tasks.plan-checklist.omission-keeps")
def test_whatever_is_asked_current_stays_within_the_checklist_and_the_rest_is_kept(
    calls: list[dict[str, Any]],
) -> None:
    world = World(memory_store())
    plan = world.plan()
    steps: list[str] = []
    current, doc = 0, None

    for call in calls:
        wanted = call.get("steps", steps)
        start = current if wanted == steps else 0
        reached = call.get("current", start + call.get("advance", False))
        if reached > len(wanted) or (call.get("advance") and "current" in call):
            world.no("INVALID_INPUT", "tasks_plan", plan=plan, **call)
            continue
        world.ok("tasks_plan", plan=plan, **call)
        steps, current, doc = wanted, reached, call.get("doc", doc)

    found = shown(world, plan)
    assert found == (steps, current if steps else 0, doc)
    assert doctor.examine(world.store, world.workspace).findings == []
