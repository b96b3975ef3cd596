"""Staying true: nothing is done over something open or unproven, whatever is called, undone or redone."""

from typing import Any

import pytest

from gatepost.domain.events import TaskCompleted
from gatepost.engine import doctor
from gatepost.engine.draft import Draft
from gatepost.engine.safeguards import InvariantBroken
from tests.givens import CONFIRMED, World


def forced(world: World, task: str, path: str = "s:0") -> None:
    world.ok("tasks_progress", task=task, path=path, completed=True, force=True, reason="Later.")


def beside(world: World, other: str, tool: str, **arguments: Any) -> None:
    """A call that also touches another task, by which it can be taken back."""
    calls = [
        {"tool": tool, "arguments": arguments},
        {"tool": "tasks_edit", "arguments": {"task": other, "title": "B"}},
    ]
    world.ok("tasks_batch", operations=calls)


def status(world: World, target: str) -> str:
    found: str = world.ok("tasks_resume", task=target)["target"]["status"]
    return found


def findings(world: World) -> list[tuple[str, str]]:
    return [(found.code, found.where) for found in doctor.examine(world.store, world.workspace).findings]


@pytest.mark.requirement("tasks.stay-true.no-sequence")
@pytest.mark.parametrize("change", ["tasks_verify", "tasks_delete"])
def test_an_undo_by_another_task_reopens_the_task_whose_forced_step_it_brings_back(
    world: World, change: str
) -> None:
    plan, other = world.plan(), world.task("x", title="A")
    task = world.task("a", "b", plan=plan)
    forced(world, task)
    world.close(task, "s:1")
    given = {"checkpoints": CONFIRMED} if change == "tasks_verify" else {}
    beside(world, other, change, task=task, path="s:0", **given)
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)

    reply = world.ok("tasks_undo", task=other)

    assert (status(world, task), status(world, plan)) == ("ACTIVE", "ACTIVE")
    assert world.step(task, "s:0")["unconfirmed"] == ["criteria", "tests"]
    because = [event["because"] for event in reply["events"] if event["type"] == "task_reopened"]
    assert because == [world.step(task, "s:0")["step_id"], task]
    assert findings(world) == []


@pytest.mark.requirement("tasks.stay-true.no-sequence")
def test_a_redo_after_such_an_undo_completes_the_task_again(world: World) -> None:
    task, other = world.task("a"), world.task("x")
    forced(world, task)
    beside(world, other, "tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_complete", task=task)
    world.ok("tasks_undo", task=other)

    world.ok("tasks_redo", task=other)

    assert status(world, task) == "DONE"
    assert "unconfirmed" not in world.step(task, "s:0")
    assert findings(world) == []


@pytest.mark.requirement("tasks.stay-true.no-sequence", "tasks.reopen.withdraws")
def test_an_undo_that_opens_a_step_withdraws_the_confirmations_of_those_above_it(world: World) -> None:
    task, other = world.task(steps=[{"title": "a", "steps": [{"title": "b"}]}]), world.task("x")
    world.ok("tasks_note", task=task, note="Begun.")
    beside(world, other, "tasks_close_step", task=task, path="s:0.s:0", checkpoints=CONFIRMED)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)

    world.ok("tasks_undo", task=other)

    assert [world.step(task, path)["done"] for path in ("s:0", "s:0.s:0")] == [False, False]
    assert world.step(task, "s:0")["confirmed"] == []
    assert status(world, task) == "ACTIVE"
    assert findings(world) == []


@pytest.mark.requirement("tasks.stay-true.no-sequence")
def test_an_undo_that_would_bring_back_something_done_over_an_open_step_is_refused(world: World) -> None:
    task, other = world.task(steps=[{"title": "a", "steps": [{"title": "b"}]}]), world.task("x")
    world.close(task, "s:0.s:0")
    world.close(task, "s:0")
    beside(world, other, "tasks_progress", task=task, path="s:0", completed=False)
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "c"}])

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=other)

    assert error["moved"] == [{"where": f"{task} s:0", "says": "is done, but something below it is open"}]


@pytest.mark.requirement("tasks.stay-true.one-function")
def test_a_change_that_would_leave_something_untrue_is_never_written(world: World) -> None:
    task = world.task("a")
    before = world.everything()

    def cheat(draft: Draft) -> None:
        root = draft.root(task)
        draft.put(root.place, type(root.value)(id=task, title="t", status="DONE"))
        draft.log(root.place, TaskCompleted())

    with pytest.raises(InvariantBroken, match="something below it is open"):
        world.engine.write("cheat", world.workspace, world.caller, cheat)

    assert world.everything() == before


@pytest.mark.requirement("tasks.stay-true.one-function")
@pytest.mark.parametrize("broken", ["UNPROVEN_BELOW_DONE", "OPEN_BELOW_DONE", "CHECKLIST_BELOW_DONE"])
def test_the_doctor_names_what_is_done_and_must_not_be(
    world: World, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    if broken == "CHECKLIST_BELOW_DONE":
        world.ok("tasks_delete", task=task)
        world.ok("tasks_plan", plan=plan, steps=["one"])
        task = plan
    elif broken == "UNPROVEN_BELOW_DONE":
        forced(world, task)
    monkeypatch.setattr("gatepost.engine.safeguards.broken", lambda _: [])
    monkeypatch.setattr("gatepost.operations.completion.check_completable", lambda *_: None)

    world.ok("tasks_complete", task=task)

    assert findings(world) == [(broken, task)]
