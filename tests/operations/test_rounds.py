"""clear_mind: whose a round is, and which re-entry package a resume shows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain import places
from gatepost.domain.records import MindCleared
from gatepost.engine.caller import Caller, agent_name
from gatepost.engine.doctor.checkup import examine
from tests.givens import World, memory_store

ANN = "agent:ann"
BOB = "agent:bob/4.2 ü~"


def as_actor(world: World, actor: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A call by another agent."""
    world.caller = Caller(actor)
    return world.ok(tool, **arguments)


def left(world: World, actor: str, **target: str) -> str | None:
    """The reminder that a resume by this agent shows."""
    shown = as_actor(world, actor, "tasks_resume", **target).get("re_entry")
    return None if shown is None else shown["reminder_content"]


def clear(world: World, actor: str, reminder: str, **task: Any) -> dict[str, Any]:
    return as_actor(world, actor, "clear_mind", reminder_content=reminder, **task)


def sound(world: World) -> None:
    assert not examine(world.store, world.workspace).findings


@pytest.mark.requirement("taskdoc.clear-mind.whose")
def test_two_agents_never_see_or_end_each_others_rounds(world: World) -> None:
    task = world.task("step")

    assert clear(world, ANN, "ann one")["round"] == 1
    assert clear(world, BOB, "bob one")["round"] == 1
    assert clear(world, BOB, "bob two", expected_revision=1)["round"] == 2

    for target in ({}, {"task": task}):
        assert left(world, ANN, **target) == "ann one"
        assert left(world, BOB, **target) == "bob two"
        assert left(world, "agent:new", **target) is None
    sound(world)


@pytest.mark.requirement("taskdoc.clear-mind.whose")
def test_a_round_that_names_a_task_is_everyones_who_resumes_that_task(world: World) -> None:
    task, other, plan = world.task("step"), world.task("step"), world.plan()
    clear(world, ANN, "ann anywhere")

    [event] = world.logged(clear(world, ANN, "ann at the task", task=task))
    clear(world, BOB, "bob at the plan", task=plan)

    assert left(world, ANN, task=task) == left(world, BOB, task=task) == "ann at the task"
    assert left(world, ANN, plan=plan) == left(world, "agent:new", plan=plan) == "bob at the plan"
    assert left(world, BOB, task=other) is None
    assert left(world, ANN, task=other) == "ann anywhere", "it named no other task"
    shown = as_actor(world, BOB, "tasks_resume", task=task)["re_entry"]
    assert shown == {
        "reminder_content": "ann at the task",
        "round": 1,
        "task": task,
        "at": event["at"],
        "actor": ANN,
    }
    assert clear(world, BOB, "bob at the task", task=task)["round"] == 2, "those who share a task share its rounds"
    assert left(world, ANN, task=task) == "bob at the task"
    sound(world)


def test_without_a_target_an_agent_finds_its_newest_round_whichever_task_that_named(world: World) -> None:
    first, second = world.task("step"), world.task("step")
    world.ok("tasks_focus_set", task=first)

    clear(world, ANN, "ann at the second", task=second)

    assert left(world, ANN) == "ann at the second"
    assert as_actor(world, ANN, "tasks_resume")["re_entry"]["task"] == second
    assert left(world, ANN, task=first) is None
    assert left(world, BOB) is None
    clear(world, BOB, "bob at the first", task=first)
    assert left(world, ANN) == "bob at the first", "the target in focus has a newer one"
    clear(world, ANN, "ann anywhere")
    assert left(world, ANN) == left(world, ANN, task=second) == "ann anywhere"
    assert left(world, BOB) == "bob at the first"


