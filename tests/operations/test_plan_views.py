"""Plans roll up: status, counts and checklist, in every view that shows a plan."""

from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import World

VIEWS = ("tasks_radar", "tasks_handoff", "tasks_mirror", "tasks_lint", "tasks_context_pack", "tasks_resume")


def row(world: World, plan: str) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in world.ok("tasks_context")["items"] if item["id"] == plan)
    return found


@pytest.mark.requirement("tasks.plan.checklist-everywhere")
@pytest.mark.parametrize("tool", VIEWS)
def test_every_view_of_a_plan_shows_its_checklist(world: World, tool: str) -> None:
    plan = world.plan()
    world.task("a", plan=plan)
    world.ok("tasks_plan", plan=plan, steps=["Agree on the names", "Freeze\nthe schema"], current=1)

    shown = world.ok(tool, plan=plan)

    assert shown["target"]["checklist"] == {"steps": ["Agree on the names", "Freeze\nthe schema"], "current": 1}


@pytest.mark.requirement("tasks.plan.checklist-everywhere")
@pytest.mark.parametrize("tool", VIEWS)
@pytest.mark.parametrize("cap", [512, 900, 2_000, None])
def test_a_long_checklist_stays_within_the_budget(world: World, tool: str, cap: int | None) -> None:
    plan = world.plan()
    world.task("a", plan=plan)
    world.ok("tasks_plan", plan=plan, steps=[f"{number}" * 1_000 for number in range(40)], current=3)

    text = world.ask(tool, plan=plan, **({} if cap is None else {"max_chars": cap})).text

    assert len(text) <= (cap or 16_000)


@pytest.mark.requirement("tasks.plan.active")
@pytest.mark.parametrize("work", ["tasks_note", "tasks_verify", "tasks_block", "tasks_evidence_capture"])
def test_a_plan_is_active_from_the_first_work_on_one_of_its_tasks_until_that_is_undone(
    world: World, work: str
) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    assert row(world, plan)["status"] == "TODO"
    calls: dict[str, dict[str, Any]] = {
        "tasks_note": {"note": "n"},
        "tasks_verify": {"checkpoints": {"tests": {"confirmed": True}}},
        "tasks_block": {"reason": "r"},
        "tasks_evidence_capture": {"items": [{"kind": "note", "content": "seen"}]},
    }

    world.ok(work, task=task, path="s:0", **calls[work])

    assert row(world, plan)["status"] == "ACTIVE"
    assert [item["id"] for item in world.ok("tasks_context", kind="plan", status="ACTIVE")["items"]] == [plan]
    assert world.ok("tasks_radar", plan=plan)["target"]["status"] == "ACTIVE"
    if work in ("tasks_verify", "tasks_block"):
        world.ok("tasks_undo")
        assert row(world, plan)["status"] == "TODO"
        assert world.ok("tasks_context", status="ACTIVE")["items"] == []


@pytest.mark.requirement("tasks.plan.active")
def test_a_plan_with_work_in_it_cannot_be_set_to_todo(world: World) -> None:
    plan = world.plan()
    world.ok("tasks_note", task=world.task("a", plan=plan), note="n")

    reply = world.ok("tasks_complete", task=plan, status="TODO")

    assert (reply["status"], row(world, plan)["status"]) == ("ACTIVE", "ACTIVE")


@pytest.mark.requirement("tasks.plan.counts")
def test_a_plan_counts_the_steps_of_its_tasks_and_apart_from_them_its_checklist(world: World) -> None:
    plan = world.plan()
    first, second = world.task("a", "b", plan=plan), world.task("c", plan=plan)
    world.task("elsewhere")
    world.close(first, "s:0")
    world.ok("tasks_block", task=second, path="s:0", reason="r")
    world.ok("tasks_plan", plan=plan, steps=["one", "two", "three"], current=1)

    counts = row(world, plan)["counts"]

    assert counts == {
        "total": 3,
        "done": 1,
        "open": 2,
        "blocked": 1,
        "tasks": {"total": 2, "done": 0, "open": 2},
        "checklist": {"total": 3, "done": 1, "open": 2},
    }
    assert world.ok("tasks_radar", plan=plan)["counts"] == counts


@pytest.mark.requirement("tasks.plan.counts")
def test_the_counts_of_a_plan_follow_deletions_and_what_is_undone(world: World) -> None:
    plan = world.plan()
    task = world.task("a", "b", plan=plan)
    world.close(task, "s:0")
    before = row(world, plan)

    world.ok("tasks_delete", task=task)
    without = row(world, plan)
    world.ok("tasks_undo")

    assert without["counts"] == {
        "total": 0,
        "done": 0,
        "open": 0,
        "blocked": 0,
        "tasks": {"total": 0, "done": 0, "open": 0},
    }
    assert without["status"] == "TODO"
    assert row(world, plan) == before
    assert doctor.examine(world.store, world.workspace).findings == []
