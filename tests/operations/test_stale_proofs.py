"""Proofs that a check made before files changed: every view says so, and looks at the tree once."""

from typing import Any

import pytest

from tests.givens import World

CRITERIA = {"criteria": {"confirmed": True, "note": "Looked at it."}}


def proven(world: World, count: int, **check: Any) -> str:
    steps = [{"title": "a", "checks": [{"run": "true", **check}]} for _ in range(count)]
    task = world.task(steps=[*steps, {"title": "b", "checks": [{"run": "true"}]}])
    for at in range(count):
        world.ok("tasks_close_step", task=task, path=f"s:{at}", checkpoints=CRITERIA, run_checks=True)
    world.ok("tasks_check", task=task, path=f"s:{count}")
    return task


@pytest.mark.requirement("proof.age.stale")
def test_a_proof_is_stale_once_files_changed_and_fresh_once_it_is_made_again(world: World) -> None:
    task = proven(world, 2)
    radar = world.ok("tasks_radar", task=task)
    assert "stale_steps" not in radar
    assert "stale" not in radar["verify"]

    world.checks.digest = "two"

    radar = world.ok("tasks_radar", task=task)
    assert (radar["stale_steps"], radar["verify"]["stale"]) == (2, ["tests"])
    assert [mark.get("stale", False) for mark in world.step(task, "s:0")["confirmed"]] == [False, True]
    handoff = world.ok("tasks_handoff", task=task)
    assert handoff["risks"]["counts"]["STALE_PROOF"] == 2
    assert [proof.get("stale", False) for proof in handoff["done"]["items"][0]["proof"]] == [False, True]
    found = [row for row in world.ok("tasks_lint", task=task)["findings"] if row["code"] == "STALE_PROOF"]
    assert [row["path"] for row in found] == ["s:0", "s:1"]
    assert found[0]["fix"]["tool"] == "tasks_check"

    world.ok(found[0]["fix"]["tool"], **found[0]["fix"]["arguments"])
    assert world.ok("tasks_radar", task=task)["stale_steps"] == 1


def test_a_view_looks_at_the_tree_once_and_not_at_all_without_proofs(world: World) -> None:
    bare = world.task("a")
    for tool in ("tasks_radar", "tasks_handoff", "tasks_lint", "tasks_resume"):
        world.ok(tool, task=bare)
    assert world.checks.asked == 0
    task = proven(world, 30)

    for number, tool in enumerate(("tasks_radar", "tasks_handoff", "tasks_lint"), 1):
        world.ok(tool, task=task)
        assert world.checks.asked == number


def test_a_write_looks_at_no_tree(world: World) -> None:
    task = proven(world, 2)
    world.checks.digest = "two"

    world.ok("tasks_note", task=task, note="On it.")

    assert world.checks.asked == 0
