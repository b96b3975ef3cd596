"""The focus: what reads speak of when they name nothing, and what writes never use."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

WRITES: dict[str, dict[str, Any]] = {
    "tasks_edit": {"title": "new"},
    "tasks_decompose": {"steps": [{"title": "x"}]},
    "tasks_define": {"path": "s:0", "title": "new"},
    "tasks_note": {"note": "n"},
    "tasks_verify": {"path": "s:0", "checkpoints": CONFIRMED},
    "tasks_done": {"path": "s:0"},
    "tasks_close_step": {"path": "s:0", "checkpoints": CONFIRMED},
    "tasks_progress": {"path": "s:0", "completed": False},
    "tasks_block": {"path": "s:0"},
    "tasks_complete": {"status": "ACTIVE"},
    "tasks_focus_set": {},
}


@pytest.mark.requirement("tasks.focus.get-set-clear")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_a_plan_or_task_is_set_read_back_and_cleared(world: World, kind: str) -> None:
    target = world.ok("tasks_create", kind=kind, title="It")["id"]

    at_first = world.ok("tasks_focus_get")
    was_set = world.ok("tasks_focus_set", task=target)
    read = world.ok("tasks_focus_get")
    cleared = world.ok("tasks_focus_clear")
    at_last = world.ok("tasks_focus_get")

    assert at_first == {"focus": None, "revision": 0}
    assert (was_set["focus"], was_set["revision"], was_set.get("changed", True)) == (target, 1, True)
    assert read == {"focus": {"id": target, "title": "It"}, "revision": 1}
    assert (cleared["focus"], cleared["revision"], cleared.get("changed", True)) == (None, 2, True)
    assert at_last == {"focus": None, "revision": 2}
    assert [event["type"] for event in was_set["events"] + cleared["events"]] == ["focus_set", "focus_cleared"]
    assert (world.logged(was_set)[0]["focus"], cleared["events"][0]["before"]) == (target, target)


@pytest.mark.requirement("tasks.focus.get-set-clear")
def test_setting_another_focus_replaces_the_first_and_raises_no_task_s_revision(world: World) -> None:
    first, second = world.task(), world.task()
    world.ok("tasks_focus_set", task=first)

    reply = world.ok("tasks_focus_set", task=second, expected_revision=1)

    assert (world.logged(reply)[0]["focus"], world.logged(reply)[0]["before"]) == (second, first)
    assert world.ok("tasks_focus_get")["focus"]["id"] == second
    assert (world.revision(first), world.revision(second)) == (1, 1)


@pytest.mark.requirement("tasks.focus.get-set-clear")
def test_a_focus_on_what_does_not_exist_or_for_another_revision_is_refused(world: World) -> None:
    task = world.task("a")
    step_id = world.step(task, "s:0")["step_id"]

    world.no("UNKNOWN_ID", "tasks_focus_set", task="TASK-077")
    world.no("INVALID_INPUT", "tasks_focus_set", task=step_id)
    world.no("REVISION_MISMATCH", "tasks_focus_set", task=task, expected_revision=4)
    world.no("REVISION_MISMATCH", "tasks_focus_clear", expected_revision=4)


@pytest.mark.requirement("tasks.focus.per-workspace")
def test_each_workspace_has_its_own_focus(world: World) -> None:
    here = world.task(title="here")
    there = world.ok("tasks_create", workspace="acme/other", kind="task", title="there")["id"]
    world.ok("tasks_focus_set", task=here)

    untouched = world.ok("tasks_focus_get", workspace="acme/other")
    world.ok("tasks_focus_set", workspace="acme/other", task=there)
    world.ok("tasks_focus_clear")

    assert untouched["focus"] is None
    assert world.ok("tasks_focus_get", workspace="acme/other")["focus"] == {"id": there, "title": "there"}


@pytest.mark.requirement("tasks.focus.serves-reads")
@pytest.mark.parametrize("tool", ["tasks_radar", "tasks_resume"])
@pytest.mark.parametrize("focused", ["TASK-002", "PLAN-001"])
def test_a_read_that_names_nothing_speaks_of_the_focus(world: World, tool: str, focused: str) -> None:
    world.plan()
    world.task("a")
    world.task("b")
    world.ok("tasks_focus_set", task=focused)

    unnamed = world.ok(tool)
    named = world.ok(tool, task="TASK-001")

    assert unnamed == world.ok(tool, task=focused)
    assert unnamed["target"]["id"] == focused
    assert named["target"]["id"] == "TASK-001"


@pytest.mark.requirement("tasks.focus.serves-reads")
def test_a_step_of_the_focused_task_can_be_read_by_its_path_alone(world: World) -> None:
    world.task("a")
    focused = world.task("b")
    world.ok("tasks_focus_set", task=focused)

    reply = world.ok("tasks_resume", path="s:0")

    assert (reply["target"]["id"], reply["step"]["title"]) == (focused, "b")


@pytest.mark.requirement("tasks.focus.serves-reads")
def test_the_focus_is_read_though_it_is_done(world: World) -> None:
    world.task("open")
    done = world.task()
    world.ok("tasks_complete", task=done)
    world.ok("tasks_focus_set", task=done)

    assert world.ok("tasks_radar")["target"]["id"] == done


@pytest.mark.requirement("tasks.focus.not-for-writes")
@pytest.mark.parametrize("tool", WRITES)
def test_a_write_that_names_no_target_is_refused_whatever_the_focus(world: World, tool: str) -> None:
    task = world.task("a")
    world.ok("tasks_focus_set", task=task)

    error = world.no("INVALID_INPUT", tool, **WRITES[tool])

    assert "`task` is required" in error["message"]


@pytest.mark.requirement("tasks.focus.not-for-writes")
def test_a_write_reaches_what_it_names_and_not_the_focus(world: World) -> None:
    focused, named = world.task("a"), world.task("a")
    world.ok("tasks_focus_set", task=focused)

    world.close(named, "s:0")

    assert world.step(named, "s:0")["done"]
    assert not world.step(focused, "s:0")["done"]


@pytest.mark.requirement("tasks.focus.reads-keep-it")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_radar", {"task": "TASK-002"}),
        ("tasks_radar", {"plan": "PLAN-001"}),
        ("tasks_radar", {}),
        ("tasks_resume", {"task": "TASK-002", "path": "s:0"}),
        ("tasks_resume", {}),
        ("tasks_context", {}),
        ("tasks_delta", {"task": "TASK-002"}),
        ("tasks_focus_get", {}),
        ("tasks_storage", {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("focus", ["TASK-001", None])
def test_no_read_moves_the_focus_or_anything_else(
    world: World, tool: str, arguments: dict[str, Any], focus: str | None
) -> None:
    world.plan()
    world.task("a")
    world.task("b")
    if focus is not None:
        world.ok("tasks_focus_set", task=focus)
    before = world.everything()

    world.ok(tool, **arguments)

    assert world.everything() == before
    kept = world.ok("tasks_focus_get")["focus"]
    assert (kept and kept["id"]) == focus


@pytest.mark.requirement("tasks.focus.reads-keep-it")
def test_work_elsewhere_leaves_the_focus_where_it_is(world: World) -> None:
    focused, other = world.task("a"), world.task("b")
    world.ok("tasks_focus_set", task=focused)

    world.close(other, "s:0")
    world.ok("tasks_complete", task=other)

    assert world.ok("tasks_focus_get")["focus"]["id"] == focused
