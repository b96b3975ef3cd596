"""The radar's next call: as it is it closes nothing; with what the caller supplies it is accepted and leads on."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.operations.catalog import BY_NAME
from tests.givens import CONFIRMED, World, memory_store, supplied

YES = {"confirmed": True}


def open_step(world: World) -> str:
    return world.task("a")


def half_proven_step(world: World) -> str:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={"tests": YES})
    return task


def proven_step(world: World) -> str:
    task = world.task("a")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    return task


def only_docs_missing(world: World) -> str:
    task: str = world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "required": ["docs"]}])["id"]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    return task


def parent_with_children_done(world: World) -> str:
    task = world.task("a")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "b"}])
    world.close(task, "s:0.s:0")
    return task


def no_steps(world: World) -> str:
    return world.task()


def all_blocked(world: World) -> str:
    task = world.task("a", "b")
    for path in ("s:0", "s:1"):
        world.ok("tasks_block", task=task, path=path, reason="no network")
    return task


def blocked_above_and_below(world: World) -> str:
    task = world.task("a")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "b"}])
    world.ok("tasks_block", task=task, path="s:0")
    world.ok("tasks_block", task=task, path="s:0.s:0")
    return task


def waiting_with_steps(world: World) -> str:
    return world.task("a", depends_on=[world.task("n")])


def waiting_without_steps(world: World) -> str:
    return world.task(depends_on=[world.plan()])


def everything_done(world: World) -> str:
    task = world.task("a", "b")
    world.close(task, "s:0")
    world.close(task, "s:1")
    return task


def forced_shut(world: World) -> str:
    task = world.task("a")
    world.ok("tasks_progress", task=task, path="s:0", completed=True, force=True, reason="late")
    return task


def complete_task(world: World) -> str:
    task = everything_done(world)
    world.ok("tasks_complete", task=task)
    return task


def complete_task_without_steps(world: World) -> str:
    task = world.task()
    world.ok("tasks_complete", task=task)
    return task


def empty_plan(world: World) -> str:
    return world.plan()


def plan_with_work(world: World) -> str:
    plan = world.plan()
    world.task("a", plan=plan)
    return plan


def plan_all_blocked(world: World) -> str:
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.ok("tasks_block", task=task, path="s:0")
    return plan


def plan_waiting(world: World) -> str:
    plan = world.plan()
    world.task("a", plan=plan, depends_on=[world.task("n")])
    return plan


def plan_with_a_forced_step(world: World) -> str:
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.ok("tasks_progress", task=task, path="s:0", completed=True, force=True, reason="late")
    return plan


def plan_of_done_tasks(world: World) -> str:
    plan = world.plan()
    world.ok("tasks_complete", task=world.task(plan=plan))
    return plan


def complete_plan(world: World) -> str:
    plan = plan_of_done_tasks(world)
    world.ok("tasks_complete", task=plan)
    return plan


SITUATIONS: list[Callable[[World], str]] = [
    open_step,
    half_proven_step,
    proven_step,
    only_docs_missing,
    parent_with_children_done,
    no_steps,
    all_blocked,
    blocked_above_and_below,
    waiting_with_steps,
    waiting_without_steps,
    everything_done,
    forced_shut,
    complete_task,
    complete_task_without_steps,
    empty_plan,
    plan_with_work,
    plan_all_blocked,
    plan_waiting,
    plan_with_a_forced_step,
    plan_of_done_tasks,
    complete_plan,
]


def send(world: World, call: dict[str, Any]) -> dict[str, Any]:
    """Send a radar's next call, with what its caller supplies."""
    return world.ok(call["tool"], **supplied(call))


