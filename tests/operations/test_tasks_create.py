"""Making plans and tasks: what they are called, where they belong, and what the reply holds."""

import re

import pytest

from tests.givens import World


@pytest.mark.requirement("tasks.create.plan", "tasks.create.revision-one")
def test_a_new_plan_is_answered_with_its_id_its_kind_revision_one_and_its_event(world: World) -> None:
    reply = world.ok("tasks_create", kind="plan", title="Ship it")

    event = {"seq": 1, "type": "plan_created", "at": "2026-01-01T00:00:00.000Z", "actor": "tester"}
    assert reply == {
        "id": "PLAN-001",
        "kind": "plan",
        "revision": 1,
        "events": [{"seq": 1, "type": "plan_created"}],
    }
    assert world.logged(reply) == [{**event, "plan": "PLAN-001", "title": "Ship it"}]


@pytest.mark.requirement("tasks.plan.top-level")
def test_a_plan_keeps_its_contract_and_belongs_to_nothing(world: World) -> None:
    given = {
        "title": "Ship it",
        "description": "All of it",
        "context": "Before the fair",
        "priority": "HIGH",
        "domain": "release",
        "tags": ["fair", "q3"],
        "contract": "No data is lost.",
        "contract_data": {"budget": 3, "owners": ["ann"]},
    }

    plan = world.ok("tasks_create", kind="plan", **given)["id"]

    shown = world.ok("tasks_resume", plan=plan)["target"]
    assert {name: shown[name] for name in given} == given
    assert shown["status"] == "TODO"
    assert "plan" not in shown


@pytest.mark.requirement("tasks.plan.top-level")
@pytest.mark.parametrize("misplaced", [{"plan": "PLAN-001"}, {"steps": [{"title": "s"}]}])
def test_a_plan_inside_of_a_plan_or_with_steps_is_refused(world: World, misplaced: dict[str, object]) -> None:
    world.plan()

    error = world.no("INVALID_INPUT", "tasks_create", kind="plan", title="Inner", **misplaced)

    assert next(iter(misplaced)) in error["message"]


@pytest.mark.requirement("tasks.create.task", "tasks.create.revision-one")
def test_a_new_task_is_answered_with_the_ids_and_paths_of_its_steps(world: World) -> None:
    steps = [{"title": "one", "steps": [{"title": "below one"}]}, {"title": "two"}]

    reply = world.ok("tasks_create", kind="task", title="Work", steps=steps)

    assert set(reply) == {"id", "kind", "revision", "steps", "events"}
    assert (reply["id"], reply["kind"], reply["revision"]) == ("TASK-001", "task", 1)
    assert [set(step) for step in reply["steps"]] == [{"step_id", "path"}] * 3
    assert [step["path"] for step in reply["steps"]] == ["s:0", "s:0.s:0", "s:1"]
    created, added = world.logged(reply)
    assert (created["type"], created["task"], created["title"]) == ("task_created", "TASK-001", "Work")
    assert (added["type"], added["count"], added["first"], added["last"]) == ("steps_added", 3, "s:0", "s:1")


@pytest.mark.requirement("tasks.create.task")
def test_a_task_without_steps_is_answered_without_steps(world: World) -> None:
    reply = world.ok("tasks_create", kind="task", title="Work")

    assert set(reply) == {"id", "kind", "revision", "events"}
    assert [event["type"] for event in reply["events"]] == ["task_created"]


@pytest.mark.requirement("tasks.task.in-plan")
def test_a_task_made_in_a_plan_is_listed_there_and_counted(world: World) -> None:
    plan, other = world.plan(), world.plan()
    world.task(title="alone")

    task = world.ok("tasks_create", kind="task", title="within", plan=plan)

    assert task["events"][0]["plan"] == plan
    shown = world.ok("tasks_resume", plan=plan)
    assert [row["id"] for row in shown["tasks"]] == [task["id"]]
    assert shown["target"]["counts"]["tasks"] == {"total": 1, "done": 0, "open": 1}
    assert world.ok("tasks_resume", plan=other)["tasks"] == []


@pytest.mark.requirement("tasks.task.in-plan")
def test_a_task_in_a_plan_that_does_not_exist_is_refused(world: World) -> None:
    world.plan()

    error = world.no("UNKNOWN_ID", "tasks_create", kind="task", title="lost", plan="PLAN-002")

    assert "PLAN-002" in error["message"]
    assert error["field"] == "plan"


@pytest.mark.requirement("tasks.task.in-plan")
def test_a_task_in_a_task_is_refused(world: World) -> None:
    task = world.task()

    world.no("INVALID_INPUT", "tasks_create", kind="task", title="inner", plan=task)


@pytest.mark.parametrize("misplaced", [{"contract": "No."}, {"contract_data": {"a": 1}}, {"contract_data": {}}])
def test_a_task_with_a_contract_is_refused(world: World, misplaced: dict[str, object]) -> None:
    error = world.no("INVALID_INPUT", "tasks_create", kind="task", title="t", **misplaced)

    assert next(iter(misplaced)) in error["message"]


def test_a_task_for_another_state_of_its_plan_is_refused(world: World) -> None:
    plan = world.plan()

    error = world.no("REVISION_MISMATCH", "tasks_create", kind="task", title="t", plan=plan, expected_revision=7)

    assert error["current_revision"] == 1


@pytest.mark.requirement("tasks.names.plan-and-task")
def test_plans_and_tasks_are_numbered_apart_and_from_one(world: World) -> None:
    made = [world.plan(), world.task(), world.task(), world.plan(), world.task()]

    assert made == ["PLAN-001", "TASK-001", "TASK-002", "PLAN-002", "TASK-003"]


@pytest.mark.requirement("tasks.names.plan-and-task")
def test_names_grow_past_999_and_are_listed_in_the_order_of_their_numbers(one_world: World) -> None:
    for _ in range(998):
        one_world.task()

    made = [one_world.task() for _ in range(4)]

    assert made == ["TASK-999", "TASK-1000", "TASK-1001", "TASK-1002"]
    assert one_world.revision("TASK-1000") == 1
    page = one_world.ok("tasks_context", limit=200)
    listed = page["items"]
    while page["has_more"]:
        page = one_world.ok("tasks_context", limit=200, cursor=page["cursor"])
        listed += page["items"]
    assert [row["id"] for row in listed] == [f"TASK-{number:03d}" for number in range(1, 1003)]


@pytest.mark.requirement("tasks.names.plan-and-task")
def test_a_refused_creation_uses_up_no_number(world: World) -> None:
    world.task()
    world.no("UNKNOWN_ID", "tasks_create", kind="task", title="t", depends_on=["TASK-044"])

    made = world.task()

    assert made == "TASK-002"


@pytest.mark.requirement("tasks.names.per-workspace")
def test_each_workspace_counts_for_itself(world: World) -> None:
    world.task()
    world.plan()

    there = world.ok("tasks_create", workspace="acme/other", kind="task", title="t", steps=[{"title": "s"}])

    assert there["id"] == "TASK-001"
    assert there["events"][0]["seq"] == 1
    assert world.task() == "TASK-002"


@pytest.mark.requirement("tasks.names.step")
def test_the_ids_of_steps_are_step_and_eight_hexadecimal_digits_and_all_different(world: World) -> None:
    task = world.task("a", "b", "c")
    other = world.task("d")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "e"}, {"title": "f"}])

    ids = [step["step_id"] for name in (task, other) for step in world.ok("tasks_resume", task=name)["steps"]]

    assert len(set(ids)) == 6
    assert all(re.fullmatch(r"STEP-[0-9A-F]{8}", step_id) for step_id in ids)
