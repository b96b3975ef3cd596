"""The mirror: a compact slice of a plan or task, for external consumers."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.givens import World, memory_store

YES = {"confirmed": True}


def grown(world: World) -> str:
    """A task with steps in every state, a task node, and a step below that."""
    below = [{"title": "b0"}, {"title": "b1"}]
    task = world.task(steps=[{"title": "a"}, {"title": "b", "steps": below}, {"title": "c"}, {"title": "d"}])
    world.ok("tasks_task_add", task=task, parent_step="s:1", title="node")
    world.ok("tasks_decompose", task=task, path="s:1.t:0", steps=[{"title": "deep"}])
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1.s:1", reason="rain")
    world.ok("tasks_verify", task=task, path="s:3", checkpoints={"tests": YES})
    return task


def states(reply: dict[str, Any]) -> dict[str, str]:
    return {row.get("path") or row["task"]: row["status"] for row in reply["items"]}


@pytest.mark.requirement("tasks.mirror.slice")
def test_a_task_is_mirrored_in_tree_order_with_task_nodes_and_four_words_a_row(world: World) -> None:
    task = grown(world)

    mirrored = world.ok("tasks_mirror", task=task)

    assert mirrored["target"]["id"] == task
    assert mirrored["items"][0] == {
        "path": "s:0",
        "step_id": world.step(task, "s:0")["step_id"],
        "title": "a",
        "status": "done",
        "provenance": {"criteria": "noted", "tests": "noted"},
    }
    assert list(states(mirrored).items()) == [
        ("s:0", "done"),
        ("s:1", "in_progress"),
        ("s:1.s:0", "in_progress"),
        ("s:1.s:1", "blocked"),
        ("s:1.t:0", "todo"),
        ("s:1.t:0.s:0", "todo"),
        ("s:2", "todo"),
        ("s:3", "in_progress"),
    ]
    assert not mirrored["has_more"]
    assert world.ask("tasks_mirror", task=task).text == world.ask("tasks_mirror", task=task).text


@pytest.mark.requirement("tasks.mirror.slice")
@pytest.mark.parametrize("ahead", ["s:1.s:0", "s:1.t:0.s:0"])
def test_a_node_is_in_progress_once_its_turn_has_come_or_something_below_it_is_done(
    world: World, ahead: str
) -> None:
    task = grown(world)

    world.close(task, ahead)
    assert states(world.ok("tasks_mirror", task=task))["s:1.t:0"] == "in_progress"
    if ahead == "s:1.s:0":
        world.close(task, "s:1.t:0.s:0")
    world.ok("tasks_task_define", task=task, path="s:1.t:0", status="DONE")
    assert states(world.ok("tasks_mirror", task=task))["s:1.t:0"] == "done"


@pytest.mark.requirement("tasks.mirror.slice")
def test_a_path_gives_that_step_and_what_stands_below_it(world: World) -> None:
    task = grown(world)

    below = world.ok("tasks_mirror", task=task, path="s:1")
    node = world.ok("tasks_mirror", task=task, path="s:1.t:0")

    assert list(states(below)) == ["s:1", "s:1.s:0", "s:1.s:1", "s:1.t:0", "s:1.t:0.s:0"]
    assert list(states(node)) == ["s:1.t:0", "s:1.t:0.s:0"]
    world.no("UNKNOWN_ID", "tasks_mirror", task=task, path="s:9")


@pytest.mark.requirement("tasks.mirror.slice")
def test_a_plan_is_mirrored_as_its_tasks(world: World) -> None:
    plan = world.plan()
    done, busy, held, waiting, idle = (world.task("x", plan=plan) for _ in range(5))
    world.task("elsewhere")
    world.close(done, "s:0")
    world.ok("tasks_complete", task=done)
    world.ok("tasks_note", task=busy, note="on it")
    world.ok("tasks_block", task=held, path="s:0", reason="rain")
    world.ok("tasks_edit", task=waiting, depends_on=[busy])

    mirrored = world.ok("tasks_mirror", plan=plan)

    assert mirrored["items"][0] == {"task": done, "title": "A task", "status": "done"}
    assert list(states(mirrored).items()) == [
        (done, "done"),
        (busy, "in_progress"),
        (held, "blocked"),
        (waiting, "blocked"),
        (idle, "todo"),
    ]
    world.no("UNKNOWN_ID", "tasks_mirror", plan=plan, path="s:0")


@pytest.mark.requirement("tasks.mirror.slice")
def test_steps_are_in_numeric_order_and_the_focus_serves(world: World) -> None:
    task = world.task(*[f"step {number}" for number in range(12)])
    world.task("another")
    world.ok("tasks_focus_set", task=task)

    assert list(states(world.ok("tasks_mirror"))) == [f"s:{number}" for number in range(12)]


@pytest.mark.requirement("tasks.mirror.slice")
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.integers(0, 20),
    limit=st.integers(1, 7),
    max_chars=st.none() | st.integers(512, 1_500),
    of_plan=st.booleans(),
)
def test_pages_hold_each_row_once_at_any_limit_and_budget(
    steps: int, limit: int, max_chars: int | None, of_plan: bool
) -> None:
    world = World(memory_store())
    plan = world.plan(title="p" * 300)
    nested = [{"title": '"' * 300, "steps": [{"title": "b" * 90}]} for _ in range(steps)]
    target = {"task": world.task(title="t" * 300, plan=plan, steps=nested)}
    if of_plan:
        target = {"plan": plan}
        for number in range(steps):
            world.task(title=f"{number} " + "漢" * 250, plan=plan)
    cap = {} if max_chars is None else {"max_chars": max_chars}

    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.ok("tasks_mirror", **target, limit=limit, **cap, **cursor)
        assert len(page["items"]) <= limit
        seen += [row.get("step_id") or row["task"] for row in page["items"]]
        if not page["has_more"]:
            break
        assert page["items"], "a page that says there is more must bring it nearer"
        cursor = {"cursor": page["cursor"]}
        world.ok("tasks_note", task="TASK-001", note="Others are here, too.")

    resumed = world.ok("tasks_resume", **target, limit=200, max_chars=1_000_000)
    expected = [row["id"] for row in resumed["tasks"]] if of_plan else [row["step_id"] for row in resumed["steps"]]
    assert seen == expected


@pytest.mark.requirement("tasks.mirror.slice")
def test_the_deepest_and_widest_paths_fit_into_the_smallest_budget() -> None:
    world = World(memory_store(), "acme/" + "w" * 123)
    task = world.task(title="t" * 300)
    path: dict[str, str] = {}
    for _ in range(16):
        made = world.ok("tasks_decompose", task=task, **path, steps=[{"title": "s" * 300}] * 101)
        path = {"path": made["steps"][-1]["path"]}
    parent = path["path"].rpartition(".")[0]

    for arguments in ({"path": parent}, path, {}):
        text = world.ask("tasks_mirror", task=task, **arguments, max_chars=512).text
        mirrored = json.loads(text)
        assert mirrored["budget"]["used_chars"] == len(text) <= 512
        assert mirrored["items"][0]["step_id"]
        assert mirrored["items"][0]["status"] == "todo"
    whole = world.ask("tasks_mirror", task=task, limit=200).text
    assert len(whole) <= 16_000


def test_where_there_is_nothing_nothing_is_mirrored(world: World) -> None:
    assert world.ok("tasks_mirror") == {"target": None, "items": [], "has_more": False}
