"""Every reply of a write fits into 16,000 characters, and says which call shows what was left out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from gatepost.domain.offers import EVERYTHING
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.views.budget import DEFAULT
from gatepost.views.write_budget import bounded
from tests.givens import WORKSPACE, World, worlds

MANY = 2_000
WRITES = [operation for operation in OPERATIONS if operation.writes]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield from worlds("sqlite", tmp_path)


def creates(count: int, **arguments: Any) -> list[dict[str, Any]]:
    titles = [f"Task {number}" for number in range(count)]
    return [
        {"tool": "tasks_create", "arguments": {"kind": "task", "title": title, **arguments}} for title in titles
    ]


def capped(world: World, tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply of a call that has more to say than fits."""
    answered = world.ask(tool, **arguments)
    assert answered.refusal is None, answered.text
    assert len(answered.text) <= DEFAULT
    reply: dict[str, Any] = json.loads(answered.text)
    assert reply["budget"]["truncated"]
    assert reply["budget"]["used_chars"] == len(answered.text)
    return reply


def unfolded(world: World, reply: dict[str, Any]) -> list[int]:
    """The events of a reply, those that `next` goes on with included, by number."""
    seen = [event["seq"] for event in reply["events"]]
    since = reply["next"]["arguments"]["since"]
    while True:
        assert reply["next"]["tool"] == "tasks_delta"
        page = world.ok("tasks_delta", since=since, limit=100)
        seen += [event["seq"] for event in page["events"]]
        if not page["has_more"]:
            return seen
        since = page["next"]


@pytest.mark.requirement("call.reply.write-capped")
def test_deleting_a_large_plan_answers_what_fits_and_goes_on_exactly_where_the_events_stop(world: World) -> None:
    plan = world.plan()
    for _ in range(2):
        world.ok("tasks_batch", operations=creates(200, plan=plan))
    revision = world.revision(plan)
    before = world.everything()["head"].seq

    deleted = capped(world, "tasks_delete", task=plan)

    assert deleted["deleted"] == 401
    assert deleted["revision"] == revision + 1
    assert unfolded(world, deleted) == list(range(before + 1, before + 402))
    assert deleted["budget"]["omitted"]["events"] == 401 - len(deleted["events"])
    for tool in ("tasks_undo", "tasks_redo"):
        before = world.everything()["head"].seq
        reply = capped(world, tool)
        assert "changed" not in reply
        assert unfolded(world, reply) == list(range(before + 1, before + 402))


def test_links_that_a_deletion_removes_are_counted_where_they_do_not_fit(world: World) -> None:
    needed = world.task()
    for _ in range(4):
        world.ok("tasks_batch", operations=creates(200, depends_on=[needed]))

    reply = capped(world, "tasks_delete", task=needed, force=True, reason="It is not needed.")

    omitted = reply["budget"]["omitted"]
    assert len(reply["unlinked"]) + omitted.get("unlinked", 0) == 800
    assert len(reply["events"]) + omitted["events"] == 801


def test_new_steps_are_named_as_far_as_they_fit_and_resuming_shows_the_task(world: World) -> None:
    task = world.task()

    reply = capped(world, "tasks_decompose", task=task, steps=[{"title": "x"}] * MANY)

    assert reply["revision"] == 2
    assert reply["events"][0]["type"] == "steps_added"
    assert len(reply["steps"]) + reply["budget"]["omitted"]["steps"] == MANY
    assert reply["next"] == {"tool": "tasks_resume", "arguments": {"workspace": WORKSPACE, "task": task}}
    world.ok("tasks_resume", task=task)
    made = capped(world, "tasks_create", kind="task", title="Another", steps=[{"title": "x"}] * MANY)
    assert made["id"] == "TASK-002"
    assert made["next"]["arguments"]["task"] == "TASK-002"


@pytest.mark.requirement("call.reply.write-capped")
def test_every_write_of_a_batch_is_named_with_its_revision_however_many_there_are(world: World) -> None:
    operations = creates(200, steps=[{"title": "x"}] * 10)

    reply = capped(world, "tasks_batch", operations=operations)

    named = [(result["id"], result["revision"]) for result in reply["results"]]
    assert named == [(f"TASK-{number:03d}", 1) for number in range(1, 201)]


