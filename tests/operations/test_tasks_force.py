"""Forced closes: what they pass, what they do not, and the trace they leave."""

import pytest

from tests.givens import CONFIRMED, World

FORCED = {"completed": True, "force": True, "reason": "the demo is today"}


@pytest.mark.requirement("tasks.force.checkpoints-only", "tasks.force.leaves-trace")
def test_force_closes_an_unproven_step_and_leaves_what_was_missing(world: World) -> None:
    task = world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "required": ["docs"]}])["id"]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"criteria": {"confirmed": True}})

    reply = world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    (event,) = world.logged(reply)
    assert event["type"] == "step_done"
    assert event["forced"] is True
    assert event["missing"] == ["tests", "docs"]
    assert event["reason"] == "the demo is today"
    assert world.ok("tasks_delta", since=event["seq"] - 1)["events"] == [event]
    step = world.step(task, "s:0")
    assert step["done"]
    assert step["unconfirmed"] == ["tests", "docs"]


@pytest.mark.requirement("tasks.force.checkpoints-only")
def test_force_does_not_pass_a_block(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="no network")

    world.no("STEP_BLOCKED", "tasks_progress", task=task, path="s:0", **FORCED)


@pytest.mark.requirement("tasks.force.checkpoints-only")
def test_force_does_not_pass_open_children(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "below"}])

    world.no("CHILDREN_OPEN", "tasks_progress", task=task, path="s:0", **FORCED)


@pytest.mark.requirement("tasks.force.needs-reason")
@pytest.mark.parametrize("reason", [{}, {"reason": ""}, {"reason": "  "}])
def test_force_without_a_reason_is_refused(world: World, reason: dict[str, str]) -> None:
    task = world.task("a")

    error = world.no("INVALID_INPUT", "tasks_progress", task=task, path="s:0", completed=True, force=True, **reason)

    assert "reason" in error["message"]


def test_force_to_reopen_is_refused(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")

    world.no("INVALID_INPUT", "tasks_progress", task=task, path="s:0", **{**FORCED, "completed": False})


@pytest.mark.requirement("tasks.force.leaves-trace")
def test_force_on_a_proven_step_forces_nothing(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    (event,) = world.ok("tasks_progress", task=task, path="s:0", **FORCED)["events"]

    assert event["type"] == "step_done"
    assert not event.get("forced")
    assert not event.get("missing")


@pytest.mark.requirement("tasks.done-step.confirmations-added")
def test_what_a_forced_step_owes_can_be_confirmed_while_it_is_done(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    reply = world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    assert [event["type"] for event in reply["events"]] == ["step_verified"]
    step = world.step(task, "s:0")
    assert step["done"]
    assert "unconfirmed" not in step


def test_a_task_with_a_forced_step_completes_only_once_it_is_confirmed(world: World) -> None:
    task = world.task("a")
    step_id = world.step(task, "s:0")["step_id"]
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_complete", task=task)

    assert error["missing"] == [{"step_id": step_id, "path": "s:0", "missing": ["criteria", "tests"]}]
    assert world.ok("tasks_resume", task=task)["target"]["status"] == "DONE"


def test_closing_a_forced_step_again_with_its_proof_adds_the_confirmations(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)

    reply = world.close(task, "s:0")

    assert [event["type"] for event in reply["events"]] == ["step_verified"]
    assert "unconfirmed" not in world.step(task, "s:0")
