"""tasks_undo where several work: the caller's own newest, a named operation, and a look before it is done."""

import json
from typing import Any

import pytest

from tests.givens import World


def target(world: World, name: str) -> dict[str, Any]:
    found: dict[str, Any] = world.ok("tasks_resume", task=name)["target"]
    return found


def by(world: World, actor: str) -> World:
    """The same world, written to by another actor."""
    world.caller = world.caller._replace(actor=actor)
    return world


@pytest.mark.requirement("tasks.undo.of-task")
def test_undo_takes_the_caller_s_own_newest_operation_and_says_who_wrote_last(world: World) -> None:
    task, other = by(world, "agent:a/1111").task("first"), world.task()
    world.ok("tasks_edit", task=task, title="Mine")
    by(world, "agent:a/2222").ok("tasks_edit", task=other, title="Theirs")

    reply = by(world, "agent:a/1111").ok("tasks_undo")

    assert (reply["tool"], reply["actor"]) == ("tasks_edit", "agent:a/1111")
    assert reply["what"] == [f"task_edited: {task} “Mine”"]
    assert reply["at"]
    assert (target(world, task)["title"], target(world, other)["title"]) == ("A task", "Theirs")
    assert "agent:a/2222 wrote last" in reply["warnings"][0]
    assert by(world, "agent:a/2222").ok("tasks_undo")["what"] == [f"task_edited: {other} “Theirs”"]
    error = world.no("NOTHING_TO_UNDO", "tasks_undo")
    assert "agent:a/2222" in error["message"]
    assert "1,000" in error["message"]


@pytest.mark.requirement("tasks.undo.conflict")
def test_undo_of_one_s_own_newest_is_refused_if_another_built_on_it(world: World) -> None:
    task = by(world, "a").task()
    world.ok("tasks_edit", task=task, title="Mine")
    by(world, "b").ok("tasks_edit", task=task, title="Theirs")

    by(world, "a").no("UNDO_CONFLICT", "tasks_undo")

    assert target(world, task)["title"] == "Theirs"


@pytest.mark.requirement("tasks.undo.of-task")
def test_an_operation_can_be_named_whoever_s_it_was(world: World) -> None:
    task = by(world, "a").task("first", "second")
    closed = world.close(task, "s:0")["events"][0]["seq"]
    world.ok("tasks_block", task=task, path="s:1", reason="Rain.")

    reply = by(world, "b").ok("tasks_undo", operation=closed)

    assert (reply["operation"], reply["actor"], reply["tool"]) == (closed, "a", "tasks_close_step")
    assert reply["what"] == [f"step_verified, step_done: {task} s:0 “first”"]
    assert (world.step(task, "s:0")["done"], world.step(task, "s:1")["blocked"]) == (False, "Rain.")


@pytest.mark.requirement("tasks.undo.of-task")
def test_an_operation_that_cannot_be_undone_is_refused_with_the_reason(world: World) -> None:
    task, other = world.task(), world.task()
    edited = world.ok("tasks_edit", task=task, title="Better")["events"][0]["seq"]
    noted = world.ok("tasks_note", task=task, note="Kept.")["events"][0]["seq"]
    undo = world.ok("tasks_undo", operation=edited)["events"][0]["seq"]

    already = world.no("NOTHING_TO_UNDO", "tasks_undo", operation=edited)
    record = world.no("NOTHING_TO_UNDO", "tasks_undo", operation=noted)
    undone = world.no("NOTHING_TO_UNDO", "tasks_undo", operation=undo)
    world.no("UNKNOWN_ID", "tasks_undo", operation=99)
    world.no("UNKNOWN_ID", "tasks_undo", operation=edited, task=other)
    world.no("INVALID_INPUT", "tasks_undo", operation=0)

    assert "already undone" in already["message"]
    assert "record" in record["message"]
    assert f"undo of operation {edited}" in undone["message"]


