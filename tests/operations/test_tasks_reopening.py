"""Reopening: what stands on an open step is open."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

THREE_LEVELS = [{"title": "a", "steps": [{"title": "b", "steps": [{"title": "c"}, {"title": "d"}]}]}]
PATHS = ("s:0", "s:0.s:0", "s:0.s:0.s:0", "s:0.s:0.s:1")


def finished(world: World, **arguments: Any) -> str:
    """A complete task of three levels, in a complete plan if one is given."""
    task: str = world.ok("tasks_create", kind="task", title="t", steps=THREE_LEVELS, **arguments)["id"]
    for path in reversed(PATHS):
        world.close(task, path)
    world.ok("tasks_complete", task=task)
    if "plan" in arguments:
        world.ok("tasks_complete", task=arguments["plan"])
    return task


def done(world: World, task: str) -> list[bool]:
    return [world.step(task, path)["done"] for path in PATHS]


def status(world: World, target: str) -> str:
    found: str = world.ok("tasks_resume", task=target)["target"]["status"]
    return found


@pytest.mark.requirement("tasks.progress.reopens")
def test_reopening_clears_the_completion_time_and_says_why(world: World) -> None:
    task = world.task("a", "b")
    world.close(task, "s:0")
    assert "done_at" in world.step(task, "s:0")

    reply = world.ok("tasks_progress", task=task, path="s:0", completed=False, reason="it broke")

    (event,) = world.logged(reply)
    assert (event["type"], event["path"], event["reason"]) == ("step_reopened", "s:0", "it broke")
    step = world.step(task, "s:0")
    assert not step["done"]
    assert "done_at" not in step
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["done"] == 0
    assert world.ok("tasks_radar", task=task)["now"]["path"] == "s:0"


@pytest.mark.requirement("tasks.reopen.ancestors")
def test_reopening_the_deepest_of_three_levels_reopens_everything_above_in_one_call(world: World) -> None:
    plan = world.plan()
    task = finished(world, plan=plan)
    step_id = world.step(task, PATHS[2])["step_id"]
    revision = world.revision(task)

    reply = world.ok("tasks_progress", task=task, path=PATHS[2], completed=False)

    assert done(world, task) == [False, False, False, True]
    assert status(world, task) == "ACTIVE"
    assert status(world, plan) == "ACTIVE"
    assert reply["revision"] == revision + 1
    types = [(event["type"], event.get("path")) for event in world.logged(reply)]
    assert types[:3] == [
        ("step_reopened", "s:0.s:0.s:0"),
        ("step_reopened", "s:0.s:0"),
        ("step_reopened", "s:0"),
    ]
    assert [event["type"] for event in world.logged(reply)[3:]] == ["task_reopened", "task_reopened"]
    assert [event.get("because") for event in world.logged(reply)] == [None, step_id, step_id, step_id, task]
    counts = world.ok("tasks_resume", plan=plan)["target"]["counts"]
    assert (counts["done"], counts["tasks"]["done"]) == (1, 0)


@pytest.mark.requirement("tasks.reopen.ancestors")
def test_reopening_one_in_the_middle_leaves_what_is_below_done(world: World) -> None:
    task = finished(world)

    world.ok("tasks_progress", task=task, path=PATHS[1], completed=False)

    assert done(world, task) == [False, False, True, True]


@pytest.mark.requirement("tasks.reopen.ancestors")
def test_a_reopened_tree_can_be_closed_again_from_below(world: World) -> None:
    task = finished(world)
    world.ok("tasks_progress", task=task, path=PATHS[2], completed=False)

    world.no("CHILDREN_OPEN", "tasks_done", task=task, path=PATHS[0])
    for path in (PATHS[2], PATHS[1], PATHS[0]):
        world.close(task, path)
    world.ok("tasks_complete", task=task)

    assert done(world, task) == [True] * 4
    assert status(world, task) == "DONE"


@pytest.mark.requirement("tasks.decompose.reopens")
def test_new_steps_under_a_done_step_reopen_it_and_all_above(world: World) -> None:
    plan = world.plan()
    task = finished(world, plan=plan)

    reply = world.ok("tasks_decompose", task=task, path=PATHS[2], steps=[{"title": "forgotten"}])

    added = reply["steps"][0]["step_id"]
    assert [event["type"] for event in reply["events"]] == [
        "steps_added",
        "step_reopened",
        "step_reopened",
        "step_reopened",
        "task_reopened",
        "task_reopened",
    ]
    assert {event["because"] for event in reply["events"][1:5]} == {added}
    assert done(world, task) == [False, False, False, True]
    assert (status(world, task), status(world, plan)) == ("ACTIVE", "ACTIVE")
    assert world.ok("tasks_radar", task=task)["now"]["path"] == f"{PATHS[2]}.s:0"


@pytest.mark.requirement("tasks.decompose.reopens")
def test_a_new_step_beside_done_ones_reopens_the_task_and_no_step(world: World) -> None:
    task = finished(world)

    reply = world.ok("tasks_decompose", task=task, steps=[{"title": "one more"}])

    assert [event["type"] for event in reply["events"]] == ["steps_added", "task_reopened"]
    assert done(world, task) == [True] * 4
    assert status(world, task) == "ACTIVE"


def test_a_new_task_reopens_the_complete_plan_that_it_is_made_in(world: World) -> None:
    plan = world.plan()
    finished(world, plan=plan)

    reply = world.ok("tasks_create", kind="task", title="one more", plan=plan)

    assert [event["type"] for event in reply["events"]] == ["task_created", "task_reopened"]
    assert status(world, plan) == "ACTIVE"


@pytest.mark.requirement("tasks.done-step.criteria-fixed", "tasks.done-step.suggests-reopening")
@pytest.mark.parametrize("change", [{"criteria": ["easier"]}, {"tests": []}, {"criteria": None}])
def test_the_promises_of_a_done_step_cannot_be_changed_until_it_is_reopened(
    world: World, change: dict[str, Any]
) -> None:
    steps = [{"title": "a", "criteria": ["hard"], "tests": ["pytest"]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]
    world.close(task, "s:0")
    step_id = world.step(task, "s:0")["step_id"]

    error = world.no("STEP_DONE", "tasks_define", task=task, path="s:0", title="New", **change)
    suggestion = error["suggestion"]
    world.ok(suggestion["tool"], **suggestion["arguments"])
    reply = world.ok("tasks_define", task=task, path="s:0", **change)

    assert suggestion["tool"] == "tasks_progress"
    named = {"workspace": world.workspace, "task": task, "step_id": step_id}
    assert suggestion["arguments"] == {**named, "completed": False}
    assert "changed" not in reply


@pytest.mark.requirement("tasks.done-step.criteria-fixed")
def test_the_title_and_blockers_of_a_done_step_may_be_changed_and_equal_promises_repeated(
    world: World,
) -> None:
    steps = [{"title": "a", "criteria": ["hard"], "tests": ["pytest"]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]
    world.close(task, "s:0")

    world.ok("tasks_define", task=task, path="s:0", title="A", blockers=["none"], criteria=["hard"])

    step = world.step(task, "s:0")
    assert (step["title"], step["blockers"], step["done"]) == ("A", ["none"], True)


@pytest.mark.requirement("tasks.done-step.confirmations-fixed", "tasks.done-step.suggests-reopening")
@pytest.mark.parametrize("tool", ["tasks_verify", "tasks_close_step"])
def test_a_confirmation_of_a_done_step_cannot_be_withdrawn_until_it_is_reopened(world: World, tool: str) -> None:
    task = world.task("a")
    world.close(task, "s:0")
    withdrawn = {"tests": {"confirmed": False}}

    error = world.no("STEP_DONE", tool, task=task, path="s:0", checkpoints=withdrawn)
    suggestion = error["suggestion"]
    world.ok(suggestion["tool"], **suggestion["arguments"])
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=withdrawn)

    assert (suggestion["tool"], suggestion["arguments"]["completed"]) == ("tasks_progress", False)
    assert world.step(task, "s:0")["unconfirmed"] == ["tests"]


@pytest.mark.requirement("tasks.done-step.confirmations-added")
def test_confirmations_may_be_added_to_a_done_step(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")

    reply = world.ok("tasks_verify", task=task, path="s:0", checkpoints={"docs": {"confirmed": True}})

    assert "changed" not in reply
    step = world.step(task, "s:0")
    assert [mark["checkpoint"] for mark in step["confirmed"]] == ["criteria", "tests", "docs"]
    assert step["done"]


def test_a_done_step_cannot_be_blocked(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")

    error = world.no("STEP_DONE", "tasks_block", task=task, path="s:0", reason="too late")

    assert error["suggestion"]["tool"] == "tasks_progress"


@pytest.mark.requirement("tasks.reopen.withdraws")
def test_reopening_withdraws_the_confirmations_of_every_step_it_reopens_and_says_so(world: World) -> None:
    task = finished(world)

    reply = world.ok("tasks_progress", task=task, path=PATHS[2], completed=False)

    reopened = [event for event in reply["events"] if event["type"] == "step_reopened"]
    assert [event["withdrawn"] for event in reopened] == [["criteria", "tests"]] * 3
    assert [world.step(task, path)["confirmed"] for path in PATHS[:3]] == [[], [], []]
    assert len(world.step(task, PATHS[3])["confirmed"]) == 2
    assert world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path=PATHS[2])["missing"] == [*CONFIRMED]


@pytest.mark.requirement("tasks.reopen.withdraws")
@pytest.mark.parametrize("reopening", ["a new step", "a new task node", "a node that is open again"])
def test_whatever_reopens_a_step_withdraws_its_confirmations(world: World, reopening: str) -> None:
    task = world.task("a")
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n", status="DONE")
    world.close(task, "s:0")

    if reopening == "a new step":
        world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "b"}])
    elif reopening == "a new task node":
        world.ok("tasks_task_add", task=task, parent_step="s:0", title="m")
    else:
        world.ok("tasks_task_define", task=task, path="s:0.t:0", status="ACTIVE")

    assert world.step(task, "s:0")["confirmed"] == []


@pytest.mark.requirement("tasks.reopen.withdraws")
def test_undoing_a_reopening_brings_the_confirmations_back(world: World) -> None:
    task = finished(world)
    before = [world.step(task, path) for path in PATHS]
    world.ok("tasks_progress", task=task, path=PATHS[2], completed=False)

    world.ok("tasks_undo", task=task)

    after = [world.step(task, path) for path in PATHS]
    assert [step.pop("revision") > was.pop("revision") for step, was in zip(after, before, strict=True)].count(True)
    assert after == before
    assert status(world, task) == "DONE"
