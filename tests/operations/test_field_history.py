"""tasks_history {operation} and {field}: what one operation changed, and who gave a field its value."""

from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World


def by(world: World, actor: str, tool: str, /, **given: Any) -> dict[str, Any]:
    """A call by somebody else."""
    mine, world.caller = world.caller, Caller(actor)
    try:
        return world.ok(tool, **given)
    finally:
        world.caller = mine


def newest(world: World) -> int:
    number: int = world.ok("tasks_history", limit=1)["operations"][0]["operation"]
    return number


def given_values(reply: dict[str, Any]) -> list[tuple[Any, str]]:
    return [(row["value"], row["actor"]) for row in reply["values"]]


@pytest.mark.requirement("history.operation.each-field")
def test_an_operation_is_shown_with_each_field_that_it_changed(world: World) -> None:
    task = world.task("first", description="Old.\nText.\n")
    world.ok("tasks_edit", task=task, title="Better", description="New.\nText.\n")

    shown = world.ok("tasks_history", operation=newest(world))

    assert [row["tool"] for row in shown["operations"]] == ["tasks_edit"]
    (document,) = shown["documents"]
    assert document["where"] == document["task"] == task
    assert (document["kind"], document["what"], document["title"]) == ("task", ["changed"], "Better")
    description, title = document["fields"]
    assert title == {"field": "title", "before": "A task", "after": "Better"}
    assert (description["before"], description["after"]) == ("Old.\nText.\n", "New.\nText.\n")
    assert description["diff"] == "--- before\n+++ after\n@@ -1,2 +1,2 @@\n-Old.\n+New.\n Text.\n"


@pytest.mark.requirement("history.operation.each-field")
def test_an_operation_says_what_was_closed_created_and_deleted(world: World) -> None:
    task = world.task("first", "second")
    created = world.ok("tasks_history", operation=1)["documents"]
    world.close(task, "s:0")
    closed = world.ok("tasks_history", operation=newest(world))["documents"]
    world.ok("tasks_delete", task=task, path="s:1")
    deleted = world.ok("tasks_history", operation=newest(world))["documents"]

    assert [(row["where"], row["what"]) for row in created] == [
        (task, ["created"]),
        (f"{task} s:0", ["created"]),
        (f"{task} s:1", ["created"]),
    ]
    assert [(row["where"], row["what"]) for row in closed] == [(task, ["changed"]), (f"{task} s:0", ["closed"])]
    assert [(row["where"], row["what"], row["title"]) for row in deleted] == [
        (f"{task} s:1", ["deleted"], "second")
    ]


def test_the_seq_of_any_event_leads_to_its_operation(world: World) -> None:
    world.task("first", "second")

    assert world.ok("tasks_history", operation=2) == world.ok("tasks_history", operation=1)


def test_an_operation_that_never_was_is_unknown(world: World) -> None:
    task, other = world.task("first"), world.task("other")

    assert "operation 99" in world.no("UNKNOWN_ID", "tasks_history", operation=99)["message"]
    assert other in world.no("UNKNOWN_ID", "tasks_history", operation=1, task=other)["message"]
    assert world.ok("tasks_history", operation=1, task=task)["documents"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"operation": 1, "field": "title"}, "field"),
        ({"operation": 1, "path": "s:0"}, "path"),
        ({"field": "title"}, "task"),
        ({"path": "s:0"}, "task"),
    ],
)
def test_what_cannot_be_asked_together_is_refused_by_field(world: World, given: dict[str, Any], field: str) -> None:
    world.task("first")

    assert f"`{field}` " in world.no("INVALID_INPUT", "tasks_history", **given)["message"]


@pytest.mark.requirement("history.operation.each-field")
def test_a_large_operation_is_shown_page_by_page_whatever_the_budget(world: World) -> None:
    task = world.task(*(f"Step {number} {'x' * 50}" for number in range(40)))
    whole = [
        row["where"] for row in world.ok("tasks_history", operation=1, limit=200, max_chars=50_000)["documents"]
    ]
    assert len(whole) == 41

    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.ok("tasks_history", operation=1, max_chars=900, **cursor)
        found += [row["where"] for row in page["documents"]]
        world.ok("tasks_edit", task=task, title=f"Written meanwhile {len(found)}")
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}

    assert found == whole


def test_a_cursor_of_another_operation_is_refused(world: World) -> None:
    task = world.task("a", "b", "c")
    world.ok("tasks_edit", task=task, title="Better")
    cursor = world.ok("tasks_history", operation=1, limit=1)["cursor"]

    error = world.no("INVALID_INPUT", "tasks_history", operation=newest(world), cursor=cursor)

    assert "belongs to a call with other arguments" in error["message"]
    world.no("INVALID_INPUT", "tasks_history", operation=1, cursor="AAAA")


@pytest.mark.requirement("history.field.blame")
def test_blame_lists_who_gave_a_field_its_values_newest_first(world: World) -> None:
    task = world.task("first", title="One")
    by(world, "agent:a", "tasks_edit", task=task, title="Two")
    by(world, "agent:b", "tasks_edit", task=task, description="Beside it.")
    by(world, "agent:c", "tasks_edit", task=task, title="Three")

    shown = world.ok("tasks_history", task=task, field="title")

    assert given_values(shown) == [("Three", "agent:c"), ("Two", "agent:a"), ("One", "tester")]
    assert [row["tool"] for row in shown["values"]] == ["tasks_edit", "tasks_edit", "tasks_create"]
    assert shown["has_more"] is False


