"""Patches: single fields of a task, plan, step or task node, by set, unset, append and remove."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import CONFIRMED, World, memory_store

Op = dict[str, Any]


def op(kind: str, field: str, *value: Any) -> Op:
    """One change; without a value it has none."""
    return {"op": kind, "field": field, **({"value": value[0]} if value else {})}


def target(world: World, task: str) -> dict[str, Any]:
    found: dict[str, Any] = world.ok("tasks_resume", task=task)["target"]
    return found


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.patch.task-detail", "tasks.patch.events")
def test_a_task_detail_patch_changes_what_it_names_and_says_which_fields(world: World) -> None:
    other = world.task()
    task = world.task("a", description="old", tags=["x"], domain="billing")

    reply = world.ok(
        "tasks_patch",
        task=task,
        kind="task_detail",
        ops=[
            op("set", "title", "New"),
            op("set", "priority", "HIGH"),
            op("append", "tags", "y"),
            op("unset", "description"),
            op("set", "domain", "billing"),
            op("append", "depends_on", other),
        ],
    )

    assert set(reply) == {"task", "revision", "events", "left", "next"}
    assert (reply["task"], reply["revision"], reply.get("changed", True)) == (task, 2, True)
    (event,) = world.logged(reply)
    assert (event["type"], event["task"]) == ("task_patched", task)
    assert event["fields"] == ["title", "priority", "tags", "description", "depends_on"]
    found = target(world, task)
    assert (found["title"], found["priority"], found["tags"]) == ("New", "HIGH", ["x", "y"])
    assert (found["domain"], found["depends_on"], found["waiting_for"]) == ("billing", [other], 1)
    assert "description" not in found
    assert healthy(world)


@pytest.mark.requirement("tasks.patch.task-detail")
def test_task_detail_is_the_kind_where_none_is_given_and_plans_have_contracts(world: World) -> None:
    plan = world.plan(contract="one", contract_data={"a": 1})

    world.ok("tasks_patch", task=plan, ops=[op("set", "contract", "two")])
    kept = target(world, plan)
    world.ok("tasks_patch", task=plan, ops=[op("set", "contract_data", {"b": [2]}), op("unset", "contract")])

    assert (kept["contract"], kept["contract_data"]) == ("two", {"a": 1})
    assert target(world, plan)["contract_data"] == {"b": [2]}
    assert "contract" not in target(world, plan)


@pytest.mark.requirement("tasks.patch.step", "tasks.patch.events")
@pytest.mark.parametrize("by", ["path", "step_id", "both"])
def test_a_step_is_patched_by_its_path_or_id_and_nothing_beside_it(world: World, by: str) -> None:
    task = world.task("a", "b")
    name = {"path": "s:1", "step_id": world.step(task, "s:1")["step_id"]}
    chosen = name if by == "both" else {by: name[by]}
    beside = world.step(task, "s:0")

    ops = [op("set", "title", "B"), op("append", "criteria", ["c1", "c2"]), op("append", "required", "docs")]
    reply = world.ok("tasks_patch", task=task, kind="step", ops=ops, **chosen)

    assert reply["step"] == {"step_id": name["step_id"], "path": "s:1", "title": "b"}
    (event,) = world.logged(reply)
    assert (event["type"], event["path"], event["step_id"]) == ("step_defined", "s:1", name["step_id"])
    assert event["fields"] == ["title", "criteria", "required"]
    step = world.step(task, "s:1")
    assert (step["title"], step["criteria"], step["required"]) == ("B", ["c1", "c2"], ["docs"])
    assert world.step(task, "s:0") == beside


@pytest.mark.requirement("tasks.patch.task-node", "tasks.patch.events")
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_a_task_node_is_patched_by_its_path_or_id(world: World, by: str) -> None:
    task = world.task("a")
    node = world.ok("tasks_task_add", task=task, parent_step="s:0", title="n", description="d")["node"]
    ops = [op("set", "title", "N"), op("set", "priority", "LOW"), op("unset", "description")]

    reply = world.ok("tasks_patch", task=task, kind="task", ops=ops, **{by: node[by]})

    assert reply["step"] == node
    (event,) = world.logged(reply)
    assert (event["type"], event["path"]) == ("task_node_defined", "s:0.t:0")
    assert event["fields"] == ["title", "priority", "description"]
    found = world.step(task, "s:0.t:0")
    assert (found["title"], found["priority"]) == ("N", "LOW")
    assert "description" not in found


@pytest.mark.requirement("tasks.patch.task-node")
def test_a_patched_node_is_done_only_over_done_steps_and_reopens_what_stands_on_it(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=[{"title": "x"}])
    node = {"task": task, "kind": "task", "path": "s:0.t:0"}

    world.no("CHILDREN_OPEN", "tasks_patch", ops=[op("set", "status", "DONE")], **node)
    world.close(task, "s:0.t:0.s:0")
    world.ok("tasks_patch", ops=[op("set", "status", "DONE")], **node)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    reply = world.ok("tasks_patch", ops=[op("set", "status", "ACTIVE")], **node)

    assert [event["type"] for event in reply["events"]] == ["task_node_defined", "step_reopened", "task_reopened"]
    assert target(world, task)["status"] == "ACTIVE"
    assert healthy(world)


@pytest.mark.requirement("tasks.patch.events")
@pytest.mark.parametrize(
    "ops",
    [
        [op("set", "title", "A task")],
        [op("append", "tags", "x")],
        [op("append", "tags", [])],
        [op("remove", "tags", "absent")],
        [op("unset", "description")],
        [op("set", "title", "Other"), op("set", "title", "A task")],
    ],
)
def test_a_patch_that_changes_nothing_leaves_nothing(world: World, ops: list[Op]) -> None:
    task = world.task(tags=["x"])
    before = world.everything()

    reply = world.ok("tasks_patch", task=task, ops=ops)

    assert (reply["changed"], reply["events"], reply["revision"]) == (False, [], 1)
    assert world.everything() == before


@pytest.mark.requirement("tasks.patch.checkpoint-aware")
@pytest.mark.parametrize(
    "change",
    [
        op("set", "criteria", ["easier"]),
        op("append", "tests", "more"),
        op("remove", "criteria", "hard"),
        op("unset", "tests"),
    ],
)
def test_the_promises_of_a_done_step_cannot_be_patched_away(world: World, change: Op) -> None:
    steps = [{"title": "a", "criteria": ["hard"], "tests": ["pytest"]}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]
    world.close(task, "s:0")
    call = {"task": task, "kind": "step", "path": "s:0"}

    error = world.no("STEP_DONE", "tasks_patch", ops=[op("set", "title", "A"), change], **call)
    world.ok("tasks_patch", ops=[op("set", "title", "A"), op("set", "criteria", ["hard"])], **call)
    world.ok(error["suggestion"]["tool"], **error["suggestion"]["arguments"])
    reply = world.ok("tasks_patch", ops=[change], **call)

    assert world.logged(reply)[0]["fields"] == [change["field"]]
    assert world.step(task, "s:0")["unconfirmed"] == ["criteria", "tests"]


@pytest.mark.requirement("tasks.patch.checkpoint-aware")
def test_patched_criteria_of_an_open_step_void_only_their_own_confirmation(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    reply = world.ok("tasks_patch", task=task, kind="step", path="s:0", ops=[op("append", "criteria", "c")])

    assert reply["events"][0]["withdrawn"] == ["criteria"]
    assert world.step(task, "s:0")["unconfirmed"] == ["criteria"]
    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")
    assert error["missing"] == ["criteria"]


@pytest.mark.requirement("tasks.patch.checkpoint-aware")
def test_required_checkpoints_are_kept_once_and_in_order_as_define_keeps_them(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_define", task=task, path="s:0", required=["docs", "security", "docs"])

    ops = [op("set", "required", ["docs", "security", "docs"])]
    world.ok("tasks_patch", task=task, kind="step", path="s:1", ops=ops)

    assert world.step(task, "s:1")["required"] == world.step(task, "s:0")["required"] == ["security", "docs"]


@pytest.mark.requirement("tasks.patch.unset-clears")
def test_unset_clears_each_field_and_empties_each_list(world: World) -> None:
    said = {"description": "d", "context": "c", "domain": "x", "priority": "LOW", "tags": ["t"]}
    task = world.task(**said, depends_on=[world.task()])
    steps = [{"title": "a", "criteria": ["c"], "tests": ["t"], "blockers": ["b"], "required": ["docs"]}]
    world.ok("tasks_decompose", task=task, steps=steps)
    lists = ("criteria", "tests", "blockers", "required")

    world.ok("tasks_patch", task=task, ops=[op("unset", name) for name in (*said, "depends_on")])
    world.ok("tasks_patch", task=task, kind="step", path="s:0", ops=[op("unset", name) for name in lists])

    found = target(world, task)
    assert not found.keys() & {"description", "context", "domain", "tags", "depends_on", "waiting_for"}
    assert found["priority"] == "MEDIUM"
    step = world.step(task, "s:0")
    assert [step[name] for name in lists] == [[], [], [], []]
    assert healthy(world)


@pytest.mark.requirement("tasks.patch.unset-clears")
@pytest.mark.parametrize(("kind", "field"), [("task_detail", "title"), ("step", "title"), ("task", "status")])
def test_what_must_be_there_cannot_be_cleared(world: World, kind: str, field: str) -> None:
    task = world.task("a")
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="n")
    selector = {"step": {"path": "s:0"}, "task": {"path": "s:0.t:0"}}.get(kind, {})

    error = world.no("INVALID_INPUT", "tasks_patch", task=task, kind=kind, ops=[op("unset", field)], **selector)

    assert field in error["message"]


@pytest.mark.requirement("tasks.patch.set-list")
def test_set_replaces_a_whole_list(world: World) -> None:
    task = world.task(tags=["a", "b"])

    world.ok("tasks_patch", task=task, ops=[op("set", "tags", ["c"])])

    assert target(world, task)["tags"] == ["c"]
    assert world.ok("tasks_context", tag="a")["items"] == []
    assert [row["id"] for row in world.ok("tasks_context", tag="c")["items"]] == [task]


@pytest.mark.requirement("tasks.patch.append-list")
@pytest.mark.parametrize(
    ("value", "left"),
    [("c", ["a", "b", "c"]), (["b", "c"], ["a", "b", "c"]), ("a", ["a", "b"]), (["c", "c"], ["a", "b", "c"])],
)
def test_append_adds_at_the_end_and_skips_what_is_there(world: World, value: Any, left: list[str]) -> None:
    task = world.task(tags=["a", "b"])

    world.ok("tasks_patch", task=task, ops=[op("append", "tags", value)])

    assert target(world, task)["tags"] == left


@pytest.mark.requirement("tasks.patch.remove-list")
@pytest.mark.parametrize(("value", "left"), [("a", ["b", "c"]), (["c", "x", "a"], ["b"]), ("x", ["a", "b", "c"])])
def test_remove_drops_what_is_equal_and_keeps_the_order(world: World, value: Any, left: list[str]) -> None:
    task = world.task(tags=["a", "b", "c"])

    world.ok("tasks_patch", task=task, ops=[op("remove", "tags", value)])

    assert target(world, task)["tags"] == left


@pytest.mark.requirement("tasks.patch.append-list", "tasks.patch.set-list", "tasks.patch.unset-clears")
@pytest.mark.parametrize(
    ("ops", "left"),
    [
        ([op("set", "tags", ["c"]), op("append", "tags", "d")], ["c", "d"]),
        ([op("unset", "tags"), op("append", "tags", "d")], ["d"]),
        ([op("append", "tags", "c"), op("remove", "tags", "a")], ["c"]),
        ([op("set", "tags", ["c", "d"]), op("remove", "tags", "c")], ["d"]),
    ],
)
def test_several_changes_to_one_list_follow_one_another(world: World, ops: list[Op], left: list[str]) -> None:
    task = world.task(tags=["a"])

    world.ok("tasks_patch", task=task, ops=ops)

    assert target(world, task)["tags"] == left


TAGS = st.lists(st.sampled_from("abcd"), max_size=3)
LIST_OPS = st.one_of(
    st.tuples(st.sampled_from(["set", "append", "remove"]), TAGS), st.tuples(st.just("unset"), st.none())
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(LIST_OPS, min_size=1, max_size=4), max_size=5))
def test_whatever_is_done_to_a_list_it_is_what_the_ops_say_with_each_value_once(
    calls: list[list[tuple[str, list[str] | None]]],
) -> None:
    world = World(memory_store())
    task = world.task()
    said: list[str] = []

    for call in calls:
        world.ok("tasks_patch", task=task, ops=[op(kind, "tags", *([] if v is None else [v])) for kind, v in call])
        for kind, value in call:
            given = value or []
            kept = {"set": [], "unset": [], "append": said, "remove": [tag for tag in said if tag not in given]}
            said = list(dict.fromkeys([*kept[kind], *(given if kind in ("set", "append") else [])]))

    assert target(world, task).get("tags", []) == said
    assert healthy(world)
