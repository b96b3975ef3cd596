"""Defining a step: what it says, and what that does to its confirmations."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

FULL = {"title": "a", "criteria": ["c1", "c2"], "tests": ["t1"], "blockers": ["b1"], "required": ["docs"]}


def defined(world: World) -> str:
    """A task whose step says something in every field."""
    task: str = world.ok("tasks_create", kind="task", title="t", steps=[FULL])["id"]
    return task


def said(world: World, task: str) -> dict[str, Any]:
    step = world.step(task, "s:0")
    return {name: step[name] for name in FULL}


@pytest.mark.requirement("tasks.define.fields")
def test_defining_sets_title_criteria_tests_blockers_and_what_is_required(world: World) -> None:
    task = world.task("bare")

    reply = world.ok("tasks_define", task=task, path="s:0", **FULL)

    assert said(world, task) == FULL
    (event,) = world.logged(reply)
    assert event["type"] == "step_defined"
    assert set(event["fields"]) == set(FULL)
    assert reply["revision"] == 2


@pytest.mark.requirement("tasks.edit.absent-unchanged")
@pytest.mark.parametrize(
    "change",
    [
        {"title": "new"},
        {"criteria": ["new"]},
        {"tests": ["new"]},
        {"blockers": ["new"]},
        {"required": ["perf"]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_field_that_is_not_named_stays_as_it_was(world: World, change: dict[str, Any]) -> None:
    task = defined(world)

    reply = world.ok("tasks_define", task=task, path="s:0", **change)

    assert said(world, task) == {**FULL, **change}
    assert world.logged(reply)[0]["fields"] == list(change)


@pytest.mark.parametrize("emptied", ["criteria", "tests", "blockers", "required"])
@pytest.mark.parametrize("nothing", [None, []], ids=["null", "empty"])
def test_null_or_an_empty_list_clears_a_list(world: World, emptied: str, nothing: Any) -> None:
    task = defined(world)

    world.ok("tasks_define", task=task, path="s:0", **{emptied: nothing})

    assert said(world, task) == {**FULL, emptied: []}


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": None},
        {"title": ""},
        {"title": "two\nlines"},
        {"criteria": "one text"},
        {"criteria": [""]},
        {"criteria": [1]},
        {"required": ["criteria"]},
        {"required": ["speed"]},
        {"done": True},
    ],
    ids=str,
)
def test_what_a_step_cannot_say_is_refused(world: World, wrong: dict[str, Any]) -> None:
    task = defined(world)

    error = world.no("INVALID_INPUT", "tasks_define", task=task, path="s:0", **wrong)

    assert next(iter(wrong)) in error["message"]


@pytest.mark.requirement("tasks.define.withdraws-confirmation", "tasks.define.says-withdrawn")
@pytest.mark.parametrize("rewritten", ["criteria", "tests"])
def test_rewriting_a_promise_withdraws_its_confirmation_and_no_other_and_says_so(
    world: World, rewritten: str
) -> None:
    task = defined(world)
    marks = {**CONFIRMED, "docs": {"confirmed": True}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=marks)

    reply = world.ok("tasks_define", task=task, path="s:0", **{rewritten: ["something else"]})

    assert reply["events"][0]["withdrawn"] == [rewritten]
    step = world.step(task, "s:0")
    assert [mark["checkpoint"] for mark in step["confirmed"]] == [name for name in marks if name != rewritten]
    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")
    assert error["missing"] == [rewritten]


@pytest.mark.requirement("tasks.define.withdraws-confirmation", "tasks.define.says-withdrawn")
def test_rewriting_both_promises_withdraws_both(world: World) -> None:
    task = defined(world)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    reply = world.ok("tasks_define", task=task, path="s:0", tests=["x"], criteria=["y"])

    assert reply["events"][0]["withdrawn"] == ["criteria", "tests"]
    assert world.step(task, "s:0")["confirmed"] == []


@pytest.mark.requirement("tasks.define.withdraws-confirmation", "tasks.define.says-withdrawn")
@pytest.mark.parametrize(
    "change",
    [{"title": "new"}, {"blockers": []}, {"criteria": FULL["criteria"], "title": "new"}, {"required": []}],
    ids=str,
)
def test_what_rewrites_no_promise_withdraws_nothing(world: World, change: dict[str, Any]) -> None:
    task = defined(world)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    reply = world.ok("tasks_define", task=task, path="s:0", **change)

    assert "changed" not in reply
    assert "withdrawn" not in reply["events"][0]
    assert len(world.step(task, "s:0")["confirmed"]) == 2


@pytest.mark.requirement("tasks.define.says-withdrawn")
def test_rewriting_what_nobody_confirmed_withdraws_nothing(world: World) -> None:
    task = defined(world)

    reply = world.ok("tasks_define", task=task, path="s:0", criteria=["new"])

    assert "withdrawn" not in reply["events"][0]
