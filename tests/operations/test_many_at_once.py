"""What one call does to many documents costs the same for each of them. Instructions are counted, not time."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from gatepost.engine.draft import Draft
from gatepost.engine.reader import MOST_NAMED
from gatepost.operations.deletion import Delete, delete
from gatepost.replies.roots import Deleted
from gatepost.views.budget import DEFAULT
from tests.givens import World, worlds

FEW, MANY = 60, 240
MOST_IN_A_BATCH = 200
WAITED_FOR = "TASK-001"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield from worlds("sqlite", tmp_path)


def plan_of_tasks(world: World, size: int) -> dict[str, Any]:
    plan = world.plan()
    create(world, size, plan=plan)
    return {"task": plan}


def task_of_steps(world: World, size: int) -> dict[str, Any]:
    return {"task": world.task(*["x"] * size)}


def dependents(world: World, size: int) -> dict[str, Any]:
    needed = world.task()
    create(world, size, depends_on=[needed])
    return {"task": needed, "force": True, "reason": "It is not needed any more."}


def create(world: World, size: int, **arguments: Any) -> None:
    """So many tasks, by batches."""
    for start in range(0, size, MOST_IN_A_BATCH):
        numbers = range(start, min(start + MOST_IN_A_BATCH, size))
        world.ok(
            "tasks_batch",
            operations=[
                {"tool": "tasks_create", "arguments": {"kind": "task", "title": f"Task {number}", **arguments}}
                for number in numbers
            ],
        )


def instructions(world: World, tool: str, arguments: dict[str, Any]) -> int:
    """How many Python instructions a call takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        world.ok(tool, **arguments)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("given", [plan_of_tasks, task_of_steps, dependents])
def test_deleting_many_and_taking_it_back_costs_the_same_for_each(
    given: Callable[[World, int], dict[str, Any]], tmp_path: Path
) -> None:
    spent: dict[int, list[float]] = {}
    for size in (FEW, MANY):
        for world in worlds("sqlite", folder(tmp_path, size)):
            doomed = given(world, size)
            calls: list[tuple[str, dict[str, Any]]] = [
                ("tasks_delete", doomed),
                ("tasks_undo", {}),
                ("tasks_redo", {}),
            ]
            spent[size] = [instructions(world, *call) / size for call in calls]

    for few, many in zip(spent[FEW], spent[MANY], strict=True):
        assert many <= 1.2 * few, spent


@pytest.mark.parametrize(
    "call",
    [
        lambda size: ("tasks_create", {"kind": "task", "title": "A task", "steps": [{"title": "x"}] * size}),
        lambda size: ("tasks_decompose", {"task": WAITED_FOR, "steps": [{"title": "x"}] * size}),
        lambda size: (
            "tasks_batch",
            {"operations": [{"tool": "tasks_note", "arguments": {"task": WAITED_FOR, "note": "x"}}] * (size // 4)},
        ),
        lambda size: (
            "tasks_close_task",
            {
                "task": WAITED_FOR,
                "patches": [
                    {"kind": "step", "path": f"s:{at}", "ops": [{"op": "set", "field": "title", "value": "y"}]}
                    for at in range(size // 6)
                ],
            },
        ),
    ],
    ids=["create", "decompose", "batch", "close_task"],
)
def test_one_call_that_makes_or_changes_many_costs_the_same_for_each(
    call: Callable[[int], tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    spent: dict[int, float] = {}
    for size in (FEW, MANY):
        for world in worlds("sqlite", folder(tmp_path, size)):
            world.task(*["x"] * FEW)
            spent[size] = instructions(world, *call(size)) / size

    assert spent[MANY] <= 1.2 * spent[FEW], spent


def test_a_write_elsewhere_goes_through_while_a_plan_of_ten_thousand_tasks_is_deleted(world: World) -> None:
    command = Delete(workspace=world.workspace, **plan_of_tasks(world, 10_000))
    holding = threading.Event()

    def doomed(draft: Draft) -> Deleted:
        holding.set()
        reply: Deleted = delete.handler(draft, command)
        return reply

    with ThreadPoolExecutor(1) as pool:
        deleting = pool.submit(world.engine.write, "tasks_delete", world.workspace, world.caller, doomed)
        holding.wait(30)
        made = World(world.store, "acme/other").ok("tasks_create", kind="task", title="Elsewhere")

    assert "changed" not in made
    assert deleting.result().deleted == 10_001


def folder(under: Path, size: int) -> Path:
    made = under / str(size)
    made.mkdir()
    return made


def test_an_undo_that_many_tasks_stand_in_the_way_of_names_some_of_them_and_counts_the_rest(world: World) -> None:
    plan, needed = world.plan(), world.task()
    made = {"kind": "task", "title": "waits", "plan": plan, "depends_on": [needed]}
    world.ok("tasks_batch", operations=[{"tool": "tasks_create", "arguments": made}] * 200)
    world.ok("tasks_delete", task=plan)
    world.ok("tasks_delete", task=needed)

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=plan)

    assert len(error["moved"]) == MOST_NAMED
    assert f"{200 - MOST_NAMED} more" in error["message"]
    assert len(json.dumps(error)) < DEFAULT // 2
