"""Editing plans and tasks: one call, one event, and nothing wiped by omission."""

from typing import Any

import pytest

from tests.givens import World

COMMON = {"title": "t", "description": "d", "context": "c", "priority": "HIGH", "tags": ["x", "y"]}
CONTRACT = {"contract": "Nothing is lost.", "contract_data": {"limit": 3}}
NEW = {"title": "T2", "description": "D2", "context": "C2", "priority": "LOW", "tags": ["z"]}


def shown(world: World, target: str) -> dict[str, Any]:
    found: dict[str, Any] = world.ok("tasks_resume", task=target)["target"]
    return found


def full_task(world: World) -> str:
    needed = world.task()
    made: str = world.ok("tasks_create", kind="task", domain="core", depends_on=[needed], **COMMON)["id"]
    return made


def full_plan(world: World) -> str:
    needed = world.task()
    made: str = world.ok("tasks_create", kind="plan", depends_on=[needed], **COMMON, **CONTRACT)["id"]
    return made


@pytest.mark.requirement("tasks.edit.plan-fields", "tasks.edit.one-event")
def test_every_field_of_a_plan_is_changed_in_one_call_with_one_event(world: World) -> None:
    plan, other = full_plan(world), world.task()
    new = {**NEW, "depends_on": [other], "contract": "All of it.", "contract_data": {"limit": 4}}

    reply = world.ok("tasks_edit", task=plan, **new)

    assert set(reply) == {"task", "revision", "events"}
    (event,) = world.logged(reply)
    assert (event["type"], event["plan"], set(event["fields"])) == ("plan_edited", plan, set(new))
    assert reply["revision"] == 2
    after = shown(world, plan)
    assert {name: after[name] for name in new} == new


@pytest.mark.requirement("tasks.edit.task-fields", "tasks.edit.new-domain", "tasks.edit.one-event")
def test_every_field_of_a_task_is_changed_in_one_call_with_one_event(world: World) -> None:
    task, other = full_task(world), world.task()

    reply = world.ok("tasks_edit", task=task, depends_on=[other], new_domain="edge", **NEW)

    (event,) = world.logged(reply)
    assert (event["type"], event["task"]) == ("task_edited", task)
    assert set(event["fields"]) == {*NEW, "depends_on", "domain"}
    after = shown(world, task)
    assert {name: after[name] for name in NEW} == NEW
    assert (after["domain"], after["depends_on"]) == ("edge", [other])


@pytest.mark.requirement("tasks.edit.new-domain")
def test_domain_is_only_set_by_its_new_name(world: World) -> None:
    task = full_task(world)

    error = world.no("INVALID_INPUT", "tasks_edit", task=task, domain="edge")
    world.ok("tasks_edit", task=task, new_domain="edge")

    assert "new_domain" in error["message"]
    assert shown(world, task)["domain"] == "edge"


@pytest.mark.requirement("tasks.edit.task-fields")
@pytest.mark.parametrize("wrong", [{"contract": "x"}, {"contract_data": {}}, {"contract": None}], ids=str)
def test_a_contract_on_a_task_is_refused(world: World, wrong: dict[str, Any]) -> None:
    task = world.task()

    error = world.no("INVALID_INPUT", "tasks_edit", task=task, title="t2", **wrong)

    assert next(iter(wrong)) in error["message"]


@pytest.mark.requirement("tasks.edit.atomic")
@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("INVALID_INPUT", {"priority": "URGENT"}),
        ("INVALID_INPUT", {"tags": "x"}),
        ("UNKNOWN_ID", {"depends_on": ["TASK-099"]}),
        ("REVISION_MISMATCH", {"expected_revision": 9}),
    ],
    ids=str,
)
def test_an_edit_with_one_bad_field_changes_none(world: World, code: str, wrong: dict[str, Any]) -> None:
    task = full_task(world)

    world.no(code, "tasks_edit", task=task, title="new", description="new", **wrong)

    assert shown(world, task)["title"] == "t"


@pytest.mark.requirement("tasks.edit.atomic")
def test_an_edit_that_would_close_a_cycle_changes_nothing_else_either(world: World) -> None:
    first = world.task()
    second = world.task(depends_on=[first])

    world.no("DEPENDENCY_CYCLE", "tasks_edit", task=first, title="new", depends_on=[second])

    assert shown(world, first)["title"] == "A task"


@pytest.mark.requirement("tasks.edit.absent-unchanged")
@pytest.mark.parametrize("field", [*NEW, "depends_on", "contract", "contract_data"])
def test_a_plan_s_fields_that_are_not_named_stay(world: World, field: str) -> None:
    plan = full_plan(world)
    before = shown(world, plan)
    change = {**NEW, "depends_on": [], "contract": "New.", "contract_data": {"n": 1}}[field]

    reply = world.ok("tasks_edit", task=plan, **{field: change})

    after = shown(world, plan)
    moved = {field, "revision"} | ({"waiting_for"} if field == "depends_on" else set())
    kept = before.keys() - moved
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert world.logged(reply)[0]["fields"] == [field]


@pytest.mark.requirement("tasks.edit.null-clears")
@pytest.mark.parametrize(
    ("field", "cleared"),
    [
        ("description", None),
        ("context", None),
        ("priority", "MEDIUM"),
        ("tags", None),
        ("depends_on", None),
        ("contract", None),
        ("contract_data", None),
    ],
)
def test_null_clears_a_field_of_a_plan(world: World, field: str, cleared: str | None) -> None:
    plan = full_plan(world)

    reply = world.ok("tasks_edit", task=plan, **{field: None})

    assert world.logged(reply)[0]["fields"] == [field]
    assert shown(world, plan).get(field) == cleared


@pytest.mark.requirement("tasks.edit.null-clears")
def test_null_clears_a_task_s_domain_and_what_it_waits_for(world: World) -> None:
    task = full_task(world)
    assert shown(world, task)["waiting_for"] == 1

    world.ok("tasks_edit", task=task, new_domain=None, depends_on=None)

    after = shown(world, task)
    assert not {"domain", "depends_on", "waiting_for"} & after.keys()


@pytest.mark.requirement("tasks.edit.null-clears")
@pytest.mark.parametrize("field", ["title", "expected_revision"])
def test_what_cannot_be_empty_cannot_be_null(world: World, field: str) -> None:
    task = world.task()

    error = world.no("INVALID_INPUT", "tasks_edit", task=task, **{"context": "c", field: None})

    assert field in error["message"]


def test_tags_are_kept_once_each(world: World) -> None:
    task = world.task()

    world.ok("tasks_edit", task=task, tags=["b", "a", "b"])

    assert shown(world, task)["tags"] == ["b", "a"]


@pytest.mark.requirement("tasks.edit.one-event")
def test_an_edited_plan_is_found_by_its_new_words_and_no_longer_by_the_old(world: World) -> None:
    plan = world.plan(title="Alpha", tags=["old"])

    world.ok("tasks_edit", task=plan, title="Beta", tags=["new"], priority="CRITICAL")

    def found(**filters: str) -> list[str]:
        return [row["id"] for row in world.ok("tasks_context", **filters)["items"]]

    assert found(text="beta") == found(tag="new") == found(priority="CRITICAL") == [plan]
    assert found(text="alpha") == found(tag="old") == found(priority="MEDIUM") == []
