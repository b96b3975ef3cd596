"""Replies that carry the way on: what was done, the step to go on with, its notes and answers, what is left."""

from typing import Any

import pytest

from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World, supplied


def test_a_write_to_a_step_names_it_and_says_where_to_go_on(world: World) -> None:
    steps = [{"title": "Dig"}, {"title": "Fill", "criteria": ["It is even"], "tests": ["Walk on it"]}]
    task = world.ok("tasks_create", kind="task", title="A path", steps=steps)["id"]
    world.ok("tasks_note", task=task, path="s:1", note="Use the fine gravel.")

    closed = world.close(task, "s:0")

    second = world.step(task, "s:1")["step_id"]
    assert closed["step"]["title"] == "Dig"
    assert closed["left"] == {"open": 1}
    (note,) = closed["now"].pop("notes")
    assert (note["note"], note["actor"]) == ("Use the fine gravel.", "tester")
    assert closed["now"] == {
        "step_id": second,
        "path": "s:1",
        "title": "Fill",
        "revision": 1,
        "criteria": ["It is even"],
        "tests": ["Walk on it"],
    }
    assert "next" not in closed


def test_of_a_step_that_is_not_new_to_the_caller_only_name_and_revision_come_back(world: World) -> None:
    steps = [{"title": "a", "criteria": ["c"]}, {"title": "b"}]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]

    noted = world.ok("tasks_note", task=task, path="s:0", note="n")
    beside = world.ok("tasks_note", task=task, path="s:1", note="n")

    assert noted["now"] == beside["now"]
    assert set(noted["now"]) == {"step_id", "path", "title", "revision"}


def test_where_nothing_is_ready_next_says_what_to_do_or_what_is_waited_for(world: World) -> None:
    task = world.task("a", "b")

    blocked = world.ok("tasks_block", task=task, path="s:1", reason="no key")
    waiting = world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1", blocked=False, answer="It is under the mat.")
    ended = world.close(task, "s:1")

    assert blocked["left"] == {"open": 2, "blocked": 1}
    assert "now" not in waiting
    assert (waiting["next"]["tool"], "no key" in waiting["next"]["because"]) == ("tasks_resume", True)
    assert ended["left"] == {"open": 0}
    assert [ended["next"][name] for name in ("tool", "supply", "target")] == ["tasks_complete", ["task"], task]
    world.ok(ended["next"]["tool"], **supplied(ended["next"]))


def test_an_answer_reaches_the_one_who_asked(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="Which port?")
    world.caller = Caller("human:ann")

    unblocked = world.ok("tasks_block", task=task, path="s:0", blocked=False, answer="4870")

    answer = world.ok("tasks_radar", task=task)["now"]["answer"]
    assert (answer["answer"], answer["question"], answer["actor"]) == ("4870", "Which port?", "human:ann")
    assert world.step(task, "s:0")["answer"] == answer
    assert world.logged(unblocked)[0]["answer"] == "4870"
    world.ok("tasks_undo", task=task)
    assert "answer" not in world.step(task, "s:0")


def test_a_reason_for_lifting_a_block_is_an_answer_too_and_a_new_block_starts_afresh(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="Which port?")
    world.ok("tasks_block", task=task, path="s:0", blocked=False, reason="any will do")
    said = world.ok("tasks_radar", task=task)["now"]["answer"]["answer"]
    world.ok("tasks_block", task=task, path="s:0", reason="Which host?")

    assert said == "any will do"
    assert "answer" not in world.step(task, "s:0")
    world.no("INVALID_INPUT", "tasks_block", task=task, path="s:0", blocked=True, answer="none")


def test_the_newest_three_notes_of_the_step_and_its_task_come_back_with_their_writers(world: World) -> None:
    task = world.task("a", "b")
    for number in range(3):
        world.ok("tasks_note", task=task, path="s:0", note=f"step {number}")
    world.ok("tasks_note", task=task, path="s:1", note="about another step")
    for _ in range(60):
        world.ok("tasks_edit", task=task, title=f"Title {_}")
    world.caller = Caller("agent:two")
    world.ok("tasks_note", task=task, note="about all")

    notes = world.ok("tasks_radar", task=task)["now"]["notes"]

    assert [(note["note"], note["actor"]) for note in notes] == [
        ("about all", "agent:two"),
        ("step 2", "tester"),
        ("step 1", "tester"),
    ]


def test_a_note_comes_back_however_much_was_written_since(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_note", task=task, path="s:1", note="Beware of the cents.")
    world.ok("tasks_note", task=task, note="Ann knows the provider.")
    later = [{"task": task, "path": "s:1", "title": f"Title {number}"} for number in range(350)]
    for start in range(0, 350, 50):
        calls = [{"tool": "tasks_define", "arguments": it} for it in later[start : start + 50]]
        world.ok("tasks_batch", operations=calls)

    closed = world.close(task, "s:0")

    both = ["Ann knows the provider.", "Beware of the cents."]
    for tool in ("tasks_radar", "tasks_context_pack"):
        assert noted(world.ok(tool, task=task)["now"]) == both
    assert noted(closed["now"]) == noted(world.ok("tasks_handoff", task=task)) == both
    assert noted(world.ok("tasks_resume", task=task)) == both
    assert noted(world.ok("tasks_resume", task=task, path="s:1")) == both[1:]


def noted(reply: dict[str, Any]) -> list[str]:
    return [note["note"] for note in reply["notes"]]


def test_a_batch_says_where_to_go_on_once(world: World) -> None:
    task = world.task("a", "b", "c")
    calls = [
        {"tool": "tasks_close_step", "arguments": {"task": task, "path": path, "checkpoints": CONFIRMED}}
        for path in ("s:0", "s:1")
    ]

    reply = world.ok("tasks_batch", operations=calls)

    assert (reply["now"]["task"], reply["now"]["path"], reply["left"]) == (task, "s:2", {"open": 1})
    assert all("now" not in result and "left" not in result for result in reply["results"])


@pytest.mark.parametrize("tool", ["tasks_radar", "tasks_handoff", "tasks_context_pack"])
def test_a_budget_is_named_only_if_it_was_asked_for_or_something_was_cut(world: World, tool: str) -> None:
    task = world.task("a")

    assert "budget" not in world.ok(tool, task=task)
    assert world.ok(tool, task=task, max_chars=4_000)["budget"]["truncated"] is False


def test_a_short_event_says_what_its_caller_cannot_know(world: World) -> None:
    task = world.task(steps=[{"title": "a", "steps": [{"title": "a0"}]}])
    world.close(task, "s:0.s:0")
    closed = world.close(task, "s:0")
    world.ok("tasks_complete", task=task)

    reopened: dict[str, Any] = world.ok("tasks_progress", task=task, path="s:0.s:0", completed=False)

    assert [set(event) for event in closed["events"]] == [{"seq", "type"}] * 2
    own, above, whole = reopened["events"]
    assert (own["type"], own["withdrawn"], "path" in own) == ("step_reopened", ["criteria", "tests"], False)
    assert (above["path"], above["because"]) == ("s:0", reopened["step"]["step_id"])
    assert (whole["type"], whole["because"]) == ("task_reopened", reopened["step"]["step_id"])
