"""tasks_tree: the children of one node from any of them on, at the cost of what is shown."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.givens import CONFIRMED, World, memory_store
from tests.operations.test_tasks_cost import Work, work


def paths(reply: dict[str, Any]) -> list[str]:
    return [row["path"] for row in reply["rows"]]


def look(task: str) -> Callable[[World], object]:
    return lambda world: world.ok("tasks_tree", task=task, limit=30)


def numbers(reply: dict[str, Any]) -> list[int]:
    return [row["at"] for row in reply["rows"]]


def test_a_task_shows_its_own_steps_and_not_what_stands_below_them(world: World) -> None:
    below = [{"title": "deep", "steps": [{"title": "deeper"}]}, {"title": "deep too"}]
    task = world.task(steps=[{"title": "one", "steps": below}, {"title": "two"}])

    shown = world.ok("tasks_tree", task=task)

    assert [(row["at"], row["path"], row["title"]) for row in shown["rows"]] == [
        (0, "s:0", "one"),
        (1, "s:1", "two"),
    ]
    assert [row["children"] for row in shown["rows"]] == [2, 0]
    assert shown["rows"][0]["counts"] == {"total": 3, "done": 0, "open": 3, "blocked": 0}
    assert "counts" not in shown["rows"][1]
    assert (shown["children"], shown["has_more"], "parent" in shown) == (2, False, False)
    assert (shown["target"]["id"], shown["target"]["counts"]["total"]) == (task, 5)


def test_below_a_step_stand_its_steps_and_then_its_task_nodes(world: World) -> None:
    task = world.task(steps=[{"title": "holder", "steps": [{"title": "a"}, {"title": "b"}]}])
    for title in ("x", "y"):
        world.ok("tasks_task_add", task=task, parent_step="s:0", title=title)
    holder = world.step(task, "s:0")["step_id"]

    shown = world.ok("tasks_tree", task=task, step_id=holder)

    assert paths(shown) == ["s:0.s:0", "s:0.s:1", "s:0.t:0", "s:0.t:1"]
    assert numbers(shown) == [0, 1, 2, 3]
    assert [row["kind"] for row in shown["rows"]] == ["step", "step", "task", "task"]
    assert (shown["rows"][2]["status"], shown["rows"][2]["checkpoints"]) == ("TODO", {})
    assert (shown["parent"]["step_id"], shown["parent"]["path"], shown["parent"]["title"]) == (
        holder,
        "s:0",
        "holder",
    )
    assert paths(world.ok("tasks_tree", task=task, path="s:0", first=1, limit=2)) == ["s:0.s:1", "s:0.t:0"]
    assert paths(world.ok("tasks_tree", task=task, path="s:0", first=3)) == ["s:0.t:1"]


def test_a_row_says_what_its_step_lacks_and_what_holds_it(world: World) -> None:
    steps = [{"title": "a", "required": ["docs"]}, {"title": "b"}, {"title": "c"}, {"title": "d"}]
    task = world.ok("tasks_create", kind="task", title="A task", steps=steps)["id"]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"docs": {"confirmed": True}})
    world.ok("tasks_block", task=task, path="s:1", reason="No key.")
    world.ok("tasks_progress", task=task, path="s:2", completed=True, force=True, reason="Seen.")
    world.ok(
        "tasks_evidence_capture",
        task=task,
        path="s:3",
        checkpoints=["perf"],
        items=[{"kind": "note", "content": "1"}],
    )

    a, b, c, d = world.ok("tasks_tree", task=task)["rows"]

    assert (a["checkpoints"], a["required"]) == ({"criteria": False, "tests": False, "docs": True}, ["docs"])
    assert (a["now"], a["blocked"], a["unconfirmed"]) == (True, False, ["criteria", "tests"])
    assert (b["blocked"], b["now"], "forced" in b) == ("No key.", False, False)
    assert (c["done"], c["forced"], c["blocked"]) == (True, True, False)
    assert d["checkpoints"] == {"criteria": False, "tests": False, "perf": False}
    world.ok("tasks_verify", task=task, path="s:2", checkpoints=CONFIRMED)
    mended = world.ok("tasks_tree", task=task)["rows"][2]
    assert (mended["checkpoints"], "forced" in mended) == ({"criteria": True, "tests": True}, False)


def test_the_step_that_is_worked_on_is_named_wherever_it_stands(world: World) -> None:
    task = world.task(steps=[{"title": "one", "steps": [{"title": "first of all"}]}, {"title": "two"}])
    radar = world.ok("tasks_radar", task=task)["now"]

    top, below = world.ok("tasks_tree", task=task), world.ok("tasks_tree", task=task, path="s:0")

    assert top["now"] == below["now"] == {"step_id": radar["step_id"], "path": "s:0.s:0", "title": radar["title"]}
    assert [row["now"] for row in top["rows"]] == [False, False]
    assert [row["now"] for row in below["rows"]] == [True]
    waiting = world.task("x", depends_on=[task])
    assert world.ok("tasks_tree", task=waiting)["now"] is None


def test_a_deleted_child_leaves_its_number_empty_and_moves_no_other(world: World) -> None:
    task = world.task("a", "b", "c", "d")
    for path in ("s:1", "s:3"):
        world.ok("tasks_delete", task=task, path=path)

    shown = world.ok("tasks_tree", task=task)

    assert (numbers(shown), shown["children"]) == ([0, 2], 4)
    assert numbers(world.ok("tasks_tree", task=task, first=1)) == [2]
    assert world.ok("tasks_tree", task=task, first=3)["rows"] == []
    assert world.ok("tasks_tree", task=task, limit=1)["has_more"] is True
    assert world.ok("tasks_tree", task=task, first=1, limit=1)["has_more"] is False
    for path in ("s:0", "s:2"):
        world.ok("tasks_delete", task=task, path=path)
    assert world.ok("tasks_tree", task=task)["children"] == 0


def test_without_a_target_it_speaks_of_what_is_in_focus(world: World) -> None:
    world.task("not this")
    task = world.task("this")
    world.ok("tasks_focus_set", task=task)

    assert world.ok("tasks_tree")["target"]["id"] == task
    assert world.ok("tasks_tree", workspace="nobody/here") == {
        "target": None,
        "now": None,
        "children": 0,
        "rows": [],
        "has_more": False,
    }


def test_a_plan_a_stranger_and_a_torn_selector_are_refused(world: World) -> None:
    plan, task = world.plan(), world.task("a", "b")
    step = world.step(task, "s:0")["step_id"]

    assert "is PLAN-001, a plan" in world.no("INVALID_INPUT", "tasks_tree", task=plan)["message"]
    world.no("UNKNOWN_ID", "tasks_tree", task="TASK-404")
    world.no("UNKNOWN_ID", "tasks_tree", task=task, path="s:9")
    world.no("TARGET_MISMATCH", "tasks_tree", task=task, step_id=step, path="s:1")
    for wrong in ({"first": -1}, {"limit": 0}, {"limit": 501}):
        world.no("INVALID_INPUT", "tasks_tree", task=task, **wrong)
    world.ok("tasks_focus_set", task=plan)
    assert "the focus is PLAN-001" in world.no("INVALID_INPUT", "tasks_tree")["message"]


shapes = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=14)


@settings(deadline=None, max_examples=60)
@given(shape=shapes, nodes=st.integers(0, 3), window=st.integers(1, 6), first=st.integers(0, 20))
def test_windows_put_together_are_the_children_in_tree_order(
    shape: list[tuple[int, bool]], nodes: int, window: int, first: int
) -> None:
    world = World(memory_store())
    steps = [{"title": f"s{at}", "steps": [{"title": "x"}] * below} for at, (below, _) in enumerate(shape)]
    task = world.task(steps=[{"title": "top", "steps": steps}])
    for at in range(nodes):
        world.ok("tasks_task_add", task=task, parent_step="s:0", title=f"n{at}")
    for at, (_, gone) in enumerate(shape):
        if gone:
            world.ok("tasks_delete", task=task, path=f"s:0.s:{at}")
    living = [(at, f"s:0.s:{at}") for at, (_, gone) in enumerate(shape) if not gone]
    living += [(len(shape) + at, f"s:0.t:{at}") for at in range(nodes)]

    met, at = [], first
    for _ in range(40):
        page = world.ok("tasks_tree", task=task, path="s:0", first=at, limit=window)
        assert len(page["rows"]) <= window
        met += [(row["at"], row["path"]) for row in page["rows"]]
        if not page["has_more"]:
            break
        at = met[-1][0] + 1

    assert met == [child for child in living if child[0] >= first]


@pytest.mark.requirement("tasks.views.cost-further")
def test_a_window_costs_the_same_at_the_end_of_many_siblings_as_at_the_start_of_few(one_world: World) -> None:
    def level(steps: int) -> str:
        task = one_world.task("x")
        for _ in range(steps // 1_000):
            one_world.ok("tasks_decompose", task=task, steps=[{"title": "y"}] * 1_000)
        return task

    def cost(task: str, first: int) -> Work:
        return work(one_world, lambda world: world.ok("tasks_tree", task=task, first=first, limit=100))

    few, many = level(1_000), level(5_000)
    start, end = cost(few, 0), cost(many, 4_800)

    assert (end.scans, end.sorts) == (0, 0)
    assert end.statements <= start.statements
    assert end.instructions <= start.instructions * 1.1 + 50


@pytest.mark.requirement("tasks.views.cost-further")
def test_what_stands_below_the_children_is_jumped_over(one_world: World) -> None:
    bushy = one_world.task(steps=[{"title": "b", "steps": [{"title": "c"}] * 40}] * 40)
    bare = one_world.task(steps=[{"title": "b"}] * 40)

    jumped, plain = (work(one_world, look(task)) for task in (bushy, bare))

    assert jumped.instructions <= 8 * plain.instructions
    assert jumped.statements <= plain.statements + 31


def test_a_step_s_id_alone_says_which_task_is_meant(world: World) -> None:
    world.task("Other")
    task = world.task("Sow", title="Bread")
    step = world.step(task, "s:0")["step_id"]

    found = world.ok("tasks_tree", step_id=step)

    assert (found["target"]["id"], found["parent"]["title"]) == (task, "Sow")
    world.no("UNKNOWN_ID", "tasks_tree", step_id="STEP-00000000")
