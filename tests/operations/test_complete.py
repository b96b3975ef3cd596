"""Completion: a plan or task is DONE only over work that is done and proven, and only as long as it is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import CONFIRMED, World, memory_store

FORCED = {"completed": True, "force": True, "reason": "the demo is today"}


def status(world: World, target: str) -> str:
    found: str = world.ok("tasks_resume", task=target)["target"]["status"]
    return found


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def types(reply: dict[str, Any]) -> list[str]:
    return [event["type"] for event in reply["events"]]


@pytest.mark.requirement("tasks.complete.sets-status", "tasks.complete.default-done")
def test_a_task_completes_without_a_status_once_its_steps_are_closed(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")

    reply = world.ok("tasks_complete", task=task)

    assert set(reply) == {"task", "status", "revision", "events"}
    assert (reply["task"], reply["status"], reply.get("changed", True)) == (task, "DONE", True)
    assert reply["revision"] == 3 == world.revision(task)
    (event,) = world.logged(reply)
    assert (event["type"], event["task"]) == ("task_completed", task)
    assert status(world, task) == "DONE"
    assert healthy(world)


@pytest.mark.requirement("tasks.complete.sets-status")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_any_of_the_three_statuses_can_be_set_and_taken_back(world: World, kind: str) -> None:
    target = world.ok("tasks_create", kind=kind, title="x")["id"]

    told = []
    for wanted in ("ACTIVE", "TODO", "DONE", "ACTIVE", "DONE", "TODO"):
        told.append(types(world.ok("tasks_complete", task=target, status=wanted))[0])
        assert status(world, target) == wanted

    edited = f"{kind}_edited"
    assert told == [edited, edited, "task_completed", "task_reopened", "task_completed", "task_reopened"]
    assert healthy(world)


@pytest.mark.requirement("tasks.complete.sets-status")
@pytest.mark.parametrize("wanted", ["TODO", "DONE"])
def test_a_status_that_is_already_so_changes_nothing(world: World, wanted: str) -> None:
    task = world.task()
    world.ok("tasks_complete", task=task, status=wanted)
    before = world.everything()

    reply = world.ok("tasks_complete", task=task, status=wanted)

    assert (reply["changed"], reply["events"], reply["status"]) == (False, [], wanted)
    assert world.everything() == before


@pytest.mark.requirement("tasks.complete.sets-status")
def test_completing_what_does_not_exist_is_refused(world: World) -> None:
    world.task()

    world.no("UNKNOWN_ID", "tasks_complete", task="TASK-099")
    world.no("UNKNOWN_ID", "tasks_complete", task="PLAN-001", expected_revision=7)
    world.no("INVALID_INPUT", "tasks_complete", task="STEP-00000000")
    world.no("INVALID_INPUT", "tasks_complete", task="TASK-001", status=None)


@pytest.mark.requirement("tasks.complete.revision-checked")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_completing_with_a_stale_revision_is_refused_with_the_current_one(world: World, kind: str) -> None:
    target = world.ok("tasks_create", kind=kind, title="x")["id"]
    world.ok("tasks_note", task=target, note="moved on")

    error = world.no("REVISION_MISMATCH", "tasks_complete", task=target, expected_revision=1)
    world.ok("tasks_complete", task=target, expected_revision=error["current_revision"])

    assert error["current_revision"] == 2
    assert status(world, target) == "DONE"


@pytest.mark.requirement("tasks.complete.revision-checked")
def test_a_stale_revision_is_named_before_what_is_open(world: World) -> None:
    task = world.task("open")

    world.no("REVISION_MISMATCH", "tasks_complete", task=task, expected_revision=9)


@pytest.mark.requirement("tasks.complete.without-steps")
def test_a_task_without_steps_and_a_plan_without_tasks_may_complete(world: World) -> None:
    plan = world.plan()
    task = world.task(plan=plan)

    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    assert (status(world, task), status(world, plan)) == ("DONE", "DONE")
    assert healthy(world)


@pytest.mark.requirement("tasks.complete.task-children-open")
def test_a_task_with_open_steps_is_refused_with_the_deepest_of_them(world: World) -> None:
    steps = [{"title": "a", "steps": [{"title": "b"}, {"title": "c"}]}, {"title": "d"}]
    made = world.ok("tasks_create", kind="task", title="t", steps=steps)
    task, ids = made["id"], {step["path"]: step["step_id"] for step in made["steps"]}
    world.close(task, "s:0.s:0")

    error = world.no("CHILDREN_OPEN", "tasks_complete", task=task)

    assert error["open"] == 3
    assert error["missing"] == [{"step_id": ids[path], "path": path} for path in ("s:0.s:1", "s:1")]
    assert "3 open" in error["message"]
    assert ids["s:0.s:1"] in error["message"]


@pytest.mark.requirement("tasks.complete.task-children-open")
def test_a_task_with_an_open_task_node_is_refused_and_names_it(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")
    node = world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")["node"]

    error = world.no("CHILDREN_OPEN", "tasks_complete", task=task)

    assert (error["open"], error["missing"]) == (2, [{"step_id": node["step_id"], "path": node["path"]}])


@pytest.mark.requirement("tasks.complete.task-children-open")
def test_a_blocked_step_is_open_work(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_block", task=task, path="s:0", reason="no network")

    error = world.no("CHILDREN_OPEN", "tasks_complete", task=task)

    assert [step["path"] for step in error["missing"]] == ["s:0"]


@pytest.mark.requirement("tasks.complete.task-children-open")
def test_a_long_list_of_what_is_open_is_cut_but_counted(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(25)))

    error = world.no("CHILDREN_OPEN", "tasks_complete", task=task)

    assert error["open"] == 25
    assert [step["path"] for step in error["missing"]] == [f"s:{number}" for number in range(20)]


@pytest.mark.requirement("tasks.complete.task-unconfirmed", "tasks.force.holds-completion")
def test_a_forced_step_holds_its_task_until_every_missing_checkpoint_is_confirmed(world: World) -> None:
    steps = [{"title": "a", "required": ["docs"]}, {"title": "b"}]
    made = world.ok("tasks_create", kind="task", title="t", steps=steps)
    task, (first, _) = made["id"], made["steps"]
    world.close(task, "s:1")
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    later = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"docs": {"confirmed": True}})
    world.ok("tasks_complete", task=task)

    assert error["missing"] == [{**first, "missing": ["criteria", "tests", "docs"]}]
    assert later["missing"] == [{**first, "missing": ["docs"]}]
    assert status(world, task) == "DONE"
    assert healthy(world)


@pytest.mark.requirement("tasks.force.holds-completion")
def test_a_step_that_was_forced_below_a_task_node_holds_the_task_and_the_plan(world: World) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=[{"title": "deep"}])
    world.ok("tasks_progress", task=task, path="s:0.t:0.s:0", **FORCED)
    world.ok("tasks_task_define", task=task, path="s:0.t:0", status="DONE")
    world.close(task, "s:0")

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)
    world.no("CHILDREN_OPEN", "tasks_complete", task=plan)

    assert [step["path"] for step in error["missing"]] == ["s:0.t:0.s:0"]


@pytest.mark.requirement("tasks.complete.plan-tasks-open")
def test_a_plan_with_open_tasks_is_refused_with_their_list(world: World) -> None:
    plan, other = world.plan(), world.plan()
    done, todo, active = (world.task(plan=plan) for _ in range(3))
    world.task(plan=other)
    world.ok("tasks_complete", task=done)
    world.ok("tasks_note", task=active, note="begun")

    error = world.no("CHILDREN_OPEN", "tasks_complete", task=plan)

    assert error["missing"] == [{"task": todo}, {"task": active}]
    assert error["open"] == 2
    assert all(name in error["message"] for name in (plan, todo))


@pytest.mark.requirement("tasks.complete.plan-checklist-open")
def test_a_plan_with_an_unfinished_checklist_is_refused_with_what_is_left(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two", "three"], current=1)

    error = world.no("CHECKLIST_OPEN", "tasks_complete", task=plan)
    world.ok("tasks_plan", plan=plan, current=3)
    world.ok("tasks_complete", task=plan)

    assert error["missing"] == ["two", "three"]
    assert "1 of 3" in error["message"]
    assert status(world, plan) == "DONE"


@pytest.mark.requirement("tasks.complete.plan-checklist-open")
@pytest.mark.parametrize("change", [{"steps": ["one", "two", "three"]}, {"current": 1}])
def test_a_done_plan_whose_checklist_opens_again_is_not_done(world: World, change: dict[str, Any]) -> None:
    plan = world.plan()
    world.ok("tasks_plan", plan=plan, steps=["one", "two"], current=2)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_plan", plan=plan, **change)

    assert status(world, plan) == "ACTIVE"
    assert types(reply) == ["plan_updated", "task_reopened"]
    assert healthy(world)


@pytest.mark.requirement("tasks.gate.one-function-complete")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("tasks_complete", {}), ("tasks_close_task", {"apply": True})],
)
def test_every_way_to_complete_is_held_by_the_same_open_blocked_or_unproven_step(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    def batched(task: str) -> list[dict[str, Any]]:
        return [{"tool": tool, "arguments": {"task": task, **arguments}}]

    parent, blocked, forced = world.task("a"), world.task("a"), world.task("a")
    world.ok("tasks_decompose", task=parent, path="s:0", steps=[{"title": "below"}])
    world.ok("tasks_block", task=blocked, path="s:0", reason="no network")
    world.ok("tasks_progress", task=forced, path="s:0", **FORCED)
    codes = {parent: "CHILDREN_OPEN", blocked: "CHILDREN_OPEN", forced: "CHECKPOINTS_NOT_CONFIRMED"}

    for task, code in codes.items():
        alone = world.no(code, tool, task=task, **arguments)
        inside = world.no("BATCH_FAILED", "tasks_batch", operations=batched(task))
        assert inside["error"]["code"] == code
        assert inside["error"]["missing"] == alone["missing"]


@pytest.mark.requirement("tasks.gate.one-function-complete")
def test_a_batch_closes_steps_only_through_the_gate(world: World) -> None:
    task = world.task("a", "b", "c")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    world.ok("tasks_block", task=task, path="s:1", reason="no network")
    given = {"s:0": "CHILDREN_OPEN", "s:1": "STEP_BLOCKED"}

    for path, code in given.items():
        call = {"task": task, "path": path, "checkpoints": CONFIRMED}
        operations = [{"tool": "tasks_close_step", "arguments": call}]
        error = world.no("BATCH_FAILED", "tasks_batch", operations=operations)
        assert error["error"]["code"] == code
    bare = [{"tool": "tasks_done", "arguments": {"task": task, "path": "s:2"}}]
    error = world.no("BATCH_FAILED", "tasks_batch", operations=bare)

    assert error["error"]["missing"] == ["criteria", "tests"]


@pytest.mark.requirement("tasks.reopen.task-and-plan")
def test_reopening_a_step_under_nodes_reopens_every_done_thing_above_it_in_one_call(world: World) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    node = world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")["node"]["step_id"]
    world.ok("tasks_decompose", task=task, step_id=node, steps=[{"title": "x", "steps": [{"title": "y"}]}])
    for path in ("s:0.t:0.s:0.s:0", "s:0.t:0.s:0"):
        world.close(task, path)
    world.ok("tasks_task_define", task=task, step_id=node, status="DONE")
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)
    deepest = world.step(task, "s:0.t:0.s:0.s:0")["step_id"]
    revisions = world.revision(task), world.revision(plan)

    reply = world.ok("tasks_progress", task=task, step_id=deepest, completed=False)

    opened = ["step_reopened", "step_reopened", "task_node_defined", "step_reopened"]
    assert types(reply) == [*opened, "task_reopened", "task_reopened"]
    assert [event.get("because") for event in reply["events"]] == [None, *[deepest] * 4, task]
    assert (status(world, task), status(world, plan)) == ("ACTIVE", "ACTIVE")
    assert world.step(task, "s:0.t:0")["status"] == "ACTIVE"
    assert (world.revision(task), world.revision(plan)) == (revisions[0] + 1, revisions[1] + 1)
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["done"] == 0
    assert healthy(world)


@pytest.mark.requirement("tasks.reopen.task-and-plan")
@pytest.mark.parametrize("wanted", ["TODO", "ACTIVE"])
def test_reopening_a_task_by_its_status_reopens_the_plan_that_holds_it(world: World, wanted: str) -> None:
    plan = world.plan()
    task = world.task(plan=plan)
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_complete", task=task, status=wanted)

    assert types(reply) == ["task_reopened", "task_reopened"]
    assert (status(world, task), status(world, plan)) == (wanted, "ACTIVE")
    assert healthy(world)


ACTS = st.sampled_from(["close", "close", "force", "reopen", "verify", "block"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(ACTS, st.integers(0, 3)), max_size=14))
def test_whatever_was_done_to_its_steps_a_task_completes_exactly_if_all_are_done_and_proven(
    acts: list[tuple[str, int]],
) -> None:
    world = World(memory_store())
    tree = [{"title": "a", "steps": [{"title": "b"}, {"title": "c"}]}, {"title": "d"}]
    task = world.ok("tasks_create", kind="task", title="t", steps=tree)["id"]
    paths = ["s:0.s:0", "s:0.s:1", "s:0", "s:1"]
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "close": ("tasks_close_step", {"checkpoints": CONFIRMED}),
        "force": ("tasks_progress", FORCED),
        "reopen": ("tasks_progress", {"completed": False}),
        "verify": ("tasks_verify", {"checkpoints": CONFIRMED}),
        "block": ("tasks_block", {"blocked": True}),
    }

    for act, number in acts:
        tool, arguments = calls[act]
        world.ask(tool, task=task, path=paths[number], **arguments)
    rows = [world.step(task, path) for path in paths]
    answered = world.ask("tasks_complete", task=task)

    proven = all(row["done"] and "unconfirmed" not in row for row in rows)
    assert (answered.refusal is None) == proven
    assert (status(world, task) == "DONE") == proven
    assert healthy(world)
