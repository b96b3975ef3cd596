"""Moving a task to another plan, or out of its plan."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World

PERSON = Caller("human:ada")


def tasks_of(world: World, plan: str) -> list[str]:
    return [row["id"] for row in world.ok("tasks_context", kind="task", plan=plan)["items"]]


@pytest.mark.requirement("crew.move.task")
def test_a_task_moves_to_another_plan_with_its_steps_and_back_by_undo_and_there_again_by_redo(
    world: World,
) -> None:
    one, two = world.plan(), world.plan()
    task = world.task("first", "second", plan=one)
    world.close(task, "s:0")

    reply = world.ok("tasks_move", task=task, plan=two)

    assert (reply["task"], reply["plan"], reply["moved"]) == (task, two, 1)
    assert [(event["type"], event["from"], event["to"]) for event in world.logged(reply)] == [
        ("task_moved", one, two)
    ]
    assert (tasks_of(world, one), tasks_of(world, two)) == ([], [task])
    assert counts(world, two) == (2, 1)
    assert counts(world, one) == (0, 0)

    world.ok("tasks_undo")
    assert (tasks_of(world, one), tasks_of(world, two)) == ([task], [])
    assert counts(world, one) == (2, 1)

    world.ok("tasks_redo")
    assert (tasks_of(world, one), tasks_of(world, two)) == ([], [task])


def counts(world: World, plan: str) -> tuple[int, int]:
    found = world.ok("tasks_radar", plan=plan)["counts"]
    return found["total"], found["done"]


def test_a_task_moves_out_of_its_plan_and_into_one(world: World) -> None:
    plan = world.plan()
    task = world.task("first", plan=plan)

    out = world.ok("tasks_move", task=task, plan=None)
    assert "plan" not in out
    assert world.logged(out)[0]["to"] is None
    assert tasks_of(world, plan) == []

    into = world.ok("tasks_move", task=task, plan=plan)
    assert world.logged(into)[0]["from"] is None
    assert tasks_of(world, plan) == [task]


def test_a_task_that_is_in_the_plan_already_does_not_change(world: World) -> None:
    plan = world.plan()
    inside, outside = world.task(plan=plan), world.task()
    before = world.everything()

    assert world.ok("tasks_move", task=inside, plan=plan)["changed"] is False
    assert world.ok("tasks_move", task=outside, plan=None)["changed"] is False

    assert world.everything() == before


def test_an_open_task_reopens_the_done_plan_that_it_moves_into(world: World) -> None:
    plan = world.plan()
    task = world.task("first")
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_move", task=task, plan=plan)

    assert [event["type"] for event in reply["events"]] == ["task_moved", "task_reopened"]
    assert world.ok("tasks_resume", task=plan)["target"]["status"] != "DONE"


def test_a_done_task_leaves_a_done_plan_done(world: World) -> None:
    plan = world.plan()
    task = world.task("first")
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_move", task=task, plan=plan)

    assert [event["type"] for event in reply["events"]] == ["task_moved"]
    assert world.ok("tasks_resume", task=plan)["target"]["status"] == "DONE"


def test_a_task_does_not_move_into_a_plan_that_it_waits_for(world: World) -> None:
    plan = world.plan()
    task = world.task("first", depends_on=[plan])

    world.no("DEPENDENCY_CYCLE", "tasks_move", task=task, plan=plan)


@pytest.mark.requirement("crew.move.task")
def test_a_task_waits_for_the_approval_of_its_new_plan_and_no_longer_for_that_of_the_old_one(
    world: World,
) -> None:
    plan = world.plan()
    world.ok("tasks_policy", plan=plan, approval="human")
    task = world.task("first")
    assert world.ok("tasks_radar", task=task)["now"]["path"] == "s:0"

    world.ok("tasks_move", task=task, plan=plan)
    assert world.ok("tasks_radar", task=task)["now"] is None

    world.caller = PERSON
    world.ok("tasks_move", task=task, plan=None)
    assert world.ok("tasks_radar", task=task)["now"]["path"] == "s:0"


@pytest.mark.parametrize(
    ("policy", "loosened"),
    [
        ({"proof": "evidence"}, ["proof"]),
        ({"signoff": {"tests": "human"}}, ["signoff"]),
        ({"approval": "human"}, ["approval"]),
    ],
)
def test_only_a_person_moves_a_task_to_where_less_is_demanded(
    world: World, policy: dict[str, object], loosened: list[str]
) -> None:
    strict, loose = world.plan(), world.plan()
    world.ok("tasks_policy", plan=strict, **policy)
    task = world.task("first", plan=strict)

    refused = world.no("HUMAN_REQUIRED", "tasks_move", task=task, plan=loose)
    assert refused["loosened"] == loosened
    assert f"gatepost move {task} --plan {loose}" in refused["recovery"]
    assert (
        f"gatepost move {task} --plan none"
        in world.no("HUMAN_REQUIRED", "tasks_move", task=task, plan=None)["recovery"]
    )

    world.caller = PERSON
    assert world.logged(world.ok("tasks_move", task=task, plan=loose))[0]["loosened"] == loosened


def test_an_agent_does_not_undo_a_move_that_made_the_policy_stricter(world: World) -> None:
    strict = world.plan()
    world.ok("tasks_policy", plan=strict, proof="evidence")
    task = world.task("first")
    world.ok("tasks_move", task=task, plan=strict)

    world.no("HUMAN_REQUIRED", "tasks_undo")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"plan": "PLAN-009"}, "UNKNOWN_ID"),
        ({"task": "TASK-009", "plan": None}, "UNKNOWN_ID"),
        ({"task": "PLAN-001", "plan": None}, "INVALID_INPUT"),
        ({}, "INVALID_INPUT"),
        ({"plan": None, "expected_revision": 9}, "REVISION_MISMATCH"),
        ({"plan": None, "expected_step_revision": 1}, "INVALID_INPUT"),
    ],
)
def test_a_move_that_cannot_be_is_refused(world: World, given: dict[str, object], says: str) -> None:
    task = world.task("first", plan=world.plan())

    world.no(says, "tasks_move", **{"task": task, **given})


@pytest.mark.requirement("tasks.depends.plan-holds-tasks")
def test_a_task_waits_with_its_new_plan_and_no_longer_with_the_old_one(world: World) -> None:
    needed = world.task()
    held, free = world.plan(depends_on=[needed]), world.plan()
    task = world.task("a", plan=free)

    told = []
    for tool, arguments in (("tasks_move", {"task": task, "plan": held}), ("tasks_undo", {}), ("tasks_redo", {})):
        world.ok(tool, **arguments)
        told.append(world.ok("tasks_resume", task=task)["target"].get("waiting_for", 0))
    before = world.task(plan=free)
    world.ok("tasks_edit", task=needed, depends_on=[before])

    assert told == [1, 0, 1]
    world.no("DEPENDENCY_CYCLE", "tasks_move", task=before, plan=held)
