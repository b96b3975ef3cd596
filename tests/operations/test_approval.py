"""Approvals: plans that wait for a person, and no road past them."""

from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import CONFIRMED, PROVEN, World
from tests.operations.test_policies import PERSON, by


@pytest.mark.parametrize("approver", ["human", "none"])
def test_approval_is_of_plans(world: World, approver: str) -> None:
    task = world.task("step")

    world.no("INVALID_INPUT", "tasks_policy", task=task, approval=approver)
    world.no("INVALID_INPUT", "tasks_define", task=task, path="s:0", policy={"approval": approver})


@pytest.mark.requirement("policy.approval.before-ready", "policy.people.approve")
def test_a_plan_and_its_tasks_wait_until_a_person_approves_it(world: World) -> None:
    plan = world.plan(title="Refunds")
    task = world.task("step", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human")
    later = world.task("step", plan=plan)

    for target in (task, later):
        seen = world.ok("tasks_radar", task=target)
        assert seen["now"] is None
        assert seen["blockers"] == [{"task": plan, "approval": "human", "title": "Refunds"}]
        assert (seen["next"]["tool"], seen["next"]["arguments"]["plan"]) == ("tasks_radar", plan)
    assert world.ok("tasks_context", ready=True)["items"] == []
    assert world.ok("tasks_radar", plan=plan)["now"] is None
    assert world.ok("tasks_lint", plan=plan)["counts"]["AWAITS_APPROVAL"] == 1
    close = {"task": task, "path": "s:0", "checkpoints": PROVEN}
    error = world.no("APPROVAL_REQUIRED", "tasks_close_step", **close)
    assert plan in error["recovery"]
    world.ok("tasks_note", task=task, path="s:0", note="Planning goes on.")

    world.no("HUMAN_REQUIRED", "tasks_approve", plan=plan)
    reply = by(world, PERSON).ok("tasks_approve", plan=plan, note="Go.")

    assert [event["type"] for event in world.logged(reply)] == ["plan_approved"]
    assert by(world, PERSON).ok("tasks_approve", plan=plan)["changed"] is False
    assert {row["id"] for row in world.ok("tasks_context", kind="task", ready=True)["items"]} == {task, later}
    world.ok("tasks_close_step", **close)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_verify", {"path": "s:0", "checkpoints": CONFIRMED}),
        ("tasks_done", {"path": "s:0"}),
        ("tasks_progress", {"path": "s:0", "completed": True}),
        ("tasks_progress", {"path": "s:0", "completed": True, "force": True, "reason": "Now."}),
        ("tasks_complete", {}),
        ("tasks_close_task", {"apply": True}),
        ("tasks_task_define", {"path": "s:0.t:0", "status": "DONE"}),
        (
            "tasks_patch",
            {"kind": "task", "path": "s:0.t:0", "ops": [{"op": "set", "field": "status", "value": "DONE"}]},
        ),
    ],
)
@pytest.mark.requirement("policy.approval.before-ready")
def test_no_road_leads_past_an_approval(world: World, tool: str, arguments: dict[str, Any]) -> None:
    plan = world.plan()
    task = world.task("step", plan=plan)
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="node")
    world.ok("tasks_policy", plan=plan, approval="human")

    world.no("APPROVAL_REQUIRED", tool, task=task, **arguments)
    shown = world.ok("tasks_close_task", task=task)
    assert shown["unmet"]["code"] == "APPROVAL_REQUIRED"


def test_new_plans_wait_where_the_workspace_says_so_and_older_ones_do_not(world: World) -> None:
    older = world.plan()
    world.ok("tasks_policy", approval="human")
    newer = world.plan()
    tasks = [world.task("step", plan=plan) for plan in (older, newer)]

    ready = {row["id"] for row in world.ok("tasks_context", kind="task", ready=True)["items"]}

    assert ready == {tasks[0]}
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("policy.people.approve")
def test_an_agent_cannot_redo_an_approval_that_was_taken_back(world: World) -> None:
    plan = world.plan()
    task = world.task("step", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human")
    person = by(world, PERSON)
    person.ok("tasks_approve", plan=plan)
    person.ok("tasks_undo", task=plan)

    world.no("HUMAN_REQUIRED", "tasks_redo", task=plan)

    world.no("APPROVAL_REQUIRED", "tasks_done", task=task, path="s:0")


def test_an_agent_cannot_take_the_approval_off_a_plan_that_the_workspace_would_not_ask_for(world: World) -> None:
    by(world, PERSON).ok("tasks_policy", approval="human")
    plan = world.plan()
    task = world.task("step", plan=plan)

    world.no("HUMAN_REQUIRED", "tasks_policy", plan=plan, approval=None)
    world.no("APPROVAL_REQUIRED", "tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)


def test_a_node_that_is_done_from_the_start_waits_for_approval_too(world: World) -> None:
    plan = world.plan()
    task = world.task("step", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human")

    world.no("APPROVAL_REQUIRED", "tasks_task_add", task=task, parent_step="s:0", title="node", status="DONE")
