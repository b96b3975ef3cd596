"""Calls that change nothing, for every write there is."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

UNCHANGED: list[tuple[str, dict[str, Any]]] = [
    ("tasks_edit", {"title": "A task"}),
    ("tasks_edit", {}),
    ("tasks_edit", {"description": None, "priority": "MEDIUM", "tags": [], "depends_on": []}),
    ("tasks_define", {"path": "s:0", "title": "done"}),
    ("tasks_define", {"path": "s:0"}),
    ("tasks_define", {"path": "s:0", "criteria": [], "tests": None}),
    ("tasks_verify", {"path": "s:0", "checkpoints": CONFIRMED}),
    ("tasks_verify", {"path": "s:1", "checkpoints": {"docs": {"confirmed": False}}}),
    ("tasks_done", {"path": "s:0"}),
    ("tasks_close_step", {"path": "s:0", "checkpoints": CONFIRMED}),
    ("tasks_progress", {"path": "s:0", "completed": True}),
    ("tasks_progress", {"path": "s:1", "completed": False}),
    ("tasks_block", {"path": "s:1", "reason": "no network"}),
    ("tasks_block", {"path": "s:2", "blocked": False}),
    ("tasks_complete", {"status": "ACTIVE"}),
    ("tasks_focus_set", {}),
]


def settled(world: World) -> str:
    """A task in focus, with a done, a blocked and an open step."""
    task = world.task("done", "blocked", "open")
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1", reason="no network")
    world.ok("tasks_focus_set", task=task)
    return task


@pytest.mark.parametrize(("tool", "arguments"), UNCHANGED, ids=str)
def test_a_write_that_changes_nothing_succeeds_and_leaves_nothing(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    task = settled(world)
    before = world.everything()

    reply = world.ok(tool, task=task, **arguments)

    assert reply["changed"] is False
    assert reply["events"] == []
    assert reply["revision"] == (1 if tool == "tasks_focus_set" else 3)
    assert world.everything() == before


def test_clearing_no_focus_changes_nothing(world: World) -> None:
    world.task()
    before = world.everything()

    reply = world.ok("tasks_focus_clear")

    assert (reply["changed"], reply["events"], reply["focus"]) == (False, [], None)
    assert world.everything() == before


def test_a_stale_revision_is_refused_even_where_nothing_would_change(world: World) -> None:
    task = settled(world)

    for tool, arguments in UNCHANGED:
        world.no("REVISION_MISMATCH", tool, task=task, expected_revision=99, **arguments)
