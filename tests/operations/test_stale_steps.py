"""Steps that are open again because what proved them has changed."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World
from tests.operations.test_checks import CRITERIA
from tests.operations.test_claims import ANN, BOB, PERSON, by


def proven(world: World, *titles: str, **more: Any) -> str:
    """A task whose steps were closed by checks that passed."""
    steps = [{"title": title, "checks": [{"run": "true"}]} for title in titles]
    task: str = world.ok("tasks_create", kind="task", title="A task", steps=steps, **more)["id"]
    for number, _ in enumerate(titles):
        world.ok("tasks_close_step", task=task, path=f"s:{number}", checkpoints=CRITERIA, run_checks=True)
    return task


def is_done(world: World, task: str, path: str) -> bool:
    return bool(world.step(task, path)["done"])


@pytest.mark.requirement("proof.age.policy-reopens", "proof.age.reads-only-say")
def test_a_stale_step_is_reopened_by_the_next_write_to_its_task_and_never_by_a_read(world: World) -> None:
    task = proven(world, "a", "b")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_policy", task=task, stale="reopen")
    world.checks.digest = "other"
    before = world.everything()

    world.ok("tasks_radar", task=task)
    assert world.everything() == before
    reply = world.ok("tasks_note", task=task, note="Going on.")

    types = [event["type"] for event in world.logged(reply)]
    assert types == ["step_reopened", "task_reopened", "step_reopened", "step_noted"]
    assert world.logged(reply)[0]["withdrawn"] == ["criteria", "tests"]
    assert reply["now"]["title"] == "a"
    assert not is_done(world, task, "s:0")


@pytest.mark.requirement("proof.age.policy-reopens")
def test_a_policy_that_only_tells_reopens_nothing(world: World) -> None:
    task = proven(world, "a")
    world.checks.digest = "other"

    world.ok("tasks_note", task=task, note="Going on.")

    assert is_done(world, task, "s:0")
    assert world.ok("tasks_radar", task=task)["stale_steps"] == 1


@pytest.mark.requirement("proof.age.policy-reopens")
def test_checks_that_pass_again_make_a_step_fresh_and_the_other_ones_are_reopened(world: World) -> None:
    task = proven(world, "a", "b")
    world.ok("tasks_policy", task=task, stale="reopen")
    world.checks.digest = "other"

    reply = world.ok("tasks_check", task=task, path="s:0")

    assert reply["confirmed"] == ["tests"]
    assert is_done(world, task, "s:0")
    assert not is_done(world, task, "s:1")


def test_a_batch_reopens_the_stale_steps_of_the_tasks_that_it_names(world: World) -> None:
    task = proven(world, "a")
    world.ok("tasks_policy", stale="reopen")
    world.checks.digest = "other"
    note = {"tool": "tasks_note", "arguments": {"task": task, "note": "Going on."}}

    world.ok("tasks_batch", operations=[note, {"tool": "tasks_radar", "arguments": {}}])

    assert not is_done(world, task, "s:0")


def test_a_refused_write_reopens_nothing(world: World) -> None:
    task = proven(world, "a")
    world.ok("tasks_policy", stale="reopen")
    world.checks.digest = "other"

    world.no("UNKNOWN_ID", "tasks_note", task=task, path="s:7", note="Going on.")

    assert is_done(world, task, "s:0")


@pytest.mark.requirement("proof.age.policy-reopens")
def test_a_stale_step_that_somebody_holds_keeps_nobody_else_out_and_waits_for_its_holder(world: World) -> None:
    steps = [
        {"title": "held", "steps": [{"title": "proven", "checks": [{"run": "true"}]}, {"title": "open"}]},
        {"title": "free"},
    ]
    task = world.task(steps=steps)
    world.ok("tasks_policy", task=task, stale="reopen")
    by(world, ANN, "tasks_claim", task=task, path="s:0")
    by(world, ANN, "tasks_close_step", task=task, path="s:0.s:0", checkpoints=CRITERIA, run_checks=True)
    world.checks.digest = "other"

    by(world, BOB, "tasks_note", task=task, path="s:1", note="Mine is free.")
    by(world, BOB, "tasks_close_step", task=task, path="s:1", checkpoints=CONFIRMED)
    assert is_done(world, task, "s:0.s:0")
    by(world, ANN, "tasks_note", task=task, note="Going on.")

    assert not is_done(world, task, "s:0.s:0")


@pytest.mark.requirement("crew.claims.open-to-others")
def test_a_person_answers_in_a_task_that_an_agent_holds_whole_though_a_proof_is_stale(world: World) -> None:
    task = world.task(steps=[{"title": "proven", "checks": [{"run": "true"}]}, {"title": "asks"}])
    world.ok("tasks_policy", task=task, stale="reopen")
    by(world, ANN, "tasks_claim", task=task, whole=True)
    by(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CRITERIA, run_checks=True)
    by(world, ANN, "tasks_block", task=task, path="s:1", ask="Which fence?", **{"for": "human"})
    world.checks.digest = "other"

    by(world, PERSON, "tasks_block", task=task, path="s:1", blocked=False, answer="The green one.")

    assert world.step(task, "s:1")["answer"]["answer"] == "The green one."
