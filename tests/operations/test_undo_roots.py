"""Undo of what plans and tasks hang on: creation, deletion, dependencies, and plans that must stay true."""

from itertools import pairwise
from typing import Any

import pytest

from tests.engine import books
from tests.givens import CONFIRMED, World, memory_store


def documents(world: World) -> dict[str, str]:
    return dict(world.everything()["documents"])


def status(world: World, name: str) -> str:
    found: str = world.ok("tasks_resume", task=name)["target"]["status"]
    return found


def batch(world: World, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return world.ok("tasks_batch", operations=[{"tool": tool, "arguments": given} for tool, given in calls])


@pytest.mark.requirement("tasks.undo.of-task")
def test_undoing_a_creation_removes_the_task_and_clears_the_focus(world: World) -> None:
    task = world.task("first", "second")
    world.ok("tasks_focus_set", task=task)
    world.ok("tasks_note", task=task, note="Begun.")

    reply = world.ok("tasks_undo", task=task)

    assert [event["type"] for event in reply["events"]] == ["focus_cleared", "operation_undone"]
    assert [place for place in documents(world) if place.startswith("t")] == []
    assert world.ok("tasks_focus_get")["focus"] is None
    assert world.task() == "TASK-002"
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_a_creation_is_not_undone_while_something_depends_on_it(kind: str, world: World) -> None:
    made = world.plan() if kind == "plan" else world.task()
    waiter = world.task(depends_on=[made])

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=made)

    assert [moved["where"] for moved in error["moved"]] == [waiter]
    world.ok("tasks_edit", task=waiter, depends_on=[])
    world.ok("tasks_undo", task=made)


@pytest.mark.requirement("tasks.undo.conflict")
def test_a_plan_is_not_undone_while_it_holds_a_task(world: World) -> None:
    plan = world.plan()
    task = world.task(plan=plan)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=plan)

    assert "tasks" in error["message"]
    world.ok("tasks_undo", task=task)
    world.ok("tasks_undo", task=plan)
    assert documents(world) == {}


@pytest.mark.requirement("tasks.delete.undoable")
@pytest.mark.parametrize("gone", ["step", "task", "plan"])
def test_a_deletion_is_undone_whole(gone: str, world: World) -> None:
    plan = world.plan(contract="Words.")
    task = world.task("first", "second", plan=plan)
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="A node")
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=[{"title": "deep"}])
    world.close(task, "s:0.s:0")
    world.ok("tasks_block", task=task, path="s:1", reason="Rain.")
    world.ok("tasks_focus_set", task=plan if gone == "plan" else task)
    before = world.everything()
    given = {"step": {"task": task, "path": "s:0"}, "task": {"task": task}, "plan": {"task": plan}}[gone]
    world.ok("tasks_delete", **given)

    reply = world.ok("tasks_undo")

    after = world.everything()
    assert reply["tool"] == "tasks_delete"
    assert (after["documents"], after["terms"]) == (before["documents"], before["terms"])
    books.check_all(after)
    world.ok("tasks_redo")
    world.ok("tasks_undo")
    assert world.everything()["documents"] == before["documents"]


@pytest.mark.requirement("tasks.delete.undoable")
@pytest.mark.parametrize("first", [True, False], ids=["waiter first", "waiter last"])
def test_a_forced_deletion_is_undone_with_the_links_it_removed(first: bool, world: World) -> None:
    older, newer = world.task(), world.task()
    waiter, needed = (older, newer) if first else (newer, older)
    world.ok("tasks_edit", task=waiter, depends_on=[needed])
    before = world.everything()
    world.ok("tasks_delete", task=needed, force=True, reason="Not needed.")

    world.ok("tasks_undo")

    after = world.everything()
    assert (after["documents"], after["terms"]) == (before["documents"], before["terms"])
    books.check_all(after)


@pytest.mark.requirement("tasks.delete.undoable")
def test_a_deleted_plan_comes_back_with_tasks_that_wait_for_one_another(world: World) -> None:
    plan = world.plan()
    first, second = world.task(plan=plan), world.task(plan=plan)
    world.ok("tasks_edit", task=first, depends_on=[second])
    before = world.everything()
    world.ok("tasks_delete", task=plan)

    world.ok("tasks_undo", task=second)

    after = world.everything()
    assert (after["documents"], after["terms"]) == (before["documents"], before["terms"])
    books.check_all(after)


