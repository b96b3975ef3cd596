"""What a second look found: each of these was wrong once."""

import pytest

from tests.givens import CONFIRMED, World, supplied


@pytest.mark.requirement("call.checks.shape-first")
@pytest.mark.parametrize("odd", ["TASK-\u0660\u0660\u0661", "TASK-\uff10\uff10\uff11", "task-001", "TASK-0001"])
def test_an_id_in_other_digits_is_no_id(world: World, odd: str) -> None:
    world.task()

    world.no("INVALID_INPUT", "tasks_create", kind="task", title="x", depends_on=[odd])
    world.no("INVALID_INPUT", "tasks_radar", task=odd)


@pytest.mark.requirement("tasks.radar.next", "tasks.radar.plans")
def test_a_plans_next_call_is_about_the_task_it_speaks_of(world: World) -> None:
    plan = world.plan()
    first = world.task("one", plan=plan)
    second = world.task("two", plan=plan)
    world.close(first, "s:0")
    world.ok("tasks_note", task=first, note="so that the revisions differ")
    world.ok("tasks_block", task=second, path="s:0", reason="no key")

    radar = world.ok("tasks_radar", plan=plan)

    assert radar["next"]["tool"] == "tasks_complete"
    assert supplied(radar["next"])["task"] == first
    assert [blocker["reason"] for blocker in radar["blockers"]] == ["no key"]
    world.rehearse(radar["next"]["tool"], supplied(radar["next"]))


@pytest.mark.requirement("tasks.radar.blockers", "tasks.radar.now")
def test_a_plan_that_waits_for_another_has_nothing_to_do_now(world: World) -> None:
    needed = world.plan()
    waiting = world.plan(depends_on=[needed])
    world.task("one", plan=waiting)

    radar = world.ok("tasks_radar", plan=waiting)

    assert radar["now"] is None
    assert radar["next"]["arguments"]["task"] == needed
    assert radar["blockers"][0]["depends_on"] == needed


@pytest.mark.requirement("tasks.close.again", "tasks.done-step.confirmations-added")
def test_who_vouched_for_a_done_step_is_not_overwritten(world: World) -> None:
    task = world.task("one")
    world.close(task, "s:0")
    before = world.step(task, "s:0")["confirmed"]

    marks = {**CONFIRMED, "criteria": {"confirmed": True, "note": "me too"}}
    again = world.ok("tasks_close_step", task=task, path="s:0", checkpoints=marks)

    assert again["changed"] is False
    assert world.step(task, "s:0")["confirmed"] == before


@pytest.mark.requirement("tasks.context.lists")
def test_a_task_of_which_all_is_blocked_is_not_ready(world: World) -> None:
    stuck, free = world.task("one", "two"), world.task("one")
    world.ok("tasks_block", task=stuck, path="s:0")
    half = [item["id"] for item in world.ok("tasks_context", ready=True)["items"]]
    world.ok("tasks_block", task=stuck, path="s:1")
    none = [item["id"] for item in world.ok("tasks_context", ready=True)["items"]]
    world.ok("tasks_block", task=stuck, path="s:1", blocked=False)

    assert half == [stuck, free]
    assert none == [free]
    assert [item["id"] for item in world.ok("tasks_context", ready=True)["items"]] == [stuck, free]
