"""The gate: no step is done before it is proven, whichever way it is closed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.givens import CONFIRMED, World, memory_store

YES = {"confirmed": True}
NO = {"confirmed": False}
CLOSINGS: dict[str, dict[str, Any]] = {
    "tasks_done": {},
    "tasks_progress": {"completed": True},
    "tasks_close_step": {"checkpoints": {"criteria": YES}},
}
OPTIONAL = ["security", "perf", "docs"]


def step_with(
    world: World, *, confirmed: set[str], required: list[str], blocked: bool = False, child: bool = False
) -> str:
    """A task whose step `s:0` is in this state."""
    below = [{"title": "below"}] if child else []
    steps = [{"title": "it", "required": required, "steps": below}]
    task: str = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]
    if confirmed:
        marks = dict.fromkeys(confirmed, YES)
        world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)
    if blocked:
        world.ok("tasks_block", task=task, path="s:0", reason="no network")
    return task


@pytest.mark.requirement("tasks.done.closes")
def test_a_proven_step_is_closed_with_its_time_and_one_event(world: World) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[])

    reply = world.ok("tasks_done", task=task, path="s:0")

    assert [event["type"] for event in world.logged(reply)] == ["step_done"]
    step = world.step(task, "s:0")
    assert step["done"]
    assert step["done_at"] == world.logged(reply)[0]["at"]


@pytest.mark.requirement("tasks.gate.no-unconfirmed-close", "tasks.gate.criteria-and-tests")
@pytest.mark.parametrize("tool", CLOSINGS)
def test_criteria_alone_close_nothing(world: World, tool: str) -> None:
    task = step_with(world, confirmed={"criteria"}, required=[])

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", tool, task=task, path="s:0", **CLOSINGS[tool])

    assert error["missing"] == ["tests"]
    assert not world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.gate.no-unconfirmed-close", "tasks.gate.criteria-and-tests")
@pytest.mark.parametrize("tool", ["tasks_done", "tasks_progress"])
def test_tests_alone_and_nothing_at_all_close_nothing(world: World, tool: str) -> None:
    half = step_with(world, confirmed={"tests"}, required=[])
    bare = step_with(world, confirmed=set(), required=[])

    first = world.no("CHECKPOINTS_NOT_CONFIRMED", tool, task=half, path="s:0", **CLOSINGS[tool])
    second = world.no("CHECKPOINTS_NOT_CONFIRMED", tool, task=bare, path="s:0", **CLOSINGS[tool])

    assert first["missing"] == ["criteria"]
    assert second["missing"] == ["criteria", "tests"]


@pytest.mark.requirement("tasks.gate.declared")
@pytest.mark.parametrize("needed", OPTIONAL)
def test_a_declared_checkpoint_is_needed_and_then_enough(world: World, needed: str) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[needed])

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={needed: YES})
    reply = world.ok("tasks_done", task=task, path="s:0")

    assert error["missing"] == [needed]
    assert "changed" not in reply


@pytest.mark.requirement("tasks.gate.declared")
def test_a_checkpoint_declared_later_by_define_is_needed_too(world: World) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[])
    world.ok("tasks_define", task=task, path="s:0", required=["perf"])

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    assert error["missing"] == ["perf"]


@pytest.mark.requirement("tasks.gate.undeclared")
@pytest.mark.parametrize("tool", CLOSINGS)
def test_a_step_that_requires_no_more_closes_with_criteria_and_tests(world: World, tool: str) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[])

    world.ok(tool, task=task, path="s:0", **CLOSINGS[tool])

    assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.gate.blocked")
@pytest.mark.parametrize("tool", CLOSINGS)
def test_a_blocked_step_is_refused_however_well_proven(world: World, tool: str) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[], blocked=True)

    error = world.no("STEP_BLOCKED", tool, task=task, path="s:0", **CLOSINGS[tool])

    assert "no network" in error["message"]
    assert error["suggestion"]["tool"] == "tasks_resume"


@pytest.mark.requirement("tasks.gate.children-open")
@pytest.mark.parametrize("tool", CLOSINGS)
def test_a_step_with_an_open_one_below_is_refused_until_that_is_done(world: World, tool: str) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[], child=True)
    child = world.step(task, "s:0.s:0")["step_id"]

    error = world.no("CHILDREN_OPEN", tool, task=task, path="s:0", **CLOSINGS[tool])
    world.close(task, "s:0.s:0")
    world.ok(tool, task=task, path="s:0", **CLOSINGS[tool])

    assert error["missing"] == [{"step_id": child, "path": "s:0.s:0"}]
    assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.gate.children-open")
def test_something_open_three_levels_down_is_open_below_and_a_blocked_one_is_open(world: World) -> None:
    deep = [{"title": "a", "steps": [{"title": "b", "steps": [{"title": "c"}]}]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=deep)["id"]
    world.ok("tasks_block", task=task, path="s:0.s:0.s:0")

    error = world.no("CHILDREN_OPEN", "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    assert error["open"] == 2
    assert error["missing"][0]["path"] == "s:0.s:0.s:0"


@pytest.mark.requirement("tasks.gate.one-function")
@settings(max_examples=60, deadline=None)
@given(
    confirmed=st.sets(st.sampled_from(["tests", *OPTIONAL])),
    required=st.lists(st.sampled_from(OPTIONAL), unique=True),
    blocked=st.sampled_from([False, False, True]),
    child=st.sampled_from([False, False, True]),
)
def test_the_three_ways_to_close_give_one_verdict_and_it_is_the_ruled_one(
    confirmed: set[str], required: list[str], blocked: bool, child: bool
) -> None:
    missing = [name for name in ("tests", *OPTIONAL) if name in {"tests", *required} - confirmed]
    ruled = "STEP_BLOCKED" if blocked else "CHILDREN_OPEN" if child else missing and "CHECKPOINTS_NOT_CONFIRMED"

    for tool, arguments in CLOSINGS.items():
        world = World(memory_store())
        have = {"criteria"} | confirmed
        task = step_with(world, confirmed=have, required=required, blocked=blocked, child=child)

        if ruled:
            error = world.no(ruled, tool, task=task, path="s:0", **arguments)
            assert ruled != "CHECKPOINTS_NOT_CONFIRMED" or error["missing"] == missing
        else:
            assert "changed" not in world.ok(tool, task=task, path="s:0", **arguments)
            assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.verify.confirms", "tasks.verify.does-not-close")
def test_verifying_confirms_what_it_names_no_more_and_leaves_the_step_open(world: World) -> None:
    task = step_with(world, confirmed=set(), required=[])
    marks = {"tests": {"confirmed": True, "note": "42 passed"}, "docs": YES}

    reply = world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)

    (event,) = world.logged(reply)
    assert (event["type"], event["checkpoints"]) == ("step_verified", marks)
    step = world.step(task, "s:0")
    at, actor = event["at"], "tester"
    assert step["confirmed"] == [
        {"checkpoint": "tests", "provenance": "noted", "at": at, "actor": actor, "note": "42 passed"},
        {"checkpoint": "docs", "provenance": "asserted", "at": at, "actor": actor},
    ]
    assert step["unconfirmed"] == ["criteria"]
    assert not step["done"]


@pytest.mark.requirement("tasks.verify.does-not-close")
def test_a_step_stays_open_though_everything_is_confirmed(world: World) -> None:
    task = world.task("a")

    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    step = world.step(task, "s:0")
    assert not step["done"]
    assert "done_at" not in step
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["done"] == 0


@pytest.mark.requirement("tasks.verify.confirms")
@pytest.mark.parametrize(
    "marks",
    [{}, {"speed": YES}, {"tests": {}}, {"tests": True}, {"tests": {"confirmed": "yes"}}, None],
)
def test_a_verification_that_does_not_say_what_holds_is_refused(world: World, marks: Any) -> None:
    task = world.task("a")

    world.no("INVALID_INPUT", "tasks_verify", task=task, path="s:0", checkpoints=marks)


@pytest.mark.requirement("tasks.verify.unconfirms")
def test_a_withdrawn_confirmation_shuts_the_gate_again(world: World) -> None:
    task = step_with(world, confirmed={"criteria", "tests"}, required=[])

    reply = world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": NO})
    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")

    assert world.logged(reply)[0]["checkpoints"] == {"tests": NO}
    assert error["missing"] == ["tests"]
    assert [mark["checkpoint"] for mark in world.step(task, "s:0")["confirmed"]] == ["criteria"]


@pytest.mark.requirement("tasks.progress.completes")
def test_progress_closes_as_done_does_and_with_the_same_event(world: World) -> None:
    one = step_with(world, confirmed={"criteria", "tests"}, required=[])
    two = step_with(world, confirmed={"criteria", "tests"}, required=[])

    by_done = world.ok("tasks_done", task=one, path="s:0")
    by_progress = world.ok("tasks_progress", task=two, path="s:0", completed=True)

    personal = {"seq", "at", "task", "step_id"}
    (first,), (second,) = by_done["events"], by_progress["events"]
    assert {key: first[key] for key in first.keys() - personal} == {
        key: second[key] for key in second.keys() - personal
    }
    assert world.step(two, "s:0")["done"]
