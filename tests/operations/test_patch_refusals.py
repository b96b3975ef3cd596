"""Patches that are refused: by kind, field, value and dependency, each named where it stands."""

from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import World

Op = dict[str, Any]
RETITLE = [{"op": "set", "field": "title", "value": "x"}]


def with_node(world: World) -> str:
    """A task with a step, and a task node in it."""
    task = world.task("a")
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")
    return task


@pytest.mark.requirement("tasks.patch.task-detail", "tasks.patch.step", "tasks.patch.task-node")
@pytest.mark.parametrize(
    ("kind", "selector", "field"),
    [
        ("task_detail", {"path": "s:0"}, "path"),
        ("step", {}, "path"),
        ("task", {}, "path"),
        ("task", {"path": "s:0"}, "kind"),
        ("node", {"path": "s:0"}, "kind"),
        ("step", {"path": "t:0"}, "path"),
    ],
)
def test_kind_and_selector_must_fit(world: World, kind: str, selector: dict[str, str], field: str) -> None:
    task = with_node(world)

    error = world.no("INVALID_INPUT", "tasks_patch", task=task, kind=kind, ops=RETITLE, **selector)

    assert [problem["field"] for problem in error["problems"]] == [field]


@pytest.mark.requirement("tasks.patch.step", "tasks.patch.task-node")
def test_a_target_that_is_not_there_is_refused(world: World) -> None:
    task = with_node(world)
    step_id = world.step(task, "s:0")["step_id"]

    world.no("UNKNOWN_ID", "tasks_patch", task="TASK-099", ops=RETITLE)
    world.no("UNKNOWN_ID", "tasks_patch", task=task, kind="step", path="s:7", ops=RETITLE)
    world.no("UNKNOWN_ID", "tasks_patch", task=task, kind="step", path="s:0.t:0", ops=RETITLE)
    world.no("UNKNOWN_ID", "tasks_patch", task=task, kind="task", path="s:0.t:7", ops=RETITLE)
    world.no("TARGET_MISMATCH", "tasks_patch", task=task, kind="step", path="s:1", step_id=step_id, ops=RETITLE)
    world.no(
        "REVISION_MISMATCH", "tasks_patch", task=task, kind="step", path="s:7", ops=RETITLE, expected_revision=1
    )


@pytest.mark.requirement("tasks.patch.task-detail", "tasks.patch.step", "tasks.patch.task-node")
@pytest.mark.parametrize(
    ("kind", "selector", "fields"),
    [
        ("task_detail", {}, ("colour", "status", "plan", "contract", "id", "steps", "criteria")),
        ("step", {"path": "s:0"}, ("colour", "tags", "done_at", "confirmed", "evidenced", "blocked")),
        ("task", {"path": "s:0.t:0"}, ("colour", "criteria", "id", "tags")),
    ],
)
def test_a_field_that_is_not_there_to_be_patched_is_named(
    world: World, kind: str, selector: dict[str, str], fields: tuple[str, ...]
) -> None:
    task = with_node(world)

    for field in fields:
        ops = [*RETITLE, {"op": "set", "field": field, "value": ["x"]}]
        error = world.no("INVALID_INPUT", "tasks_patch", task=task, kind=kind, ops=ops, **selector)
        assert error["problems"][0]["field"] == "ops[1].field"
        assert field in error["message"]