def test_a_read_in_a_batch_keeps_the_budget_that_it_has_by_itself(world: World) -> None:
    world.ok("tasks_batch", operations=creates(100, description="d" * 300))
    alone = world.ok("tasks_context", limit=100)
    writes = creates(150)

    reply = world.ok(
        "tasks_batch", operations=[*writes, {"tool": "tasks_context", "arguments": {"limit": 100, "kind": "task"}}]
    )

    assert len(reply["results"][-1]["items"]) >= len(alone["items"]) - 5
    assert len(msgspec.json.encode(reply["results"][-1]).decode()) <= DEFAULT
    rest = {**reply, "results": reply["results"][:-1]}
    assert len(msgspec.json.encode(rest).decode()) <= DEFAULT
    assert [result["id"] for result in rest["results"]] == [f"TASK-{number:03d}" for number in range(101, 251)]


def test_the_longest_todo_list_is_answered_whole(world: World) -> None:
    items = [f"{number}: {'x' * 50}" for number in range(200)]

    assert world.ok("todo_write", items=items)["items"] == items


def test_a_reply_that_fits_is_sent_as_it_is(world: World) -> None:
    assert world.ok("tasks_create", kind="task", title="Small").keys() == {"id", "kind", "revision", "events"}


@pytest.mark.requirement("call.reply.write-capped")
@pytest.mark.parametrize("operation", WRITES, ids=lambda operation: operation.name)
def test_no_write_answers_more_than_the_cap_whatever_its_lists_hold(operation: Operation) -> None:
    body = overfull(operation.reply)
    names = {name: value for name, value in body.items() if isinstance(value, str | int | bool)}

    fits = bounded(body, WORKSPACE, EVERYTHING)

    assert len(msgspec.json.encode(fits).decode()) <= DEFAULT
    assert {name: fits[name] for name in names} == names


def overfull(reply: type) -> dict[str, Any]:
    """A reply of this kind with every list and object as full as can be."""
    kind = inspect.type_info(reply)
    assert isinstance(kind, inspect.StructType)
    own = [field for field in kind.fields if field.encode_name not in ("budget", "next")]
    return {field.encode_name: overfull_value(field.encode_name, field.type) for field in own}


def overfull_value(name: str, kind: inspect.Type) -> Any:
    if isinstance(kind, inspect.UnionType):
        return overfull_value(name, kind.types[0])
    if isinstance(kind, inspect.VarTupleType):
        row = {"seq": 1, "type": "x", "title": "y" * 500} if name == "events" else overfull_row(kind.item_type)
        return [row | {"seq": number} if name == "events" else row for number in range(1, MANY)]
    if isinstance(kind, inspect.DictType):
        return {f"TASK-{number:03d}": number for number in range(MANY)}
    return overfull_row(kind)


def overfull_row(kind: inspect.Type) -> Any:
    if isinstance(kind, inspect.IntType):
        return 7
    if isinstance(kind, inspect.BoolType):
        return True
    if isinstance(kind, inspect.StructType):
        return {field.encode_name: overfull_row(field.type) for field in kind.fields}
    if isinstance(kind, inspect.VarTupleType):
        return ["x" * 100] * 100
    return {"text": "z" * 900} if isinstance(kind, inspect.DictType | inspect.AnyType) else "a name"


@pytest.mark.requirement("call.reply.write-capped")
def test_no_event_of_a_batch_is_missing_from_the_reply_and_the_call_that_goes_on(world: World) -> None:
    plans = [world.plan() for _ in range(20)]
    for plan in plans:
        world.ok("tasks_batch", operations=creates(20, plan=plan))
    before = world.everything()["head"].seq

    reply = capped(
        world,
        "tasks_batch",
        operations=[{"tool": "tasks_delete", "arguments": {"task": plan}} for plan in plans],
    )

    shown = [event for result in reply["results"] for event in result["events"]]
    assert shown
    assert set(unfolded(world, {**reply, "events": shown})) == set(range(before + 1, before + 421))


@pytest.mark.requirement("call.reply.write-capped")
@pytest.mark.parametrize(
    ("field", "given"), [("current", "A long contract. " * 1_500), ("contract_data", {"rules": ["x" * 100] * 160})]
)
def test_a_contract_that_does_not_fit_is_stored_whole_and_the_reply_says_that_it_is_not(
    world: World, field: str, given: Any
) -> None:
    plan = world.plan()

    reply = capped(world, "tasks_contract", plan=plan, **{field: given})

    assert field in reply["budget"]["omitted"]
    assert "changed" not in reply
    assert len(reply["events"]) == 1
    assert reply["next"] == {"tool": "tasks_resume", "arguments": {"workspace": WORKSPACE, "task": plan}}
    assert world.ok("tasks_contract", plan=plan, **{field: given})["changed"] is False