def test_a_round_of_a_task_that_is_not_there_is_refused_and_one_that_moved_on_names_whose_it_is(
    world: World,
) -> None:
    task = world.task("step")
    world.no("UNKNOWN_ID", "clear_mind", reminder_content="go on", task="TASK-404")
    world.no("INVALID_INPUT", "clear_mind", reminder_content="go on", task="second")
    world.ok("clear_mind", reminder_content="go on", task=task)

    stale = world.no("REVISION_MISMATCH", "clear_mind", reminder_content="x", task=task, expected_revision=0)
    assert f"round of {task} is at revision 1" in stale["message"]
    world.caller = Caller(BOB)
    fresh = world.no("REVISION_MISMATCH", "clear_mind", reminder_content="x", expected_revision=1)
    assert f"round of {BOB} is at revision 0" in fresh["message"]


def test_rounds_are_counted_in_a_batch_and_stay_when_it_is_undone(world: World) -> None:
    task = world.task("step")
    calls = [{"tool": "clear_mind", "arguments": {"reminder_content": word, "task": task}} for word in "ab"]

    done = world.ok("tasks_batch", operations=calls)

    assert [result["round"] for result in done["results"]] == [1, 2]
    assert left(world, BOB, task=task) == "b"
    world.ok("tasks_undo", task=task)
    world.no("UNKNOWN_ID", "tasks_resume", task=task)
    sound(world)


def test_a_later_round_does_not_keep_a_batch_with_a_round_from_being_undone(world: World) -> None:
    task = world.task("step")
    clear_it = {"tool": "clear_mind", "arguments": {"reminder_content": "in a batch", "task": task}}
    edit = {"tool": "tasks_edit", "arguments": {"task": task, "title": "Another"}}
    world.ok("tasks_batch", operations=[clear_it, edit])
    world.ok("clear_mind", reminder_content="later")

    world.ok("tasks_undo")

    assert world.ok("tasks_resume", task=task)["target"]["title"] == "A task"
    assert left(world, "tester") == "later"
    world.ok("tasks_redo")
    sound(world)


@pytest.mark.requirement("taskdoc.clear-mind.whose")
def test_a_round_from_before_rounds_had_owners_is_everyones_until_there_is_a_newer_one(world: World) -> None:
    task = world.task("step")
    left_before = MindCleared(round=7, reminder_content="from before")
    world.engine.write(
        "clear_mind", world.workspace, Caller(ANN), lambda draft: draft.log(places.ROUND, left_before)
    )

    for actor in (ANN, BOB):
        assert left(world, actor) == left(world, actor, task=task) == "from before"
    clear(world, ANN, "ann now")
    assert left(world, ANN, task=task) == "ann now"
    assert left(world, BOB, task=task) == "from before"
    assert world.ok("tasks_history")["operations"][1]["targets"] == ["round"]
    sound(world)


@settings(max_examples=40, deadline=None)
@given(
    acts=st.lists(
        st.tuples(st.sampled_from([ANN, BOB]), st.sampled_from([None, "TASK-001", "TASK-002"])), max_size=6
    )
)
def test_after_any_rounds_each_agent_is_shown_the_newest_of_its_own_and_of_the_task(
    acts: list[tuple[str, str | None]],
) -> None:
    world = World(memory_store())
    world.task("step")
    world.task("step")
    for number, (actor, task) in enumerate(acts):
        clear(world, actor, str(number), **({} if task is None else {"task": task}))

    for me in (ANN, BOB):
        mine = [task for actor, task in acts if actor == me]
        for target in (None, "TASK-001", "TASK-002"):
            tasks = {target} if target else {"TASK-001", *mine[-1:]}  # the radar's target, and the last one named
            seen = [
                n for n, (actor, task) in enumerate(acts) if task in tasks - {None} or (actor, task) == (me, None)
            ]
            expected = str(seen[-1]) if seen else None
            assert left(world, me, **({} if target is None else {"task": target})) == expected
    sound(world)


def test_an_agent_finds_its_round_again_in_a_later_session(world: World) -> None:
    for session in ("mcp-00001111", "mcp-00002222"):
        world.caller = Caller(agent_name("coder", session), session=session)
        if session.endswith("1"):
            world.ok("clear_mind", reminder_content="Go on with the tests.")

    assert world.caller.actor == "agent:coder/2222"
    assert world.ok("tasks_resume")["re_entry"]["reminder_content"] == "Go on with the tests."