@pytest.mark.requirement("tasks.patch.task-detail", "tasks.patch.set-list")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", 3),
        ("title", ""),
        ("title", "two\nlines"),
        ("title", ["x"]),
        ("title", None),
        ("priority", "URGENT"),
        ("tags", "x"),
        ("tags", [1]),
        ("tags", {"a": "b"}),
        ("tags", [["x"]]),
        ("depends_on", ["STEP-00000000"]),
        ("description", {"text": "x"}),
        ("domain", " x"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_its_field(world: World, field: str, value: Any) -> None:
    task = world.task("a")

    error = world.no("INVALID_INPUT", "tasks_patch", task=task, ops=[{"op": "set", "field": field, "value": value}])

    assert field in error["message"]


@pytest.mark.requirement("tasks.patch.append-list", "tasks.patch.remove-list", "tasks.patch.set-list")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"op": "append", "field": "title", "value": "x"}, "ops[0].op"),
        ({"op": "remove", "field": "description", "value": "x"}, "ops[0].op"),
        ({"op": "set", "field": "title"}, "ops[0].value"),
        ({"op": "append", "field": "tags"}, "ops[0].value"),
        ({"op": "unset", "field": "tags", "value": ["x"]}, "ops[0].value"),
        ({"op": "replace", "field": "title", "value": "x"}, "ops[0].op"),
        ({"op": "set", "value": "x"}, "ops[0].field"),
        ({"op": "set", "field": "title", "value": "x", "at": 1}, "ops[0].at"),
        ({"op": "append", "field": "tags", "value": [1]}, "tags"),
        ({"op": "append", "field": "tags", "value": None}, "tags"),
    ],
)
def test_an_op_that_makes_no_sense_is_refused_where_it_stands(world: World, change: Op, field: str) -> None:
    task = world.task("a")

    error = world.no("INVALID_INPUT", "tasks_patch", task=task, ops=[change])

    assert field in error["problems"][0]["field"]


@pytest.mark.requirement("tasks.patch.set-list", "tasks.patch.append-list", "tasks.patch.remove-list")
@pytest.mark.parametrize("wrong", ["abc", 5, True, {"a": "b"}])
@pytest.mark.parametrize("then", ["append", "remove"])
def test_a_later_op_does_not_make_a_list_of_what_was_set_as_none(world: World, wrong: Any, then: str) -> None:
    task = world.task(tags=["x"])
    ops = [{"op": "set", "field": "tags", "value": wrong}, {"op": then, "field": "tags", "value": "a"}]

    error = world.no("INVALID_INPUT", "tasks_patch", task=task, ops=ops)

    assert "tags" in error["message"] or "ops[" in error["message"]


@pytest.mark.requirement("tasks.patch.append-list")
def test_a_list_cannot_be_patched_past_its_length(world: World) -> None:
    task = world.task(tags=[f"tag {number}" for number in range(49)])

    world.ok("tasks_patch", task=task, ops=[{"op": "append", "field": "tags", "value": "fiftieth"}])
    world.no(
        "INVALID_INPUT", "tasks_patch", task=task, ops=[{"op": "append", "field": "tags", "value": "one more"}]
    )


@pytest.mark.requirement("tasks.patch.task-detail")
def test_patched_dependencies_are_held_to_the_same_rules(world: World) -> None:
    first = world.task()
    second = world.task(depends_on=[first])

    def depend(needed: str) -> list[Op]:
        return [{"op": "append", "field": "depends_on", "value": needed}]

    world.no("DEPENDENCY_CYCLE", "tasks_patch", task=first, ops=depend(second))
    world.no("DEPENDENCY_CYCLE", "tasks_patch", task=first, ops=depend(first))
    world.no("UNKNOWN_ID", "tasks_patch", task=first, ops=depend("TASK-099"))


@pytest.mark.requirement("tasks.patch.set-list")
@pytest.mark.parametrize("kind", ["set", "append"])
def test_a_dependency_named_twice_is_waited_for_once(world: World, kind: str) -> None:
    first, second = world.task(), world.task()
    twice = [{"op": kind, "field": "depends_on", "value": [first, first]}]

    world.ok("tasks_patch", task=second, ops=twice)
    waits = world.ok("tasks_resume", task=second)["target"]
    world.ok("tasks_complete", task=first)

    assert (waits["depends_on"], waits["waiting_for"]) == ([first], 1)
    assert "waiting_for" not in world.ok("tasks_resume", task=second)["target"]
    assert [row["id"] for row in world.ok("tasks_context", ready=True)["items"]] == [second]
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.patch.task-detail")
def test_contract_data_that_cannot_be_kept_is_refused(world: World) -> None:
    plan = world.plan()
    deep: Any = "x"
    for _ in range(40):
        deep = {"in": deep}

    for value in (deep, {"text": "\0"}, {"number": 2**80}, ["list"], "text"):
        ops = [{"op": "set", "field": "contract_data", "value": value}]
        error = world.no("INVALID_INPUT", "tasks_patch", task=plan, ops=ops)
        assert "contract_data" in error["message"]
