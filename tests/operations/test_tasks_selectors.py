"""Selectors: a write reaches the step that was named, or none."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

STEP_WRITES: dict[str, dict[str, Any]] = {
    "tasks_define": {"title": "New title"},
    "tasks_verify": {"checkpoints": {"criteria": {"confirmed": True}}},
    "tasks_done": {},
    "tasks_close_step": {"checkpoints": CONFIRMED},
    "tasks_progress": {"completed": True},
    "tasks_block": {"reason": "no network"},
}
WITH_OPTIONAL_STEP: dict[str, dict[str, Any]] = {
    "tasks_note": {"note": "half way"},
    "tasks_decompose": {"steps": [{"title": "below"}]},
}
ALL_WRITES = STEP_WRITES | WITH_OPTIONAL_STEP


def ready_task(world: World) -> str:
    """A task whose two steps would pass the gate, so that only the selector can fail."""
    task = world.task("first", "second")
    for path in ("s:0", "s:1"):
        world.ok("tasks_verify", task=task, path=path, checkpoints=CONFIRMED)
    return task


@pytest.mark.requirement("tasks.selector.by-id", "tasks.selector.by-path")
@pytest.mark.parametrize("by", ["step_id", "path", "both"])
@pytest.mark.parametrize("tool", [tool for tool in ALL_WRITES if tool not in ("tasks_done", "tasks_progress")])
def test_every_write_reaches_the_step_it_names_by_id_by_path_or_by_both(world: World, tool: str, by: str) -> None:
    task = world.task("first", "second")
    step_id = world.step(task, "s:1")["step_id"]
    names = {"step_id": step_id, "path": "s:1"}
    selector = names if by == "both" else {by: names[by]}

    reply = world.ok(tool, task=task, **selector, **ALL_WRITES[tool])

    assert "changed" not in reply
    assert all((event["step_id"], event["path"]) == (step_id, "s:1") for event in world.logged(reply))
    if tool != "tasks_decompose":
        assert reply["step"] == {**names, "title": world.step(task, "s:1")["title"]}


@pytest.mark.requirement("tasks.selector.by-id", "tasks.selector.by-path")
@pytest.mark.parametrize("by", ["step_id", "path"])
@pytest.mark.parametrize("tool", ["tasks_done", "tasks_progress"])
def test_a_proven_step_is_closed_by_id_or_by_path_alone(world: World, tool: str, by: str) -> None:
    task = world.task("first", "second")
    world.ok("tasks_verify", task=task, path="s:1", checkpoints=CONFIRMED)
    names = {"step_id": world.step(task, "s:1")["step_id"], "path": "s:1"}

    reply = world.ok(tool, task=task, **{by: names[by]}, **ALL_WRITES[tool])

    assert reply["step"] == {**names, "title": "second"}
    assert world.step(task, "s:1")["done"]
    assert not world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.selector.required")
@pytest.mark.parametrize("tool", STEP_WRITES)
def test_a_write_that_names_no_step_is_refused_though_the_task_has_only_one(world: World, tool: str) -> None:
    task = world.task("only one")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    error = world.no("INVALID_INPUT", tool, task=task, **STEP_WRITES[tool])

    assert "path" in error["message"]
    assert "step_id" in error["message"]


@pytest.mark.requirement("tasks.selector.unknown-step")
@pytest.mark.parametrize("selector", [{"path": "s:2"}, {"path": "s:0.s:0"}, {"step_id": "STEP-00000000"}])
@pytest.mark.parametrize("tool", ALL_WRITES)
def test_a_selector_that_matches_no_step_is_refused(world: World, tool: str, selector: dict[str, str]) -> None:
    task = ready_task(world)

    error = world.no("UNKNOWN_ID", tool, task=task, **selector, **ALL_WRITES[tool])

    assert next(iter(selector.values())) in error["message"]


@pytest.mark.requirement("tasks.selector.unknown-step")
def test_an_unknown_id_beside_a_good_path_is_refused(world: World) -> None:
    task = ready_task(world)

    world.no("UNKNOWN_ID", "tasks_block", task=task, step_id="STEP-00000000", path="s:0")


@pytest.mark.requirement("tasks.selector.unknown-step")
@pytest.mark.parametrize(
    "selector",
    [
        {"path": "0"},
        {"path": "s:-1"},
        {"path": "s:01"},
        {"path": "S:0"},
        {"path": "s:0."},
        {"path": " s:0"},
        {"path": ""},
        {"step_id": "STEP-1"},
        {"step_id": "step-00000000"},
        {"path": 0},
    ],
)
def test_a_selector_of_no_known_form_is_refused(world: World, selector: dict[str, Any]) -> None:
    task = ready_task(world)

    world.no("INVALID_INPUT", "tasks_block", task=task, **selector)


@pytest.mark.requirement("tasks.selector.other-task")
@pytest.mark.parametrize("tool", ALL_WRITES)
def test_a_step_of_another_task_is_refused(world: World, tool: str) -> None:
    task, other = ready_task(world), ready_task(world)
    theirs = world.step(other, "s:0")["step_id"]

    world.no("UNKNOWN_ID", tool, task=task, step_id=theirs, **ALL_WRITES[tool])
    world.no("UNKNOWN_ID", tool, task=task, step_id=theirs, path="s:0", **ALL_WRITES[tool])


@pytest.mark.requirement("tasks.selector.other-task")
def test_a_step_of_another_workspace_is_unknown(world: World) -> None:
    task = world.task("here")
    made = world.ok("tasks_create", workspace="acme/other", kind="task", title="t", steps=[{"title": "s"}])

    world.no("UNKNOWN_ID", "tasks_block", task=task, step_id=made["steps"][0]["step_id"])


@pytest.mark.requirement("tasks.selector.must-agree")
@pytest.mark.parametrize("path", ["s:0", "s:7"])
@pytest.mark.parametrize("tool", ALL_WRITES)
def test_an_id_and_a_path_that_disagree_are_refused(world: World, tool: str, path: str) -> None:
    task = ready_task(world)
    second = world.step(task, "s:1")["step_id"]

    error = world.no("TARGET_MISMATCH", tool, task=task, step_id=second, path=path, **ALL_WRITES[tool])

    assert second in error["message"]
    assert path in error["message"]
    assert "s:1" in error["message"]


@pytest.mark.requirement("tasks.selector.stable-id")
def test_a_step_keeps_its_id_through_all_that_happens_to_it(world: World) -> None:
    task = world.task("first", "second")
    step_id = world.step(task, "s:1")["step_id"]

    for tool, arguments in ALL_WRITES.items():
        if tool not in ("tasks_done", "tasks_close_step", "tasks_progress"):
            world.ok(tool, task=task, path="s:1", **arguments)
    world.ok("tasks_decompose", task=task, steps=[{"title": "later"}])
    world.ok("tasks_block", task=task, path="s:1", blocked=False)
    world.close(task, "s:1.s:0")
    world.close(task, "s:1")
    world.ok("tasks_progress", task=task, path="s:1", completed=False)
    world.ok("tasks_edit", task=task, title="Another title")

    by_id = world.ok("tasks_resume", task=task, step_id=step_id)["step"]
    assert by_id == world.step(task, "s:1")
    assert (by_id["step_id"], by_id["path"]) == (step_id, "s:1")