@pytest.mark.requirement("tasks.delete.undoable")
def test_a_deleted_plan_comes_back_however_long_the_chain_of_its_tasks_is() -> None:
    world = World(memory_store())
    plan, count = world.plan(), 1_200
    names = [f"TASK-{number:03d}" for number in range(1, count + 1)]
    for _ in range(0, count, 200):
        batch(world, *[("tasks_create", {"kind": "task", "title": "A link", "plan": plan})] * 200)
    links = [("tasks_edit", {"task": one, "depends_on": [two]}) for one, two in pairwise(names)][::-1]
    for first in range(0, len(links), 200):
        batch(world, *links[first : first + 200])
    before = documents(world)
    world.ok("tasks_delete", task=plan)

    world.ok("tasks_undo")

    assert documents(world) == before


@pytest.mark.requirement("tasks.undo.conflict")
def test_a_task_does_not_come_back_without_its_plan(world: World) -> None:
    plan = world.plan()
    task = world.task(plan=plan)
    world.ok("tasks_delete", task=task)
    world.ok("tasks_delete", task=plan)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=task)

    assert plan in error["message"]
    world.ok("tasks_undo", task=plan)
    world.ok("tasks_undo", task=task)
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict")
def test_a_dependency_does_not_come_back_on_something_that_is_gone(world: World) -> None:
    needed = world.task()
    waiter = world.task(depends_on=[needed])
    world.ok("tasks_edit", task=waiter, depends_on=[])
    world.ok("tasks_delete", task=needed)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=waiter)

    assert needed in error["message"]
    world.ok("tasks_undo", task=needed)
    world.ok("tasks_undo", task=waiter)
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict")
def test_an_undo_that_would_close_a_circle_of_dependencies_is_refused(world: World) -> None:
    one = world.task()
    two = world.task(depends_on=[one])
    world.ok("tasks_edit", task=two, depends_on=[])
    world.ok("tasks_edit", task=one, depends_on=[two])

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=two)

    assert one in error["message"]
    assert two in error["message"]
    world.ok("tasks_undo", task=one)
    world.ok("tasks_undo", task=two)
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict", "tasks.undo.of-task")
@pytest.mark.parametrize("way", ["circle", "gone", "plan"])
def test_an_undo_that_others_stand_in_the_way_of_does_not_take_an_older_one_of_the_task_instead(
    way: str, world: World
) -> None:
    plan, needed = world.plan(), world.task()
    task = world.task("first", depends_on=[needed])
    world.ok("tasks_complete", task=plan)
    world.ok("tasks_note", task=task, note="Begun.")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    batch(
        world, ("tasks_complete", {"task": plan, "status": "ACTIVE"}), ("tasks_edit", {"task": task, "title": "X"})
    )
    if way != "plan":
        world.ok("tasks_edit", task=task, depends_on=[])
    ways: dict[str, tuple[str, dict[str, Any]]] = {
        "circle": ("tasks_edit", {"task": needed, "depends_on": [task]}),
        "gone": ("tasks_delete", {"task": needed}),
        "plan": ("tasks_create", {"kind": "task", "title": "Since", "plan": plan}),
    }
    tool, given = ways[way]
    world.ok(tool, **given)

    world.no("UNDO_CONFLICT", "tasks_undo", task=task)

    assert world.ok("tasks_undo")["tool"] == tool
    world.ok("tasks_undo", task=task)
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.of-task")
def test_an_undo_in_a_task_of_a_done_plan_reopens_the_plan_and_redo_closes_it_again(world: World) -> None:
    plan = world.plan()
    task = world.task("first", plan=plan)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_undo", task=task)

    assert (status(world, task), status(world, plan)) == ("ACTIVE", "ACTIVE")
    assert [event["type"] for event in reply["events"]] == ["task_reopened", "operation_undone"]
    assert reply["revisions"] == {task: world.revision(task), plan: world.revision(plan)}
    world.ok("tasks_redo", task=task)
    assert (status(world, task), status(world, plan)) == ("DONE", "DONE")
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.delete.undoable")
def test_an_open_task_that_comes_back_reopens_its_done_plan(world: World) -> None:
    plan = world.plan()
    task = world.task("first", plan=plan)
    world.ok("tasks_delete", task=task)
    world.ok("tasks_complete", task=plan)

    world.ok("tasks_undo", task=task)

    assert status(world, plan) == "ACTIVE"
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict")
def test_an_undo_never_completes_a_plan_over_a_task_that_came_since(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_complete", task=plan)
    first = world.task(plan=plan)
    world.task(plan=plan)

    answered = world.ask("tasks_undo", task=first)

    assert answered.refusal is None or answered.refusal.code == "UNDO_CONFLICT"
    books.check_gate(world.everything())
    assert status(world, plan) == "ACTIVE"


@pytest.mark.requirement("tasks.undo.conflict")
def test_undoing_the_reopening_of_a_plan_does_not_complete_it_over_open_tasks(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_complete", task=plan)
    world.ok("tasks_complete", task=plan, status="ACTIVE")
    task = world.task(plan=plan)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=plan)

    assert plan in error["message"]
    world.ok("tasks_undo", task=task)
    assert world.ok("tasks_undo", task=plan)["tool"] == "tasks_complete"
    assert status(world, plan) == "DONE"


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("tasks_close_step", {"path": "s:0.s:0", "checkpoints": CONFIRMED}),
    ("tasks_delete", {"path": "s:0.s:0"}),
    ("tasks_task_delete", {"path": "s:0.t:0"}),
    ("tasks_task_define", {"path": "s:0.t:0", "status": "DONE"}),
]