@pytest.mark.requirement("history.field.blame")
def test_what_was_undone_is_nobodys_value_and_the_undo_is_named_beside_the_one_who_gave_it(world: World) -> None:
    task = world.task("first", title="One")
    by(world, "agent:a", "tasks_edit", task=task, title="Two")
    by(world, "agent:b", "tasks_undo", task=task)

    undone = world.ok("tasks_history", task=task, field="title")["values"]
    by(world, "agent:c", "tasks_redo", task=task)
    redone = world.ok("tasks_history", task=task, field="title")["values"]

    assert [(row["value"], row["actor"]) for row in undone] == [("One", "tester")]
    assert undone[0]["restored"]["actor"] == "agent:b"
    assert [(row["value"], row["actor"]) for row in redone] == [("Two", "agent:a"), ("One", "tester")]
    assert redone[0]["restored"]["actor"] == "agent:c"
    assert "restored" not in redone[1]


@pytest.mark.requirement("history.field.blame")
def test_who_closed_a_step_is_who_gave_it_its_time(world: World) -> None:
    task = world.task("first")
    by(world, "agent:a", "tasks_verify", task=task, path="s:0", checkpoints={"criteria": {"confirmed": True}})
    by(world, "agent:b", "tasks_close_step", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})

    assert world.ok("tasks_history", task=task, path="s:0", field="done_at")["values"][0]["actor"] == "agent:b"


@pytest.mark.requirement("history.field.blame")
def test_every_field_that_says_something_is_blamed_at_once(world: World) -> None:
    task = world.task("first", title="One")
    by(world, "agent:a", "tasks_edit", task=task, description="Beside it.")

    shown = world.ok("tasks_history", task=task, field="*")["values"]

    assert {row["field"]: row["actor"] for row in shown} == {
        "title": "tester",
        "created_at": "tester",
        "description": "agent:a",
    }
    pages: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while len(pages) < len(shown):
        page = world.ok("tasks_history", task=task, field="*", limit=1, **cursor)
        pages += page["values"]
        cursor = {"cursor": page.get("cursor", "")}
    assert pages == shown


@pytest.mark.requirement("history.field.blame")
def test_a_deleted_task_and_a_deleted_step_can_be_blamed_still(world: World) -> None:
    task = world.task("first", "second", title="One")
    step = world.step(task, "s:1")["step_id"]
    world.ok("tasks_delete", task=task, path="s:1")
    assert given_values(world.ok("tasks_history", task=task, path="s:1", field="title")) == [("second", "tester")]
    assert given_values(world.ok("tasks_history", task=task, step_id=step, field="title")) == [("second", "tester")]

    world.ok("tasks_delete", task=task)

    assert given_values(world.ok("tasks_history", task=task, field="title")) == [("One", "tester")]
    assert given_values(world.ok("tasks_history", task=task, path="s:0", field="title")) == [("first", "tester")]
    world.no("UNKNOWN_ID", "tasks_history", task=task, path="s:7", field="title")


def test_a_field_that_a_document_does_not_have_is_refused_with_those_that_it_has(world: World) -> None:
    task = world.task("first")

    error = world.no("INVALID_INPUT", "tasks_history", task=task, path="s:0", field="priority")

    assert "is priority; use one of title, criteria, tests" in error["message"]


def test_a_step_that_never_was_has_no_history(world: World) -> None:
    task = world.task("first")

    world.no("UNKNOWN_ID", "tasks_history", task=task, path="s:7", field="title")
    world.no("UNKNOWN_ID", "tasks_history", task=task, step_id="STEP-00000000")
    world.no("UNKNOWN_ID", "tasks_history", task="TASK-404", field="title")


def test_the_history_of_a_step_is_what_changed_it(world: World) -> None:
    task = world.task("first", "second")
    world.close(task, "s:1")
    world.close(task, "s:0")

    assert len(world.ok("tasks_history", task=task, path="s:0")["operations"]) == 1


@pytest.mark.requirement("history.field.blame")
def test_long_histories_of_a_field_go_on_at_the_cursor_whatever_the_budget(world: World) -> None:
    task = world.task("first", title="Title 0")
    for number in range(1, 60):
        world.ok("tasks_edit", task=task, title=f"Title {number}", context="y" * number * 10)

    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        reply = world.ask("tasks_history", task=task, field="title", max_chars=700, **cursor)
        assert len(reply.text) <= 700
        page = world.ok("tasks_history", task=task, field="title", max_chars=700, **cursor)
        found += [row["value"] for row in page["values"]]
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}

    assert found == [f"Title {number}" for number in reversed(range(60))]


def test_the_smallest_budget_keeps_who_and_when(world: World) -> None:
    task = world.task("first", title="z" * 300)

    shown = world.ok("tasks_history", task=task, field="title", max_chars=512)

    assert shown["values"][0]["actor"] == "tester"
    assert shown["values"][0]["operation"] == 1


@pytest.mark.requirement("history.field.blame")
def test_blame_follows_a_step_that_was_moved(world: World) -> None:
    task = world.task("first", "second")
    by(world, "agent:a", "tasks_define", task=task, path="s:0", title="renamed")
    by(world, "agent:b", "tasks_move", task=task, path="s:0", parent="s:1")
    by(world, "agent:c", "tasks_define", task=task, path="s:1.s:0", criteria=["New."])

    titles = world.ok("tasks_history", task=task, path="s:1.s:0", field="title", limit=1)
    rest = world.ok("tasks_history", task=task, path="s:1.s:0", field="title", cursor=titles["cursor"])
    criteria = world.ok("tasks_history", task=task, path="s:1.s:0", field="criteria")

    assert given_values(titles) == [("renamed", "agent:a")]
    assert given_values(rest) == [("first", "tester")]
    assert given_values(criteria) == [(["New."], "agent:c"), ([], "tester")]