@pytest.mark.requirement("tasks.undo.of-task")
def test_what_an_undo_would_change_can_be_seen_before_it_does(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_define", task=task, path="s:0", title="Renamed", criteria=["It holds."])
    before = world.everything()

    shown = world.ok("tasks_undo", apply=False)

    assert world.everything() == before
    assert (shown["applied"], shown.get("changed", True), shown["events"], shown["tool"]) == (
        False,
        False,
        [],
        "tasks_define",
    )
    assert shown["diff"] == [
        {"where": f"{task} s:0", "field": "criteria", "before": ["It holds."], "after": []},
        {"where": f"{task} s:0", "field": "title", "before": "Renamed", "after": "first"},
    ]
    done = world.ok("tasks_undo", operation=shown["operation"])
    assert "diff" not in done
    assert world.step(task, "s:0")["title"] == "first"


@pytest.mark.requirement("tasks.undo.of-task")
def test_what_an_undo_would_remove_is_shown_with_what_it_says(world: World) -> None:
    world.task(*(f"step {number}" for number in range(80)))

    shown = world.ok("tasks_undo", apply=False)

    assert len(shown["diff"]) == 50
    assert {change["after"] for change in shown["diff"]} == {None}
    assert "fields would change" in shown["warnings"][0]
    assert len(json.dumps(shown)) < 16_000


@pytest.mark.requirement("tasks.undo.of-task")
def test_redo_brings_back_the_caller_s_own_undo_though_another_wrote_since(world: World) -> None:
    task, other = by(world, "a").task(), world.task()
    world.ok("tasks_edit", task=task, title="Mine")
    world.ok("tasks_undo")
    by(world, "b").ok("tasks_edit", task=other, title="Theirs")

    world.no("NOTHING_TO_REDO", "tasks_redo")
    reply = by(world, "a").ok("tasks_redo")

    assert (reply["tool"], reply["actor"]) == ("tasks_edit", "a")
    assert target(world, task)["title"] == "Mine"


@pytest.mark.requirement("tasks.undo.conflict")
def test_a_refused_undo_names_whose_change_to_undo_first_and_that_works(world: World) -> None:
    task = by(world, "a").task("first")
    world.ok("tasks_define", task=task, path="s:0", title="Mine")
    theirs = by(world, "b").ok("tasks_define", task=task, path="s:0", title="Theirs")["events"][0]["seq"]
    world.ok("tasks_edit", task=task, title="Elsewhere in the task")

    refused = by(world, "a").no("UNDO_CONFLICT", "tasks_undo")

    assert f"the newest first: Operation {theirs} (tasks_define) of b." in refused["recovery"]
    world.ok("tasks_undo", operation=theirs)
    assert world.ok("tasks_undo")["what"] == [f"step_defined: {task} s:0 “Mine”"]


@pytest.mark.requirement("tasks.undo.of-task")
def test_an_undo_that_passes_over_one_for_good_says_what_it_did_instead_and_whose(world: World) -> None:
    first = by(world, "a").task()
    world.ok("todo_write", items=["A"])
    world.ok("todo_clear")

    looked = world.ok("tasks_undo", apply=False)
    undone = world.ok("tasks_undo")

    assert undone["what"] == [f"task_created: {first} “A task”"]
    assert "Operation 2 (todo_write) of a was skipped, because it can no longer be undone" in undone["warnings"][1]
    assert undone["warnings"][-1] == "Operation 1 (tasks_create) of a was undone instead."
    assert looked["warnings"][-1] == "Operation 1 (tasks_create) of a would be undone instead."


@pytest.mark.parametrize("number", [0, 1])
def test_an_operation_can_be_named_by_any_of_its_events(world: World, number: int) -> None:
    task = world.task("first")
    closed = world.close(task, "s:0")["events"]
    world.ok("tasks_note", task=task, note="Later.")

    reply = world.ok("tasks_undo", operation=closed[number]["seq"])

    assert reply["operation"] == closed[0]["seq"]
    assert not world.step(task, "s:0")["done"]