@pytest.mark.requirement("tasks.undo.of-task")
@pytest.mark.parametrize(("tool", "given"), CHANGES, ids=[tool for tool, _ in CHANGES])
@pytest.mark.parametrize("whole", [False, True], ids=["step", "task"])
def test_an_undo_from_another_task_leaves_no_step_or_task_done_over_what_it_opens(
    tool: str, given: dict[str, Any], whole: bool, world: World
) -> None:
    mine, other = world.task("first"), world.task()
    if "t:0" in given["path"]:
        world.ok("tasks_task_add", task=mine, parent_step="s:0", title="A node")
    else:
        world.ok("tasks_decompose", task=mine, path="s:0", steps=[{"title": "below"}])
    world.ok("tasks_note", task=mine, note="Begun.")
    batch(world, (tool, {"task": mine, **given}), ("tasks_edit", {"task": other, "title": "Both"}))
    world.close(mine, "s:0")
    if whole:
        world.ok("tasks_complete", task=mine)

    world.ok("tasks_undo", task=other)

    assert world.step(mine, "s:0")["done"] is False
    assert status(world, mine) == "ACTIVE"
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.undo.conflict")
def test_an_undo_from_a_task_does_not_take_the_checklist_from_under_a_done_plan(world: World) -> None:
    plan, other = world.plan(), world.task()
    world.ok("tasks_plan", plan=plan, steps=["Pack", "Go"])
    last = {"plan": plan, "current": 2}
    batch(world, ("tasks_plan", last), ("tasks_edit", {"task": other, "title": "Both"}))
    world.ok("tasks_complete", task=plan)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=other)

    assert [moved["where"] for moved in error["moved"]] == [plan]


@pytest.mark.requirement("tasks.undo.appends")
@pytest.mark.parametrize("scope", ["task", "workspace"])
def test_the_revision_of_the_reply_is_that_of_the_task_not_of_the_focus(scope: str, world: World) -> None:
    task = world.task()
    world.ok("tasks_edit", task=task, title="Better")
    world.ok("tasks_focus_set", task=task)
    world.ok("tasks_delete", task=task)

    reply = world.ok("tasks_undo", **({"task": task} if scope == "task" else {}))

    assert reply["revision"] == world.revision(task) == 4
    assert reply["revisions"][task] == 4
