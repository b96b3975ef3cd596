"""A blind loop sends each `next` and suggestion as it is: nothing is closed, confirmed, unblocked or deleted."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from gatepost.domain.refusals import Refusal
from tests.givens import CONFIRMED, World, memory_store

STATES = 50
SENDS = 200
FORBIDDEN = {
    "step_done",
    "step_verified",
    "step_unblocked",
    "task_completed",
    "step_deleted",
    "task_deleted",
    "plan_deleted",
    "task_node_deleted",
    "task_node_defined",
    "plan_updated",
}
NOT_YET = {"criteria": {"confirmed": True}}


def generated(seed: int) -> World:
    """A workspace in some state: plans and tasks with steps that are open, blocked, forced, proven or done."""
    chance = random.Random(seed)
    world = World(memory_store())
    plans = [world.plan() for _ in range(chance.randint(0, 2))]
    for plan in plans:
        world.ok("tasks_plan", plan=plan, steps=["Ask legal", "Announce it"][: chance.randint(0, 2)] or ["One"])
    tasks = [_task(world, chance, plans) for _ in range(chance.randint(0, 4))]
    for task in tasks:
        for path in _paths(world, task):
            _acted(world, chance, task, path)
    if tasks and chance.random() < 0.5:
        world.ask("tasks_complete", task=chance.choice(tasks))
    if tasks and chance.random() < 0.5:
        world.ok("tasks_focus_set", task=chance.choice([*tasks, *plans]))
    return world


def _task(world: World, chance: random.Random, plans: list[str]) -> str:
    given: dict[str, Any] = {"plan": chance.choice(plans)} if plans and chance.random() < 0.6 else {}
    steps = [{"title": f"Step {number}", "required": ["docs"] * chance.randint(0, 1)} for number in range(3)]
    task = (
        world.task(**given, steps=steps[: chance.randint(1, 3)]) if chance.random() < 0.9 else world.task(**given)
    )
    if task != "TASK-001" and chance.random() < 0.3:
        world.ok("tasks_edit", task=task, depends_on=["TASK-001"])
    return task


def _paths(world: World, task: str) -> list[str]:
    return [step["path"] for step in world.ok("tasks_resume", task=task)["steps"]]


def _acted(world: World, chance: random.Random, task: str, path: str) -> None:
    step = {"task": task, "path": path}
    acts: list[Callable[[], object]] = [
        lambda: None,
        lambda: world.ask("tasks_block", **step, reason="legal has not approved"),
        lambda: world.ask("tasks_verify", **step, checkpoints=NOT_YET),
        lambda: world.ask("tasks_verify", **step, checkpoints=CONFIRMED),
        lambda: world.ask("tasks_close_step", **step, checkpoints=CONFIRMED),
        lambda: world.ask("tasks_progress", **step, completed=True, force=True, reason="late"),
        lambda: world.ask("tasks_decompose", **step, steps=[{"title": "below"}]),
        lambda: world.ask("tasks_task_add", task=task, parent_step=path, title="node"),
    ]
    chance.choice(acts)()


def wrong_calls(world: World) -> list[tuple[str, dict[str, Any]]]:
    """Calls that are refused in many states, each with a suggestion of its own."""
    calls: list[tuple[str, dict[str, Any]]] = [("tasks_radar", {"task": "TASK-099"})]
    for row in world.ok("tasks_context", limit=50)["items"]:
        target = row["id"]
        calls += [("tasks_complete", {"task": target}), ("tasks_edit", {"task": target, "expected_revision": 999})]
        for path in _paths(world, target) if target.startswith("TASK") else ():
            step = {"task": target, "path": path}
            calls += [
                ("tasks_done", step),
                ("tasks_close_step", {**step, "checkpoints": {"tests": {"confirmed": False}}}),
                ("tasks_define", {**step, "criteria": ["Another one"], "expected_step_revision": 99}),
                (
                    "tasks_verify",
                    {**step, "checkpoints": {"criteria": {"confirmed": False}}, "expected_revision": 99},
                ),
                ("tasks_note", {**step, "step_id": "STEP-00000000", "note": "n"}),
            ]
    return calls


def refuses(world: World, tool: str, arguments: dict[str, Any]) -> bool:
    """Whether a call would be refused, found out without making it."""
    try:
        world.rehearse(tool, {"workspace": world.workspace, **arguments})
    except Refusal:
        return True
    return False


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("seed", range(STATES))
def test_a_loop_that_sends_what_it_is_told_closes_nothing(seed: int) -> None:
    world = generated(seed)
    chance = random.Random(seed)
    start = world.ok("tasks_storage")["holds"]["seq"]
    calls = wrong_calls(world)
    call: dict[str, Any] = {"tool": "tasks_radar", "arguments": {}}

    for number in range(SENDS):
        answered = world.ask(call["tool"], **call["arguments"])
        if answered.refusal is not None:
            call = _call(answered.refusal.suggestion) or {"tool": "tasks_radar", "arguments": {}}
            continue
        call = _next(answered.text) or {"tool": "tasks_radar", "arguments": {}}
        if number % 4 == 3:
            tool, arguments = chance.choice(calls)
            call = {"tool": tool, "arguments": arguments} if refuses(world, tool, arguments) else call

    events = world.ok("tasks_delta", since=start, limit=200, max_chars=100_000)["events"]
    assert {event["type"] for event in events} & FORBIDDEN == set()


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("seed", range(10))
def test_where_checks_prove_steps_the_loop_closes_exactly_those_that_pass(seed: int) -> None:
    chance = random.Random(seed)
    world = World(memory_store())
    plan = world.plan()
    world.ok("tasks_policy", plan=plan, proof=chance.choice(("machine", "machine", "word")))
    runs = [chance.choice(("true", "false", None)) for _ in range(6)]
    both = ("criteria", "tests")
    steps = [
        {"title": f"Step {at}", "checks": [] if run is None else [{"run": run, "for": name} for name in both]}
        for at, run in enumerate(runs)
    ]
    tasks = [world.task(plan=plan, steps=[step]) for step in steps]

    for task in tasks:
        call: dict[str, Any] = {"tool": "tasks_radar", "arguments": {"task": task}}
        for _ in range(8):
            answered = world.ask(call["tool"], **call["arguments"])
            found = None if answered.refusal is not None else _next(answered.text)
            suggested = None if answered.refusal is None else _call(answered.refusal.suggestion)
            call = found or suggested or {"tool": "tasks_radar", "arguments": {"task": task}}

    assert [world.step(task, "s:0")["done"] for task in tasks] == [run == "true" for run in runs]


def _call(suggestion: Any) -> dict[str, Any] | None:
    return None if suggestion is None else {"tool": suggestion.tool, "arguments": dict(suggestion.arguments)}


def _next(text: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = json.loads(text).get("next")
    return found if isinstance(found, dict) else None
