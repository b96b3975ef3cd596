"""The handoff of a step with what is below it: what a lead gives to a worker, and gets back."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World
from tests.operations.test_claims import ANN, BOB, by


@pytest.fixture
def task(world: World) -> str:
    made = world.task("here", "elsewhere")
    for path in ("s:0", "s:1"):
        world.ok("tasks_decompose", task=made, path=path, steps=[{"title": f"{path} {n}"} for n in ("a", "b")])
    return made


def paths(work: dict[str, Any]) -> list[str]:
    return [item["path"] for item in work["items"]]


@pytest.mark.requirement("crew.subtree.handoff")
def test_the_report_is_about_the_step_and_what_is_below_it(world: World, task: str) -> None:
    world.ok("tasks_close_step", task=task, path="s:0.s:0", checkpoints=CONFIRMED)
    world.ok("tasks_close_step", task=task, path="s:1.s:0", checkpoints=CONFIRMED)
    world.ok("tasks_block", task=task, path="s:1.s:1", ask="Not here?")
    world.ok("tasks_note", task=task, path="s:0.s:1", note="Mind the gap.")
    world.ok("tasks_note", task=task, path="s:1.s:1", note="Elsewhere.")

    report = world.ok("tasks_handoff", task=task, path="s:0")

    assert report["step"]["path"] == "s:0"
    assert (report["done"]["count"], paths(report["done"])) == (1, ["s:0.s:0"])
    assert (report["remaining"]["count"], paths(report["remaining"])) == (2, ["s:0", "s:0.s:1"])
    assert report["counts"] == {"total": 3, "done": 1, "open": 2, "blocked": 0}
    assert [note["note"] for note in report["notes"]] == ["Mind the gap."]
    assert (report["now"]["path"], report["next"]["arguments"]["step_id"]) == ("s:0.s:1", report["now"]["step_id"])
    assert report["blockers"] == []
    assert "questions" not in report
    assert {item["path"] for item in report["risks"]["items"] if "path" in item} <= {"s:0", "s:0.s:0", "s:0.s:1"}


def test_a_step_without_steps_is_its_own_report(world: World, task: str) -> None:
    step = world.ok("tasks_resume", task=task, path="s:1.s:1")["step"]["step_id"]
    world.ok("tasks_block", task=task, step_id=step, ask="Which one?")

    report = world.ok("tasks_handoff", task=task, step_id=step)

    assert (report["remaining"]["count"], paths(report["remaining"])) == (1, ["s:1.s:1"])
    assert [item["question"] for item in report["questions"]] == ["Which one?"]
    assert report["counts"]["blocked"] == 1
    assert report["now"] is None
    assert "next" not in report


def test_a_step_that_is_done_has_nothing_left_to_do(world: World, task: str) -> None:
    for path in ("s:0.s:0", "s:0.s:1", "s:0"):
        world.ok("tasks_close_step", task=task, path=path, checkpoints=CONFIRMED)

    report = world.ok("tasks_handoff", task=task, path="s:0")

    assert (report["done"]["count"], report["remaining"]["count"]) == (3, 0)
    assert report["now"] is None
    assert "next" not in report


def test_what_others_hold_below_the_step_is_said_and_passed_over(world: World, task: str) -> None:
    by(world, ANN, "tasks_claim", task=task, path="s:0.s:0")
    by(world, ANN, "tasks_claim", task=task, path="s:1.s:0")

    report = by(world, BOB, "tasks_handoff", task=task, path="s:0")

    assert report["now"]["path"] == "s:0.s:1"
    assert [item["path"] for item in report["held"]] == ["s:0.s:0"]


def test_a_plan_has_no_steps_to_hand_over(world: World, task: str) -> None:
    plan = world.ok("tasks_create", kind="plan", title="Ship")["id"]

    world.no("UNKNOWN_ID", "tasks_handoff", plan=plan, path="s:0")
    world.no("UNKNOWN_ID", "tasks_handoff", task=task, path="s:7")
