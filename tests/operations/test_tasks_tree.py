"""The tree of steps: addresses, order, ordinals and depth."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.givens import World, memory_store

Titles = list[dict[str, Any]]


def nested(levels: int) -> dict[str, Any]:
    """A step with a single step below it, and so on, `levels` deep."""
    step: dict[str, Any] = {"title": f"level {levels}"}
    for level in range(levels - 1, 0, -1):
        step = {"title": f"level {level}", "steps": [step]}
    return step


def paths(world: World, task: str) -> list[str]:
    return [step["path"] for step in world.ok("tasks_resume", task=task, limit=200)["steps"]]


@pytest.mark.requirement("tasks.tree.steps-in-steps")
def test_a_task_holds_steps_and_a_step_holds_steps(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": name} for name in ("a", "b", "c")])
    world.ok("tasks_decompose", task=task, path="s:0.s:2", steps=[{"title": "deep"}])

    deep = world.step(task, "s:0.s:2.s:0")

    assert deep["title"] == "deep"
    assert paths(world, task) == ["s:0", "s:0.s:0", "s:0.s:1", "s:0.s:2", "s:0.s:2.s:0"]


@pytest.mark.requirement("tasks.step.in-task")
def test_a_step_has_checkpoints_of_its_own_and_belongs_to_one_task(world: World) -> None:
    task, other = world.task("a", "b"), world.task("c")

    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"criteria": {"confirmed": True}})

    assert world.step(task, "s:0")["unconfirmed"] == ["tests"]
    assert world.step(task, "s:1")["unconfirmed"] == ["criteria", "tests"]
    assert world.step(other, "s:0")["unconfirmed"] == ["criteria", "tests"]
    assert len(paths(world, other)) == 1


@pytest.mark.requirement("tasks.decompose.adds-steps")
def test_decomposing_adds_the_steps_in_the_given_order_and_names_them(world: World) -> None:
    task = world.task()
    steps: Titles = [
        {"title": "one", "criteria": ["c"], "tests": ["t"], "blockers": ["b"], "required": ["docs"]},
        {"title": "two", "steps": [{"title": "below two"}]},
        {"title": "three"},
    ]

    reply = world.ok("tasks_decompose", task=task, steps=steps)

    assert set(reply) == {"task", "revision", "steps", "events", "now", "left"}
    assert (reply["task"], reply["revision"]) == (task, 2)
    assert [set(step) for step in reply["steps"]] == [{"step_id", "path"}] * 4
    assert [step["path"] for step in reply["steps"]] == ["s:0", "s:1", "s:1.s:0", "s:2"]
    (event,) = world.logged(reply)
    assert (event["type"], event["task"], event["count"]) == ("steps_added", task, 4)
    listed = world.ok("tasks_resume", task=task)["steps"]
    assert [step["title"] for step in listed] == ["one", "two", "below two", "three"]
    one = world.step(task, "s:0")
    assert (one["criteria"], one["tests"], one["blockers"], one["required"]) == (["c"], ["t"], ["b"], ["docs"])


@pytest.mark.requirement("tasks.decompose.adds-steps")
def test_decomposing_a_step_adds_below_it_and_says_so_in_its_event(world: World) -> None:
    task = world.task("a", "b")
    parent = world.step(task, "s:1")["step_id"]

    reply = world.ok("tasks_decompose", task=task, step_id=parent, steps=[{"title": "x"}, {"title": "y"}])

    assert [step["path"] for step in reply["steps"]] == ["s:1.s:0", "s:1.s:1"]
    (event,) = world.logged(reply)
    assert (event["step_id"], event["path"]) == (parent, "s:1")
    assert (event["first"], event["last"]) == ("s:1.s:0", "s:1.s:1")


@pytest.mark.requirement("tasks.decompose.adds-steps")
def test_decomposing_what_cannot_hold_steps_is_refused(world: World) -> None:
    plan, task = world.plan(), world.task("a")
    one = [{"title": "x"}]

    world.no("INVALID_INPUT", "tasks_decompose", task=plan, steps=one)
    world.no("INVALID_INPUT", "tasks_decompose", task=task, steps=[])
    world.no("UNKNOWN_ID", "tasks_decompose", task="TASK-099", steps=one)
    world.no("UNKNOWN_ID", "tasks_decompose", task=task, path="s:1", steps=one)
    world.no("REVISION_MISMATCH", "tasks_decompose", task=task, steps=one, expected_revision=9)


def test_more_steps_than_a_call_may_carry_are_refused_however_they_nest(world: World) -> None:
    task = world.task()
    flat = [{"title": "x"}] * 1_001
    many = [{"title": "x", "steps": flat}, {"title": "y", "steps": flat}]

    error = world.no("TOO_LARGE", "tasks_decompose", task=task, steps=many)

    assert "2,004" in error["message"]


@pytest.mark.requirement("tasks.tree.ordinals-per-parent")
def test_a_new_child_gets_the_next_ordinal_of_its_parent_and_moves_nobody(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "a0"}])
    before = {step["step_id"]: step["path"] for step in world.ok("tasks_resume", task=task)["steps"]}

    on_top = world.ok("tasks_decompose", task=task, steps=[{"title": "c"}])["steps"]
    below = world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "a1"}])["steps"]
    elsewhere = world.ok("tasks_decompose", task=task, path="s:1", steps=[{"title": "b0"}])["steps"]

    assert [made[0]["path"] for made in (on_top, below, elsewhere)] == ["s:2", "s:0.s:1", "s:1.s:0"]
    after = {step["step_id"]: step["path"] for step in world.ok("tasks_resume", task=task)["steps"]}
    assert before.items() <= after.items()
    assert len(after) == len(before) + 3


@pytest.mark.requirement("tasks.tree.ordinals-per-parent")
def test_a_refused_decomposition_uses_up_no_ordinal(world: World) -> None:
    task = world.task("a")
    world.no("INVALID_INPUT", "tasks_decompose", task=task, steps=[{"title": "ok"}, nested(17)])

    made = world.ok("tasks_decompose", task=task, steps=[{"title": "b"}])["steps"]

    assert made[0]["path"] == "s:1"


@pytest.mark.requirement("tasks.tree.numeric-order")
def test_a_hundred_siblings_are_listed_by_number_not_by_letter(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(102)))

    listed = paths(world, task)

    assert listed == [f"s:{number}" for number in range(102)]


@pytest.mark.requirement("tasks.tree.numeric-order", "tasks.radar.now")
def test_now_goes_from_the_second_to_the_tenth_sibling_in_the_order_of_numbers(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(12)))

    seen = []
    for _ in range(12):
        now = world.ok("tasks_radar", task=task)["now"]
        seen.append(now["path"])
        world.close(task, now["path"])

    assert seen == [f"s:{number}" for number in range(12)]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=40), st.data())
def test_whatever_the_tree_a_listing_is_in_tree_order(parents: list[int], data: st.DataObject) -> None:
    world = World(memory_store())
    task = world.task("root")
    known = ["s:0"]
    for parent in parents:
        over = {"path": known[parent]} if parent < len(known) and known[parent].count(".") < 15 else {}
        made = world.ok("tasks_decompose", task=task, steps=[{"title": "x"}], **over)["steps"]
        known.append(made[0]["path"])

    limit = data.draw(st.integers(1, 50))
    listed: list[str] = []
    page = world.ok("tasks_resume", task=task, limit=limit)
    while True:
        listed += [step["path"] for step in page["steps"]]
        if not page["has_more"]:
            break
        page = world.ok("tasks_resume", task=task, limit=limit, cursor=page["cursor"])

    def numbers(path: str) -> list[int]:
        return [int(part.removeprefix("s:")) for part in path.split(".")]

    assert listed == sorted(known, key=numbers)


@pytest.mark.requirement("tasks.tree.depth")
def test_sixteen_levels_are_taken_in_one_call(world: World) -> None:
    made = world.ok("tasks_create", kind="task", title="deep", steps=[nested(16)])

    deepest = ".".join(["s:0"] * 16)
    assert made["steps"][-1]["path"] == deepest
    assert world.step(made["id"], deepest)["title"] == "level 16"
    assert world.close(made["id"], deepest)["step"]["path"] == deepest


@pytest.mark.requirement("tasks.tree.depth")
def test_a_seventeenth_level_is_refused_however_it_is_asked_for(world: World) -> None:
    task = world.ok("tasks_create", kind="task", title="deep", steps=[nested(16)])["id"]
    deepest = ".".join(["s:0"] * 16)

    world.no("INVALID_INPUT", "tasks_create", kind="task", title="deeper", steps=[nested(17)])
    world.no("INVALID_INPUT", "tasks_decompose", task=task, path=deepest, steps=[{"title": "17"}])
    world.no("INVALID_INPUT", "tasks_decompose", task=task, path=deepest[4:], steps=[nested(2)])
    world.no("UNKNOWN_ID", "tasks_done", task=task, path=f"{deepest}.s:0")
