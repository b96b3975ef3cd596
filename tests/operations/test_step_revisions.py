"""The revision of a step: what raises it and what does not; agents on different steps never refuse each other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World, new_store

YES = {"confirmed": True}


def revision(world: World, task: str, path: str) -> int:
    found: int = world.step(task, path)["revision"]
    return found


@pytest.fixture
def tree(world: World) -> World:
    world.task(steps=[{"title": "a", "steps": [{"title": "a0", "steps": [{"title": "a00"}]}]}, {"title": "b"}])
    return world


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "its text": ("tasks_define", {"path": "s:0.s:0", "title": "New"}),
    "a patch": ("tasks_patch", {"kind": "step", "path": "s:0.s:0", "ops": [{"op": "unset", "field": "tests"}]}),
    "a confirmation": ("tasks_verify", {"path": "s:0.s:0", "checkpoints": {"tests": YES}}),
    "a block": ("tasks_block", {"path": "s:0.s:0", "reason": "no key"}),
    "a step added below": ("tasks_decompose", {"path": "s:0.s:0", "steps": [{"title": "x"}]}),
    "a step added further below": ("tasks_decompose", {"path": "s:0.s:0.s:0", "steps": [{"title": "x"}]}),
    "a node added below": ("tasks_task_add", {"parent_step": "s:0.s:0", "title": "n"}),
    "a step removed below": ("tasks_delete", {"path": "s:0.s:0.s:0"}),
}
NOTHING: dict[str, tuple[str, dict[str, Any]]] = {
    "a note": ("tasks_note", {"path": "s:0.s:0", "note": "seen"}),
    "evidence": (
        "tasks_evidence_capture",
        {"path": "s:0.s:0", "checks": [{"title": "c"}], "checkpoints": ["docs"]},
    ),
    "what happens above": ("tasks_define", {"path": "s:0", "title": "New"}),
    "what happens below": ("tasks_define", {"path": "s:0.s:0.s:0", "title": "New"}),
    "what happens beside": ("tasks_define", {"path": "s:1", "title": "New"}),
    "the task": ("tasks_edit", {"title": "New"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_the_step_or_of_what_is_below_it_raises_its_revision_once(tree: World, what: str) -> None:
    if what == "a patch":
        tree.ok("tasks_define", task="TASK-001", path="s:0.s:0", tests=["t"])
    before = revision(tree, "TASK-001", "s:0.s:0")
    tool, given = CHANGES[what]

    tree.ok(tool, task="TASK-001", **given)

    assert revision(tree, "TASK-001", "s:0.s:0") == before + 1
    old = {"task": "TASK-001", "path": "s:0.s:0", "expected_step_revision": before}
    no = tree.no("REVISION_MISMATCH", "tasks_note", note="late", **old)
    assert no["current_revision"] == before + 1
    assert [change["actor"] for change in no["changed"]] == ["tester"]


@pytest.mark.parametrize("what", NOTHING)
def test_nothing_else_raises_it(tree: World, what: str) -> None:
    tool, given = NOTHING[what]

    tree.ok(tool, task="TASK-001", **given)

    assert revision(tree, "TASK-001", "s:0.s:0") == 1
    tree.ok("tasks_note", task="TASK-001", path="s:0.s:0", expected_step_revision=1, note="in time")


def test_a_new_step_is_at_revision_one_and_so_is_one_that_comes_back(tree: World) -> None:
    tree.ok("tasks_delete", task="TASK-001", path="s:1")
    tree.ok("tasks_undo")

    assert revision(tree, "TASK-001", "s:1") == 1


def test_undo_and_redo_raise_it_too(tree: World) -> None:
    tree.close("TASK-001", "s:1")
    closed = revision(tree, "TASK-001", "s:1")
    tree.ok("tasks_undo")
    undone = revision(tree, "TASK-001", "s:1")
    tree.ok("tasks_redo")

    assert (closed, undone, revision(tree, "TASK-001", "s:1")) == (2, 3, 4)


def test_in_a_batch_the_revision_before_it_is_the_one_to_expect(tree: World) -> None:
    step = {"task": "TASK-001", "path": "s:1", "expected_step_revision": 1}
    calls = [("tasks_define", {**step, "title": "B"}), ("tasks_close_step", {**step, "checkpoints": CONFIRMED})]

    tree.ok("tasks_batch", operations=[{"tool": tool, "arguments": given} for tool, given in calls])

    assert revision(tree, "TASK-001", "s:1") == 2


@pytest.mark.parametrize("tool", ["tasks_note", "tasks_decompose", "tasks_delete", "tasks_evidence_capture"])
def test_a_step_s_revision_needs_a_step(tree: World, tool: str) -> None:
    given = {"note": "n"} if tool == "tasks_note" else {"steps": [{"title": "x"}]}
    given = {"checks": [{"title": "c"}]} if tool == "tasks_evidence_capture" else given
    given = {} if tool == "tasks_delete" else given

    no = tree.no("INVALID_INPUT", tool, task="TASK-001", expected_step_revision=1, **given)

    assert "expected_step_revision" in no["message"]


@pytest.mark.parametrize("agents", [2, 8])
def test_agents_on_different_steps_refuse_each_other_nothing(tmp_path: Path, agents: int) -> None:
    world = World(new_store("sqlite", tmp_path))
    each = 5
    task = world.task(*(f"step {number}" for number in range(agents * each)))

    def work(agent: int) -> list[str]:
        mine = World(new_store("sqlite", tmp_path))
        mine.caller = Caller(f"agent:{agent}")
        refused = []
        for number in range(agent, agents * each, agents):
            seen = mine.step(task, f"s:{number}")
            step = {"task": task, "step_id": seen["step_id"], "expected_step_revision": seen["revision"]}
            for tool, given in (
                ("tasks_note", {"note": "begun"}),
                ("tasks_close_step", {"checkpoints": CONFIRMED}),
            ):
                answered = mine.ask(tool, **step, **given)
                refused += [answered.text] if answered.refusal is not None else []
        mine.store.close()
        return refused

    with ThreadPoolExecutor(agents) as pool:
        refused = [text for texts in pool.map(work, range(agents)) for text in texts]

    assert refused == []
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["open"] == 0
    world.store.close()
