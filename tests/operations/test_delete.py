"""Deletion: what goes, what stays, who must be asked, and what is never given again."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import World, memory_store

WHY = {"force": True, "reason": "out of scope"}


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def paths(world: World, task: str) -> list[str]:
    return [step["path"] for step in world.ok("tasks_resume", task=task, limit=200)["steps"]]


def ids(world: World) -> list[str]:
    return [row["id"] for row in world.ok("tasks_context")["items"]]


def documents(world: World) -> list[Any]:
    rows: list[Any] = world.everything()["documents"]
    return rows


def tree(world: World) -> str:
    """A task of three levels, with a task node and a step in it."""
    below = [{"title": "a0", "steps": [{"title": "a00"}]}, {"title": "a1"}]
    task: str = world.ok(
        "tasks_create", kind="task", title="t", steps=[{"title": "a", "steps": below}, {"title": "b"}]
    )["id"]
    world.ok("tasks_task_add", task=task, parent_step="s:0.s:0", title="n")
    world.ok("tasks_decompose", task=task, path="s:0.s:0.t:0", steps=[{"title": "deep"}])
    return task


@pytest.mark.requirement("tasks.delete.step")
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_deleting_a_step_takes_all_below_it_and_nothing_else(world: World, by: str) -> None:
    task = tree(world)
    other = tree(world)
    step_id = world.step(task, "s:0.s:0")["step_id"]
    revision = world.revision(task)

    reply = world.ok("tasks_delete", task=task, **{by: {"path": "s:0.s:0", "step_id": step_id}[by]})

    assert set(reply) == {"task", "revision", "deleted", "step", "events"}
    assert (reply["task"], reply["deleted"], reply["revision"]) == (task, 4, revision + 1)
    assert reply["step"] == {"step_id": step_id, "path": "s:0.s:0", "title": "a0"}
    (event,) = world.logged(reply)
    assert (event["type"], event["step_id"], event["count"]) == ("step_deleted", step_id, 4)
    assert event["title"] == "a0"
    assert paths(world, task) == ["s:0", "s:0.s:1", "s:1"]
    assert len(paths(world, other)) == 7
    world.no("UNKNOWN_ID", "tasks_done", task=task, path="s:0.s:0.t:0.s:0")
    world.no("UNKNOWN_ID", "tasks_done", task=task, step_id=step_id)
    assert healthy(world)


@pytest.mark.requirement("tasks.delete.step")
def test_deleting_the_last_open_or_blocked_step_lets_what_is_above_go_on(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "x"}, {"title": "y"}])
    world.close(task, "s:0.s:0")
    world.ok("tasks_block", task=task, path="s:0.s:1", reason="no network")

    world.ok("tasks_delete", task=task, path="s:0.s:1")

    counts = world.ok("tasks_resume", task=task)["target"]["counts"]
    assert counts == {"total": 2, "done": 1, "open": 1, "blocked": 0}
    assert world.ok("tasks_radar", task=task)["now"]["path"] == "s:0"
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    assert healthy(world)


@pytest.mark.requirement("tasks.delete.step", "tasks.force.holds-completion")
def test_a_deleted_forced_step_owes_nothing_any_more(world: World) -> None:
    task = world.task("a", "b")
    world.close(task, "s:1")
    world.ok("tasks_progress", task=task, path="s:0", completed=True, force=True, reason="demo")
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)

    world.ok("tasks_delete", task=task, path="s:0")
    world.ok("tasks_complete", task=task)

    assert healthy(world)


@pytest.mark.requirement("tasks.delete.root")
def test_deleting_a_task_removes_it_and_its_steps(world: World) -> None:
    task, kept = tree(world), world.task("kept")
    held = len(documents(world))

    reply = world.ok("tasks_delete", task=task)

    assert set(reply) == {"task", "revision", "deleted", "events"}
    assert (reply["task"], reply["deleted"]) == (task, 8)
    (event,) = world.logged(reply)
    assert (event["type"], event["task"], event["steps"]) == ("task_deleted", task, 7)
    assert ids(world) == [kept]
    assert len(documents(world)) == held - 8
    for tool in ("tasks_resume", "tasks_radar", "tasks_complete", "tasks_delete"):
        world.no("UNKNOWN_ID", tool, task=task)
    assert healthy(world)


@pytest.mark.requirement("tasks.delete.root")
def test_deleting_a_plan_takes_its_tasks_with_it_and_no_others(world: World) -> None:
    plan, other = world.plan(), world.plan()
    first, second = tree(world), world.task("x", plan=plan)
    third = world.task(plan=plan, depends_on=[second])
    world.ok("tasks_plan", plan=plan, steps=["one"])
    kept = world.task(plan=other)

    reply = world.ok("tasks_delete", task=plan)

    assert reply["deleted"] == 4
    assert [event["type"] for event in world.logged(reply)] == ["task_deleted", "task_deleted", "plan_deleted"]
    assert world.logged(reply)[-1]["tasks"] == 2
    assert {event.get("task") for event in world.logged(reply)} == {second, third, None}
    assert ids(world) == [other, first, kept]
    assert healthy(world)


@pytest.mark.requirement("tasks.delete.root", "tasks.complete.plan-tasks-open")
def test_deleting_the_last_open_task_lets_its_plan_complete(world: World) -> None:
    plan = world.plan()
    task = world.task("x", plan=plan)
    world.no("CHILDREN_OPEN", "tasks_complete", task=plan)

    world.ok("tasks_delete", task=task)
    world.ok("tasks_complete", task=plan)

    assert healthy(world)


@pytest.mark.requirement("tasks.delete.revision-checked")
@pytest.mark.parametrize("selector", [{}, {"path": "s:0"}])
def test_deleting_with_a_stale_revision_is_refused(world: World, selector: dict[str, str]) -> None:
    task = world.task("a")
    world.ok("tasks_note", task=task, note="moved on")

    error = world.no("REVISION_MISMATCH", "tasks_delete", task=task, expected_revision=1, **selector)
    reply = world.ok("tasks_delete", task=task, expected_revision=error["current_revision"], **selector)

    assert reply["revision"] == 3


@pytest.mark.requirement("tasks.delete.step", "tasks.delete.root")
def test_deleting_what_is_not_there_is_refused(world: World) -> None:
    task, other = world.task("a"), world.task("b")
    theirs = world.step(other, "s:0")["step_id"]

    world.no("UNKNOWN_ID", "tasks_delete", task="PLAN-001")
    world.no("UNKNOWN_ID", "tasks_delete", task=task, path="s:1")
    world.no("UNKNOWN_ID", "tasks_delete", task=task, step_id=theirs)
    world.no("TARGET_MISMATCH", "tasks_delete", task=other, step_id=theirs, path="s:1")


@pytest.mark.requirement("tasks.depends.delete-refused")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_deleting_what_others_depend_on_is_refused_and_names_them(world: World, kind: str) -> None:
    needed = world.ok("tasks_create", kind=kind, title="x")["id"]
    task, plan = world.task(depends_on=[needed]), world.plan(depends_on=[needed])

    error = world.no("HAS_DEPENDENTS", "tasks_delete", task=needed)

    assert error["missing"] == [{"task": plan}, {"task": task}]
    assert all(name in error["message"] for name in (needed, task, plan))


@pytest.mark.requirement("tasks.depends.delete-refused")
def test_deleting_a_plan_is_refused_while_an_outsider_waits_for_one_of_its_tasks(world: World) -> None:
    plan = world.plan()
    inside = world.task(plan=plan)
    outside = world.task(depends_on=[inside])

    error = world.no("HAS_DEPENDENTS", "tasks_delete", task=plan)
    world.ok("tasks_edit", task=outside, depends_on=[])
    world.ok("tasks_delete", task=plan)

    assert error["missing"] == [{"task": outside}]
    assert healthy(world)


@pytest.mark.requirement("tasks.depends.delete-forced")
def test_force_with_a_reason_removes_the_links_in_the_same_transaction(world: World) -> None:
    needed, other = world.task("x"), world.task()
    task = world.task("y", depends_on=[needed, other])
    plan = world.plan(depends_on=[needed])
    revisions = world.revision(task), world.revision(plan)
    held = len(world.everything()["operations"])

    reply = world.ok("tasks_delete", task=needed, **WHY)

    assert reply["unlinked"] == [plan, task]
    assert len(world.everything()["operations"]) == held + 1
    told = {(event["type"], event.get("task") or event.get("plan")) for event in world.logged(reply)}
    assert told == {("task_edited", task), ("plan_edited", plan), ("task_deleted", needed)}
    deletion = next(event for event in world.logged(reply) if event["type"] == "task_deleted")
    assert deletion["reason"] == "out of scope"
    found = world.ok("tasks_resume", task=task)["target"]
    assert (found["depends_on"], found["waiting_for"]) == ([other], 1)
    assert "depends_on" not in world.ok("tasks_resume", task=plan)["target"]
    assert (world.revision(task), world.revision(plan)) == (revisions[0] + 1, revisions[1] + 1)
    world.ok("tasks_complete", task=other)
    assert task in [row["id"] for row in world.ok("tasks_context", ready=True)["items"]]
    assert healthy(world)


@pytest.mark.requirement("tasks.depends.force-needs-reason")
@pytest.mark.parametrize("reason", [{}, {"reason": ""}, {"reason": " \n"}])
def test_force_without_a_reason_is_refused(world: World, reason: dict[str, str]) -> None:
    needed = world.task()
    world.task(depends_on=[needed])

    error = world.no("INVALID_INPUT", "tasks_delete", task=needed, force=True, **reason)
    world.no("HAS_DEPENDENTS", "tasks_delete", task=needed, reason="a reason alone is no force")

    assert "reason" in error["message"]


@pytest.mark.requirement("tasks.delete.undoable")
def test_a_deleted_subtree_and_a_deleted_plan_come_back_whole_by_undo(world: World) -> None:
    plan = world.plan()
    task = tree(world)
    world.task("x", plan=plan)
    waiter = world.task(depends_on=[plan])
    world.ok(
        "tasks_close_step",
        task=task,
        path="s:1",
        checkpoints={"criteria": {"confirmed": True}, "tests": {"confirmed": True}},
    )
    before = documents(world)

    for call in ({"task": task, "path": "s:0"}, {"task": task}, {"task": plan, **WHY}):
        world.ok("tasks_delete", **call)
        assert documents(world) != before
        world.ok("tasks_undo")
        assert documents(world) == before
        assert healthy(world)

    assert world.ok("tasks_resume", task=waiter)["target"]["depends_on"] == [plan]


@pytest.mark.requirement("tasks.focus.cleared-by-delete")
def test_deleting_what_is_in_focus_or_holds_it_clears_the_focus(world: World) -> None:
    plan = world.plan()
    task, member, beside = world.task("a"), world.task(plan=plan), world.task()

    for focused, deleted in ((task, task), (member, plan)):
        world.ok("tasks_focus_set", task=focused)
        reply = world.ok("tasks_delete", task=deleted)
        assert reply["events"][-1]["type"] == "focus_cleared"
        assert reply["events"][-1]["before"] == focused
        assert world.ok("tasks_focus_get")["focus"] is None
    world.ok("tasks_focus_set", task=beside)
    other = world.ok("tasks_delete", task=world.task("b"))

    assert [event["type"] for event in other["events"]] == ["task_deleted"]
    assert world.ok("tasks_focus_get")["focus"]["id"] == beside
    assert healthy(world)


@pytest.mark.requirement("tasks.names.never-reused")
def test_the_number_of_a_deleted_plan_or_task_is_not_given_again(world: World) -> None:
    plan, task = world.plan(), world.task()
    world.ok("tasks_delete", task=plan)
    world.ok("tasks_delete", task=task)

    assert (world.plan(), world.task()) == ("PLAN-002", "TASK-002")
    world.no("UNKNOWN_ID", "tasks_resume", task=plan)
    assert healthy(world)


@pytest.mark.requirement("tasks.tree.never-renumbered")
def test_a_freed_ordinal_stays_free_and_nobody_moves(world: World) -> None:
    task = world.task("a", "b", "c")
    world.ok("tasks_task_add", task=task, parent_step="s:1", title="n")
    names = {path: world.step(task, path)["step_id"] for path in ("s:0", "s:1", "s:2")}

    world.ok("tasks_delete", task=task, path="s:0")
    world.ok("tasks_delete", task=task, path="s:2")
    world.ok("tasks_task_delete", task=task, path="s:1.t:0")
    made = world.ok("tasks_decompose", task=task, steps=[{"title": "d"}])["steps"]
    node = world.ok("tasks_task_add", task=task, parent_step="s:1", title="m")["node"]

    assert world.step(task, "s:1")["step_id"] == names["s:1"]
    assert (made[0]["path"], node["path"]) == ("s:3", "s:1.t:1")
    assert paths(world, task) == ["s:1", "s:1.t:1", "s:3"]
    world.no("UNKNOWN_ID", "tasks_resume", task=task, path="s:0")


ACTS = st.lists(st.tuples(st.sampled_from(["step", "node", "delete"]), st.integers(0, 40)), max_size=25)


@settings(max_examples=30, deadline=None)
@given(ACTS)
@pytest.mark.requirement("tasks.names.never-reused", "tasks.tree.never-renumbered")
def test_whatever_is_added_and_deleted_no_id_and_no_path_ever_means_something_else(
    acts: list[tuple[str, int]],
) -> None:
    world = World(memory_store())
    task = world.task("root")
    first = world.step(task, "s:0")["step_id"]
    ever = {"s:0": first}
    alive = ["s:0"]

    for act, number in acts:
        at = alive[number % len(alive)] if alive else None
        if act == "delete" and at is not None:
            world.ok("tasks_delete", task=task, path=at)
            alive = [path for path in alive if path != at and not path.startswith(f"{at}.")]
            continue
        if act == "node" and at is not None and at.split(".")[-1].startswith("s"):
            made = world.ok("tasks_task_add", task=task, parent_step=at, title="n")["node"]
        else:
            over = {} if at is None else {"path": at}
            made = world.ok("tasks_decompose", task=task, steps=[{"title": "s"}], **over)["steps"][0]
        assert made["path"] not in ever
        assert made["step_id"] not in ever.values()
        ever[made["path"]] = made["step_id"]
        alive.append(made["path"])

    found = {step["path"]: step["step_id"] for step in world.ok("tasks_resume", task=task, limit=200)["steps"]}
    assert found == {path: ever[path] for path in alive}
    assert healthy(world)