def status(world: World, target: str) -> str:
    found: str = world.ok("tasks_resume", task=target)["target"]["status"]
    return found


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("way", ["named", "focused", "unnamed"])
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda found: found.__name__)
def test_the_next_call_is_accepted_once_its_caller_supplied_what_it_asks_for(
    world: World, situation: Callable[[World], str], way: str
) -> None:
    target = situation(world)
    if way == "focused":
        world.ok("tasks_focus_set", task=target)

    call = world.ok("tasks_radar", **({"task": target} if way == "named" else {}))["next"]
    send(world, call)

    assert set(call) >= {"tool", "arguments"}


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda found: found.__name__)
def test_the_next_call_as_it_is_changes_nothing(world: World, situation: Callable[[World], str]) -> None:
    target = situation(world)
    before = world.everything()

    call = world.ok("tasks_radar", task=target)["next"]
    answered = world.ask(call["tool"], **call["arguments"])

    assert world.everything() == before
    assert (answered.refusal is None) == ("supply" not in call)


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda found: found.__name__)
def test_a_next_call_that_writes_carries_the_revision_of_what_it_writes_to(
    world: World, situation: Callable[[World], str]
) -> None:
    target = situation(world)

    call = world.ok("tasks_radar", task=target)["next"]

    if BY_NAME[call["tool"]].writes:
        arguments = supplied(call)
        written = arguments.get("task") or arguments["plan"]
        step = arguments.get("step_id")
        if step is None:
            assert arguments["expected_revision"] == world.revision(written)
        else:
            shown = world.ok("tasks_resume", task=written, step_id=step)["step"]["revision"]
            assert arguments["expected_step_revision"] == shown


@pytest.mark.requirement("tasks.radar.next")
def test_the_next_call_in_an_empty_or_finished_workspace_makes_the_next_task(world: World) -> None:
    empty = world.ok("tasks_radar")["next"]
    made = send(world, empty)["id"]
    world.ok("tasks_complete", task=made)

    finished = world.ok("tasks_radar")

    assert finished["target"] is None
    assert send(world, finished["next"])["id"] == "TASK-002"
    assert "title" not in finished["next"]["arguments"]


@pytest.mark.requirement("tasks.radar.next")
def test_a_next_call_is_refused_only_if_somebody_changed_that_step(world: World) -> None:
    task = world.task("a", "b")
    call = world.ok("tasks_radar", task=task)["next"]
    world.ok("tasks_note", task=task, note="I was here")
    world.close(task, "s:1")
    world.rehearse(call["tool"], supplied(call))

    world.ok("tasks_define", task=task, path="s:0", criteria=["Another one"])

    no = world.no("REVISION_MISMATCH", call["tool"], **supplied(call))
    assert no["current_revision"] == call["arguments"]["expected_step_revision"] + 1
    assert [(change["type"], change["path"], change["title"]) for change in no["changed"]] == [
        ("step_defined", "s:0", "a")
    ]


@pytest.mark.requirement("tasks.radar.next")
@pytest.mark.parametrize("situation", [complete_task, complete_task_without_steps, complete_plan])
def test_the_next_call_of_what_is_complete_does_not_undo_it(
    world: World, situation: Callable[[World], str]
) -> None:
    target = situation(world)

    send(world, world.ok("tasks_radar", task=target)["next"])

    assert status(world, target) == "DONE"


@pytest.mark.requirement("tasks.radar.next")
@settings(max_examples=30, deadline=None)
@given(
    parents=st.lists(st.integers(0, 9), max_size=10),
    blocked=st.sets(st.integers(0, 10)),
    waits=st.booleans(),
)
def test_following_the_next_call_from_anywhere_completes_the_task(
    parents: list[int], blocked: set[int], waits: bool
) -> None:
    world = World(memory_store())
    task = world.task("root", **({"depends_on": [world.task("n")]} if waits else {}))
    known = ["s:0"]
    for parent in parents:
        over = {"path": known[parent]} if parent < len(known) else {}
        known.append(world.ok("tasks_decompose", task=task, steps=[{"title": "x"}], **over)["steps"][0]["path"])
    for number in blocked & set(range(len(known))):
        world.ok("tasks_block", task=task, path=known[number])

    for _ in range(3 * len(known) + 10):
        radar = world.ok("tasks_radar", task=task)
        reply = send(world, radar["next"])
        if "next" in reply:
            send(world, reply["next"])
        if radar["now"] is None and radar["blockers"] and "step_id" in radar["blockers"][0]:
            world.ok("tasks_block", task=task, step_id=radar["blockers"][0]["step_id"], blocked=False)  # a person
        if status(world, task) == "DONE":
            break

    assert status(world, task) == "DONE"
