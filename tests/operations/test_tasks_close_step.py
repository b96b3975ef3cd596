"""Confirm and close in one call: both, or neither."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

YES = {"confirmed": True}
NO = {"confirmed": False}


@pytest.mark.requirement("tasks.close-step.one-call", "tasks.close-step.reply", "tasks.close-step.both-events")
def test_the_reply_has_the_shape_that_the_seed_gives(world: World) -> None:
    task = world.ok(
        "tasks_create", kind="task", title="t", steps=[{"title": "a", "steps": [{"title": "x"}, {"title": "y"}]}]
    )["id"]
    world.ok("tasks_note", task=task, note="begun")
    step_id = world.step(task, "s:0.s:1")["step_id"]

    reply = world.ok(
        "tasks_close_step",
        task=task,
        step_id=step_id,
        path="s:0.s:1",
        expected_revision=2,
        checkpoints=CONFIRMED,
    )

    at = "2026-01-01T00:00:02.000Z"
    first = world.step(task, "s:0.s:0")["step_id"]
    where = {"at": at, "actor": "tester", "task": task, "step_id": step_id, "path": "s:0.s:1"}
    assert reply == {
        "task": task,
        "revision": 3,
        "step": {"step_id": step_id, "path": "s:0.s:1", "title": "y"},
        "events": [{"seq": 4, "type": "step_verified"}, {"seq": 5, "type": "step_done"}],
        "now": {"step_id": first, "path": "s:0.s:0", "title": "x", "revision": 1},
        "left": {"open": 2},
    }
    asserted = dict.fromkeys(CONFIRMED, "asserted")
    assert world.logged(reply) == [
        {"seq": 4, "type": "step_verified", **where, "checkpoints": CONFIRMED, "provenance": asserted},
        {"seq": 5, "type": "step_done", **where},
    ]
    assert world.step(task, "s:0.s:1")["done_at"] == at


@pytest.mark.requirement("tasks.close-step.one-call")
def test_all_five_checkpoints_can_be_confirmed_in_the_closing_call(world: World) -> None:
    needed = ["security", "perf", "docs"]
    task = world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "required": needed}])["id"]
    marks = dict.fromkeys(("criteria", "tests", *needed), YES)

    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=marks)

    step = world.step(task, "s:0")
    assert step["done"]
    assert [mark["checkpoint"] for mark in step["confirmed"]] == list(marks)


@pytest.mark.requirement("tasks.close-step.one-call", "tasks.close-step.both-events")
def test_what_was_confirmed_before_need_not_be_named_again(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"criteria": YES})

    reply = world.ok("tasks_close_step", task=task, path="s:0", checkpoints={"tests": YES})

    assert [event["type"] for event in reply["events"]] == ["step_verified", "step_done"]
    assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("tasks.close-step.both-events")
def test_both_events_come_in_order_though_everything_was_confirmed_before(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    reply = world.close(task, "s:0")

    assert [event["type"] for event in world.logged(reply)] == ["step_verified", "step_done"]
    first, second = (event["seq"] for event in world.logged(reply))
    assert second == first + 1
    logged = world.ok("tasks_delta", since=first - 1)["events"]
    assert logged == world.logged(reply)


@pytest.mark.requirement("tasks.close-step.checkpoints-required")
@pytest.mark.parametrize("given", [{}, {"checkpoints": None}, {"checkpoints": []}, {"checkpoints": "all"}])
def test_a_close_without_checkpoints_is_refused_though_all_are_confirmed(
    world: World, given: dict[str, Any]
) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    error = world.no("INVALID_INPUT", "tasks_close_step", task=task, path="s:0", **given)

    assert "checkpoints" in error["message"]


@pytest.mark.requirement("tasks.close-step.names-criteria-or-tests")
@pytest.mark.parametrize("marks", [{}, {"docs": YES}, {"security": YES, "perf": YES, "docs": YES}])
def test_a_close_that_names_neither_criteria_nor_tests_is_refused(world: World, marks: dict[str, Any]) -> None:
    task = world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "required": ["docs"]}])["id"]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    error = world.no("INVALID_INPUT", "tasks_close_step", task=task, path="s:0", checkpoints=marks)

    assert "criteria" in error["message"]
    assert "tests" in error["message"]


@pytest.mark.requirement("tasks.close-step.gated")
def test_a_close_is_refused_while_a_required_checkpoint_stays_unconfirmed(world: World) -> None:
    steps = [{"title": "a", "required": ["security", "docs"]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]

    error = world.no(
        "CHECKPOINTS_NOT_CONFIRMED",
        "tasks_close_step",
        task=task,
        path="s:0",
        checkpoints={"tests": YES, "docs": YES},
    )

    assert error["missing"] == ["criteria", "security"]


@pytest.mark.requirement("tasks.close-step.atomic")
@pytest.mark.parametrize("obstacle", ["unproven", "blocked", "children"])
def test_a_refused_close_keeps_neither_the_confirmations_nor_the_closing(world: World, obstacle: str) -> None:
    task = world.task("a")
    marks = {"criteria": YES} if obstacle == "unproven" else CONFIRMED
    if obstacle == "blocked":
        world.ok("tasks_block", task=task, path="s:0")
    if obstacle == "children":
        world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])
    code = {
        "unproven": "CHECKPOINTS_NOT_CONFIRMED",
        "blocked": "STEP_BLOCKED",
        "children": "CHILDREN_OPEN",
    }[obstacle]

    world.no(code, "tasks_close_step", task=task, path="s:0", checkpoints=marks)

    step = world.step(task, "s:0")
    assert step["confirmed"] == []
    assert not step["done"]


@pytest.mark.requirement("tasks.close-step.false-fails")
@pytest.mark.parametrize("denied", ["criteria", "tests", "security", "perf", "docs"])
def test_a_checkpoint_named_as_not_confirmed_fails_the_close(world: World, denied: str) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={**CONFIRMED, "docs": YES})

    error = world.no(
        "CHECKPOINTS_NOT_CONFIRMED",
        "tasks_close_step",
        task=task,
        path="s:0",
        checkpoints={**CONFIRMED, denied: NO},
    )

    assert error["missing"] == [denied]
    confirmed = [mark["checkpoint"] for mark in world.step(task, "s:0")["confirmed"]]
    assert confirmed == ["criteria", "tests", "docs"]


@pytest.mark.requirement("tasks.close-step.revision-checked")
@pytest.mark.parametrize("expected", [0, 1, 3, 99])
def test_a_close_for_another_revision_is_refused(world: World, expected: int) -> None:
    task = world.task("a")
    world.ok("tasks_note", task=task, note="somebody was here")

    error = world.no(
        "REVISION_MISMATCH",
        "tasks_close_step",
        task=task,
        path="s:0",
        checkpoints=CONFIRMED,
        expected_revision=expected,
    )

    assert error["current_revision"] == 2
    assert f"{task} is at revision 2, not {expected}" in error["message"]


@pytest.mark.requirement("tasks.close.again")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_close_step", {"checkpoints": CONFIRMED}),
        ("tasks_done", {}),
        ("tasks_progress", {"completed": True}),
        ("tasks_progress", {"completed": True, "force": True, "reason": "again"}),
    ],
)
def test_closing_a_done_step_again_changes_nothing(world: World, tool: str, arguments: dict[str, Any]) -> None:
    task = world.task("a")
    world.close(task, "s:0")
    before = world.everything()

    reply = world.ok(tool, task=task, path="s:0", **arguments)

    assert reply["changed"] is False
    assert reply["events"] == []
    assert reply["revision"] == 2
    assert world.everything() == before
