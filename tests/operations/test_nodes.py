"""Task nodes: sub-plans inside a step, addressed like steps, done by status over done work."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import CONFIRMED, World, memory_store


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def paths(world: World, task: str) -> list[str]:
    return [step["path"] for step in world.ok("tasks_resume", task=task, limit=200)["steps"]]


def add(world: World, task: str, parent: str, **arguments: Any) -> dict[str, str]:
    """A new task node in a step."""
    node: dict[str, str] = world.ok("tasks_task_add", task=task, parent_step=parent, **{"title": "n", **arguments})[
        "node"
    ]
    return node


def types(reply: dict[str, Any]) -> list[str]:
    return [event["type"] for event in reply["events"]]


@pytest.mark.requirement("tasks.node.add", "tasks.names.node")
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_a_node_is_added_to_the_step_that_its_path_or_id_names(world: World, by: str) -> None:
    task = world.task("a", "b")
    parent = world.step(task, "s:1")

    reply = world.ok(
        "tasks_task_add", task=task, parent_step=parent[by], title="n", priority="HIGH", description="d"
    )

    assert set(reply) == {"task", "revision", "node", "events", "now", "left"}
    assert (reply["task"], reply["revision"], reply.get("changed", True)) == (task, 2, True)
    assert set(reply["node"]) == {"step_id", "path", "title"}
    assert re.fullmatch(r"NODE-[0-9A-F]{8}", reply["node"]["step_id"])
    assert reply["node"]["path"] == "s:1.t:0"
    (event,) = world.logged(reply)
    assert (event["type"], event["step_id"], event["title"]) == ("task_node_added", reply["node"]["step_id"], "n")
    found = world.step(task, "s:1.t:0")
    assert (found["title"], found["status"], found["priority"]) == ("n", "TODO", "HIGH")
    assert (found["description"], found["done"]) == ("d", False)
    assert paths(world, task) == ["s:0", "s:1", "s:1.t:0"]
    assert healthy(world)


@pytest.mark.requirement("tasks.step.holds-subplan", "tasks.tree.task-nodes")
def test_a_step_holds_nodes_and_these_hold_steps_each_counted_for_itself(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "own"}])
    nodes = [add(world, task, "s:0") for _ in range(2)]

    by_path = world.ok("tasks_decompose", task=task, path="s:0.t:1", steps=[{"title": "x"}, {"title": "y"}])
    by_id = world.ok("tasks_decompose", task=task, step_id=nodes[1]["step_id"], steps=[{"title": "z"}])

    assert [node["path"] for node in nodes] == ["s:0.t:0", "s:0.t:1"]
    assert [step["path"] for step in by_path["steps"] + by_id["steps"]] == [f"s:0.t:1.s:{n}" for n in range(3)]
    below = ["s:0.s:0", "s:0.t:0", "s:0.t:1", "s:0.t:1.s:0", "s:0.t:1.s:1", "s:0.t:1.s:2"]
    assert paths(world, task) == ["s:0", *below]
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["total"] == 7
    assert world.close(task, "s:0.t:1.s:2")["step"] == {**by_id["steps"][0], "title": "z"}
    assert healthy(world)


@pytest.mark.requirement("tasks.tree.task-nodes")
def test_nodes_and_steps_go_sixteen_levels_deep_and_no_deeper(world: World) -> None:
    task = world.task("a")
    path = "s:0"
    while path.count(".") < 15:
        if path.rpartition(".")[2].startswith("s"):
            path = add(world, task, path)["path"]
        else:
            path = world.ok("tasks_decompose", task=task, path=path, steps=[{"title": "s"}])["steps"][0]["path"]

    assert path == ".".join(["s:0", *["t:0", "s:0"] * 7, "t:0"])
    above = path.removesuffix(".t:0")
    error = world.no("INVALID_INPUT", "tasks_decompose", task=task, path=path, steps=[{"title": "17"}])
    assert "16" in error["message"]
    deepest = world.ok("tasks_decompose", task=task, path=above, steps=[{"title": "16"}])["steps"][0]
    world.no("INVALID_INPUT", "tasks_task_add", task=task, parent_step=deepest["path"], title="17")
    world.no("INVALID_INPUT", "tasks_task_add", task=task, parent_step=deepest["step_id"], title="17")
    world.ok("tasks_task_define", task=task, path=path, status="DONE")
    world.close(task, deepest["path"])
    assert world.ok("tasks_radar", task=task)["now"]["path"] == above
    assert healthy(world)


@pytest.mark.requirement("tasks.node.add")
@pytest.mark.parametrize("parent", ["t:0", "0", "s:0.", "STEP-1", "", "NODE-0000000G", 0, None])
def test_a_parent_of_the_wrong_form_is_refused(world: World, parent: Any) -> None:
    task = world.task("a")

    error = world.no("INVALID_INPUT", "tasks_task_add", task=task, parent_step=parent, title="n")

    assert "parent_step" in error["message"]


@pytest.mark.requirement("tasks.node.add")
def test_a_parent_that_is_not_there_or_no_step_is_refused_under_its_own_name(world: World) -> None:
    task, other = world.task("a"), world.task("b")
    node = add(world, task, "s:0")
    theirs = world.step(other, "s:0")["step_id"]

    for parent in ("s:7", theirs, node["path"], node["step_id"], "STEP-00000000"):
        error = world.no("UNKNOWN_ID", "tasks_task_add", task=task, parent_step=parent, title="n")
        assert error["field"] == "parent_step"
        assert parent in error["message"]
    world.no("UNKNOWN_ID", "tasks_task_add", task="TASK-099", parent_step="s:0", title="n")
    world.no("UNKNOWN_ID", "tasks_task_add", task=world.plan(), parent_step="s:0", title="n")
    world.no("REVISION_MISMATCH", "tasks_task_add", task=task, parent_step="s:7", title="n", expected_revision=9)
    world.no("INVALID_INPUT", "tasks_task_add", task=task, parent_step="s:0", title="n", status="OPEN")


@pytest.mark.requirement("tasks.node.define")
@pytest.mark.parametrize("by", ["path", "step_id", "both"])
def test_a_node_is_defined_by_its_path_or_id_and_absent_fields_stay(world: World, by: str) -> None:
    task = world.task("a")
    node = add(world, task, "s:0", description="d", priority="LOW")
    both = {"path": node["path"], "step_id": node["step_id"]}
    chosen = both if by == "both" else {by: node[by]}

    reply = world.ok("tasks_task_define", task=task, title="N", status="ACTIVE", **chosen)
    kept = world.step(task, "s:0.t:0")
    world.ok("tasks_task_define", task=task, description=None, priority=None, **chosen)

    assert set(reply) == {"task", "revision", "node", "events", "now", "left"}
    assert reply["node"] == {**node, "title": "N"}
    (event,) = world.logged(reply)
    assert (event["type"], event["fields"]) == ("task_node_defined", ["title", "status"])
    assert (kept["title"], kept["status"], kept["priority"], kept["description"]) == ("N", "ACTIVE", "LOW", "d")
    cleared = world.step(task, "s:0.t:0")
    assert cleared["priority"] == "MEDIUM"
    assert "description" not in cleared


@pytest.mark.requirement("tasks.node.define", "tasks.node.delete")
@pytest.mark.parametrize("tool", ["tasks_task_define", "tasks_task_delete"])
def test_only_a_node_that_is_there_can_be_defined_or_deleted(world: World, tool: str) -> None:
    task = world.task("a")
    node = add(world, task, "s:0")

    world.no("INVALID_INPUT", tool, task=task)
    world.no("INVALID_INPUT", tool, task=task, path="s:0")
    world.no("UNKNOWN_ID", tool, task=task, path="s:0.t:1")
    world.no("UNKNOWN_ID", tool, task=task, step_id="NODE-00000000")
    world.no("TARGET_MISMATCH", tool, task=task, path="s:0.t:1", step_id=node["step_id"])
    world.no("REVISION_MISMATCH", tool, task=task, path="s:0.t:1", expected_revision=1)
    world.no("INVALID_INPUT", "tasks_task_define", task=task, path="s:0.t:0", status=None)


@pytest.mark.requirement("tasks.node.define")
def test_defining_a_node_as_it_is_changes_nothing(world: World) -> None:
    task = world.task("a")
    add(world, task, "s:0")
    before = world.everything()

    for change in ({"title": "n"}, {"status": "TODO", "priority": "MEDIUM"}, {"description": None}, {}):
        assert world.ok("tasks_task_define", task=task, path="s:0.t:0", **change)["changed"] is False

    assert world.everything() == before


@pytest.mark.requirement("tasks.node.delete")
@pytest.mark.parametrize("tool", ["tasks_task_delete", "tasks_delete"])
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_a_node_is_deleted_with_all_below_it(world: World, tool: str, by: str) -> None:
    task = world.task("a")
    node, kept = add(world, task, "s:0"), add(world, task, "s:0")
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=[{"title": "x", "steps": [{"title": "y"}]}])

    reply = world.ok(tool, task=task, **{by: node[by]})

    (event,) = world.logged(reply)
    assert (event["type"], event["step_id"], event["count"]) == ("task_node_deleted", node["step_id"], 3)
    assert reply["node" if tool == "tasks_task_delete" else "step"] == node
    assert paths(world, task) == ["s:0", kept["path"]]
    world.no("UNKNOWN_ID", "tasks_task_define", task=task, step_id=node["step_id"], title="x")
    assert healthy(world)


@pytest.mark.requirement("tasks.node.done-by-status")
def test_a_node_is_done_by_its_status_and_then_its_step_can_close(world: World) -> None:
    task = world.task("a")
    add(world, task, "s:0")
    held = world.no("CHILDREN_OPEN", "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    world.ok("tasks_task_define", task=task, path="s:0.t:0", status="DONE")
    world.close(task, "s:0")

    assert [step["path"] for step in held["missing"]] == ["s:0.t:0"]
    assert world.step(task, "s:0.t:0")["done"] is True
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["done"] == 2
    assert healthy(world)


@pytest.mark.requirement("tasks.node.done-by-status", "tasks.node.done-needs-steps")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_done", {}),
        ("tasks_close_step", {"checkpoints": CONFIRMED}),
        ("tasks_verify", {"checkpoints": CONFIRMED}),
        ("tasks_progress", {"completed": True, "force": True, "reason": "hurry"}),
        ("tasks_block", {}),
        ("tasks_define", {"title": "x"}),
    ],
)
def test_a_node_has_no_checkpoints_so_what_is_for_steps_alone_is_refused(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    task = world.task("a")
    node = add(world, task, "s:0")

    for selector in ({"path": node["path"]}, {"step_id": node["step_id"]}):
        error = world.no("UNKNOWN_ID", tool, task=task, **selector, **arguments)
        assert "task node" in error["message"]
        assert error["suggestion"]["arguments"]["step_id"] == node["step_id"]


@pytest.mark.requirement("tasks.node.done-needs-steps")
def test_a_node_is_not_done_while_anything_below_it_is_open(world: World) -> None:
    task = world.task("a")
    add(world, task, "s:0")
    steps = [{"title": "x", "steps": [{"title": "y"}]}, {"title": "z"}]
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=steps)
    inner = add(world, task, "s:0.t:0.s:1")
    call = {"task": task, "path": "s:0.t:0", "status": "DONE"}

    error = world.no("CHILDREN_OPEN", "tasks_task_define", **call)
    world.close(task, "s:0.t:0.s:0.s:0")
    world.close(task, "s:0.t:0.s:0")
    later = world.no("CHILDREN_OPEN", "tasks_task_define", **call)
    world.ok("tasks_task_define", task=task, step_id=inner["step_id"], status="DONE")
    world.no("CHILDREN_OPEN", "tasks_task_define", **call)
    world.close(task, "s:0.t:0.s:1")
    world.ok("tasks_task_define", **call)

    assert (error["open"], later["open"]) == (4, 2)
    assert [step["path"] for step in error["missing"]] == ["s:0.t:0.s:0.s:0", "s:0.t:0.s:1.t:0"]
    assert healthy(world)


@pytest.mark.requirement("tasks.node.done-needs-steps")
def test_new_work_below_a_done_node_reopens_it_and_all_above(world: World) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    node = add(world, task, "s:0", status="DONE")
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_decompose", task=task, step_id=node["step_id"], steps=[{"title": "forgotten"}])

    opened = ["task_node_defined", "step_reopened", "task_reopened", "task_reopened"]
    assert types(reply) == ["steps_added", *opened]
    assert world.step(task, "s:0.t:0")["status"] == "ACTIVE"
    assert healthy(world)


@pytest.mark.requirement("tasks.node.add", "tasks.reopen.task-and-plan")
def test_an_open_node_reopens_the_done_step_it_is_added_to_and_a_done_one_does_not(world: World) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    kept = world.ok("tasks_task_add", task=task, parent_step="s:0", title="n", status="DONE")
    reply = world.ok("tasks_task_add", task=task, parent_step="s:0", title="m")

    assert types(kept) == ["task_node_added"]
    assert types(reply) == ["task_node_added", "step_reopened", "task_reopened", "task_reopened"]
    assert {event.get("because") for event in reply["events"][1:]} == {reply["node"]["step_id"], task}
    assert healthy(world)


@pytest.mark.requirement("tasks.tree.task-nodes")
def test_a_node_is_found_by_path_and_id_wherever_it_can_be_looked_at_or_pointed_to(world: World) -> None:
    task = world.task("a")
    node = add(world, task, "s:0")
    world.ok("tasks_decompose", task=task, path="s:0.t:0", steps=[{"title": "x"}])
    both = {"path": node["path"], "step_id": node["step_id"]}

    for selector in ({"path": node["path"]}, {"step_id": node["step_id"]}, both):
        found = world.ok("tasks_resume", task=task, **selector)
        assert found["step"]["step_id"] == node["step_id"]
        assert [step["path"] for step in found["steps"]] == ["s:0.t:0.s:0"]
    world.no("TARGET_MISMATCH", "tasks_resume", task=task, step_id=node["step_id"], path="s:0")


@pytest.mark.requirement("tasks.tree.task-nodes", "tasks.evidence.attaches")
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_notes_and_evidence_can_be_kept_with_a_node_as_with_a_step(world: World, by: str) -> None:
    task = world.task("a")
    node = add(world, task, "s:0")
    selector = {by: node[by]}
    items = [{"kind": "note", "content": "c"}]

    noted = world.ok("tasks_note", task=task, note="seen", **selector)
    captured = world.ok("tasks_evidence_capture", task=task, items=items, checkpoints=["docs"], **selector)

    assert noted["step"] == captured["step"] == node
    assert world.logged(noted)[0]["step_id"] == node["step_id"]
    found = world.ok("tasks_resume", task=task, **selector)
    assert [piece["content"] for piece in found["evidence"]] == ["c"]
    assert healthy(world)


def through(world: World, tool: str, task: str, **fields: str) -> dict[str, Any]:
    """The same change of a node by either of the tools that can make it."""
    call: dict[str, Any] = {"task": task, "path": "s:0.t:0"}
    if tool == "tasks_task_define":
        return world.ok(tool, **call, **fields)
    ops = [{"op": "set", "field": name, "value": value} for name, value in fields.items()]
    return world.ok(tool, kind="task", ops=ops, **call)


@pytest.mark.requirement("tasks.node.define", "tasks.patch.task-node")
@pytest.mark.parametrize("tool", ["tasks_task_define", "tasks_patch"])
def test_wording_a_node_is_planning_and_finishing_it_is_work(world: World, tool: str) -> None:
    task = world.task("a")
    add(world, task, "s:0")

    through(world, tool, task, title="N", description="d")
    planned = world.ok("tasks_resume", task=task)["target"]["status"]
    through(world, tool, task, status="DONE")

    assert planned == "TODO"
    assert world.ok("tasks_resume", task=task)["target"]["status"] == "ACTIVE"


MOVES = st.tuples(st.sampled_from(["step", "node", "close", "close", "shut", "shut", "open"]), st.integers(0, 30))


@settings(max_examples=40, deadline=None)
@given(st.lists(MOVES, max_size=30))
@pytest.mark.requirement("tasks.node.done-needs-steps", "tasks.tree.task-nodes")
def test_whatever_is_done_nothing_is_ever_done_over_something_open(moves: list[tuple[str, int]]) -> None:
    world = World(memory_store())
    task = world.task("a", "b")

    for move, number in moves:
        rows = paths(world, task)
        path = rows[number % len(rows)]
        if move == "step":
            world.ok("tasks_decompose", task=task, path=path, steps=[{"title": "s"}])
        elif move == "node":
            world.ask("tasks_task_add", task=task, parent_step=path, title="n")
        elif move == "close":
            world.ask("tasks_close_step", task=task, path=path, checkpoints=CONFIRMED)
        elif move == "shut":
            world.ask("tasks_task_define", task=task, path=path, status="DONE")
        else:
            world.ask("tasks_task_define", task=task, path=path, status="TODO")
            world.ask("tasks_progress", task=task, path=path, completed=False)

    done = {row["path"]: row["done"] for row in world.ok("tasks_resume", task=task, limit=200)["steps"]}
    over = [(above, path) for above in done for path in done if path.startswith(f"{above}.")]
    assert all(done[path] for above, path in over if done[above])
    assert healthy(world)
