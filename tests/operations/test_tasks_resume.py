"""Loading one plan, task or step in full; the log; where things are kept."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.givens import CONFIRMED, World


@pytest.mark.requirement("tasks.resume.loads")
def test_a_task_is_loaded_with_all_that_it_says_and_its_steps_in_order(world: World) -> None:
    plan = world.plan()
    steps = [{"title": "a", "steps": [{"title": "a0"}]}, {"title": "b", "required": ["docs"]}]
    given = {"title": "t", "description": "d", "context": "c", "tags": ["x"], "domain": "web"}
    task = world.ok("tasks_create", kind="task", plan=plan, steps=steps, **given)["id"]

    reply = world.ok("tasks_resume", task=task)

    assert set(reply) == {"target", "steps", "has_more", "now"}
    assert reply["now"] == reply["steps"][1]["step_id"] == world.ok("tasks_radar", task=task)["now"]["step_id"]
    assert {name: reply["target"][name] for name in given} == given
    assert (reply["target"]["plan"], reply["target"]["status"], reply["target"]["revision"]) == (plan, "TODO", 1)
    assert [(step["path"], step["title"], step["done"]) for step in reply["steps"]] == [
        ("s:0", "a", False),
        ("s:0.s:0", "a0", False),
        ("s:1", "b", False),
    ]
    assert reply["steps"][2]["unconfirmed"] == ["criteria", "tests", "docs"]
    assert reply["has_more"] is False


@pytest.mark.requirement("tasks.resume.loads")
@pytest.mark.parametrize("by", ["plan", "task"])
def test_a_plan_is_loaded_with_its_tasks_and_no_others(world: World, by: str) -> None:
    plan = world.plan(contract="Nothing is lost.", contract_data={"n": 1})
    mine = [world.task(plan=plan), world.task(plan=plan)]
    world.task()

    reply = world.ok("tasks_resume", **{by: plan})

    assert (reply["target"]["id"], reply["target"]["kind"]) == (plan, "plan")
    assert (reply["target"]["contract"], reply["target"]["contract_data"]) == ("Nothing is lost.", {"n": 1})
    assert [row["id"] for row in reply["tasks"]] == mine
    assert reply["steps"] == []


@pytest.mark.requirement("tasks.resume.loads")
def test_a_step_is_loaded_in_full_with_what_stands_below_it_only(world: World) -> None:
    steps = [
        {"title": "a", "criteria": ["c"], "tests": ["t"], "steps": [{"title": "a0"}, {"title": "a1"}]},
        {"title": "b", "steps": [{"title": "b0"}]},
    ]
    task = world.ok("tasks_create", kind="task", title="t", steps=steps)["id"]
    step_id = world.step(task, "s:0")["step_id"]

    reply = world.ok("tasks_resume", task=task, step_id=step_id)

    assert reply["target"]["id"] == task
    assert (reply["step"]["step_id"], reply["step"]["path"]) == (step_id, "s:0")
    assert (reply["step"]["criteria"], reply["step"]["tests"]) == (["c"], ["t"])
    assert [step["path"] for step in reply["steps"]] == ["s:0.s:0", "s:0.s:1"]


@pytest.mark.requirement("tasks.resume.loads")
def test_what_does_not_exist_is_not_loaded(world: World) -> None:
    task, plan = world.task("a"), world.plan()

    world.no("UNKNOWN_ID", "tasks_resume", task="TASK-077")
    world.no("UNKNOWN_ID", "tasks_resume", plan="PLAN-077")
    world.no("UNKNOWN_ID", "tasks_resume", task=task, path="s:7")
    world.no("UNKNOWN_ID", "tasks_resume", plan=plan, path="s:0")
    world.no("INVALID_INPUT", "tasks_resume", task=task, plan=plan)
    world.no("INVALID_INPUT", "tasks_resume", plan=task)


@pytest.mark.requirement("tasks.resume.loads")
def test_an_empty_workspace_has_nothing_to_load(world: World) -> None:
    reply = world.ok("tasks_resume")

    assert reply == {"target": None, "steps": [], "has_more": False}


@pytest.mark.requirement("tasks.resume.loads")
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_pages_of_a_task_hold_each_step_once_though_others_add_some(world: World, limit: int) -> None:
    task = world.task(*(f"step {number}" for number in range(11)))

    page = world.ok("tasks_resume", task=task, limit=limit)
    listed = [step["path"] for step in page["steps"]]
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "meanwhile"}])
    while page["has_more"]:
        world.ok("tasks_note", task=task, note="meanwhile")
        page = world.ok("tasks_resume", task=task, limit=limit, cursor=page["cursor"])
        listed += [step["path"] for step in page["steps"]]

    assert len(set(listed)) == len(listed)
    assert [path for path in listed if "." not in path] == [f"s:{number}" for number in range(11)]


@pytest.mark.requirement("tasks.resume.loads")
def test_the_pages_of_a_plan_hold_each_task_once(world: World) -> None:
    plan = world.plan()
    made = [world.task(plan=plan) for _ in range(12)]

    first = world.ok("tasks_resume", plan=plan, limit=10)
    second = world.ok("tasks_resume", plan=plan, limit=10, cursor=first["cursor"])

    assert [row["id"] for row in first["tasks"] + second["tasks"]] == made
    assert (first["has_more"], second["has_more"]) == (True, False)


@pytest.mark.requirement("tasks.resume.timeline")
def test_the_timeline_has_so_many_of_the_latest_events_newest_first_and_only_of_the_target(
    world: World,
) -> None:
    task, other = world.task("a"), world.task("b")
    world.ok("tasks_note", task=task, note="one")
    world.ok("tasks_note", task=other, note="elsewhere")
    closed = world.logged(world.close(task, "s:0"))

    without = world.ok("tasks_resume", task=task)
    three = world.ok("tasks_resume", task=task, events_limit=3)["events"]
    plenty = world.ok("tasks_resume", task=task, events_limit=200)["events"]

    assert "events" not in without
    assert three[:2] == closed[::-1]
    assert three[2]["note"] == "one"
    assert len(plenty) == 5
    assert all(event["task"] == task for event in plenty)
    assert [event["seq"] for event in plenty] == sorted((event["seq"] for event in plenty), reverse=True)


@pytest.mark.requirement("tasks.resume.timeline")
@pytest.mark.parametrize("wrong", [-1, 201, "3", True])
def test_a_timeline_of_no_sensible_length_is_refused(world: World, wrong: Any) -> None:
    task = world.task()

    world.no("INVALID_INPUT", "tasks_resume", task=task, events_limit=wrong)


@pytest.mark.requirement("tasks.delta.events")
def test_the_log_has_every_event_with_who_when_and_where(world: World) -> None:
    plan = world.plan()
    task = world.task("a", plan=plan)
    step_id = world.step(task, "s:0")["step_id"]
    world.close(task, "s:0")
    world.ok("tasks_focus_set", task=task)

    reply = world.ok("tasks_delta")

    assert set(reply) == {"events", "next", "has_more"}
    assert (reply["next"], reply["has_more"]) == (6, False)
    events = reply["events"]
    assert [event["seq"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert [event["type"] for event in events] == [
        "plan_created",
        "task_created",
        "steps_added",
        "step_verified",
        "step_done",
        "focus_set",
    ]
    assert all(event["actor"] == "tester" and event["at"].endswith("Z") for event in events)
    assert [event.get("task") for event in events[1:5]] == [task] * 4
    assert [(event["step_id"], event["path"]) for event in events[3:5]] == [(step_id, "s:0")] * 2
    assert (events[0]["plan"], events[5]["focus"]) == (plan, task)
    assert not {"step_id", "path"} & (events[0].keys() | events[1].keys() | events[5].keys())


@pytest.mark.requirement("tasks.delta.events")
def test_the_log_can_be_narrowed_to_one_target_and_to_some_types(world: World) -> None:
    task, other = world.task("a"), world.task("b")
    world.ok("tasks_note", task=task, note="mine")
    world.ok("tasks_note", task=other, note="theirs")
    world.close(task, "s:0")

    mine = world.ok("tasks_delta", task=task)["events"]
    notes = world.ok("tasks_delta", types=["step_noted", "step_done"])["events"]
    both = world.ok("tasks_delta", task=task, types=["step_noted"], since=1)["events"]

    assert {event["task"] for event in mine} == {task}
    assert len(mine) == 5
    assert [event["type"] for event in notes] == ["step_noted", "step_noted", "step_done"]
    assert [event["note"] for event in both] == ["mine"]
    world.no("UNKNOWN_ID", "tasks_delta", task="TASK-077")


@pytest.mark.requirement("tasks.delta.events")
def test_what_a_write_answers_is_what_the_log_keeps(world: World) -> None:
    task = world.task("a", "b")
    seen = world.ok("tasks_delta")["next"]

    replies = [
        world.ok("tasks_define", task=task, path="s:0", criteria=["c"]),
        world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED),
        world.ok("tasks_block", task=task, path="s:1", reason="r"),
        world.ok("tasks_progress", task=task, path="s:0", completed=True),
        world.ok("tasks_progress", task=task, path="s:0", completed=False, reason="no"),
        world.ok("tasks_edit", task=task, title="new"),
        world.ok("tasks_focus_set", task=task),
        world.ok("tasks_focus_clear"),
    ]

    answered = [event for reply in replies for event in world.logged(reply)]
    assert world.ok("tasks_delta", since=seen)["events"] == answered


@pytest.mark.requirement("tasks.storage.paths")
def test_the_storage_says_where_it_is_and_which_namespaces_it_has(one_world: World) -> None:
    one_world.task("a", "b")
    one_world.ok("tasks_create", workspace="acme/other", kind="plan", title="p")

    reply = one_world.ok("tasks_storage")

    assert reply["store"]["kind"] == "sqlite"
    assert reply["store"]["path"].endswith("gatepost.db")
    assert reply["namespaces"] == ["acme/other", "acme/repo"]
    assert reply["holds"] == {"seq": 2, "plans": 0, "tasks": 1, "steps": 2}


@pytest.mark.requirement("tasks.storage.paths")
def test_every_store_answers_for_a_workspace_that_nobody_wrote_to(world: World) -> None:
    reply = world.ok("tasks_storage", workspace="acme/none")

    assert reply["namespaces"] == []
    assert set(reply["holds"].values()) == {0}


@pytest.mark.requirement("tasks.resume.loads")
def test_notes_come_back_with_their_authors_newest_first(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_note", task=task, note="On the whole.")
    world.ok("tasks_note", task=task, path="s:0", note="On a.")
    world.caller = replace(world.caller, actor="agent:other/1234")
    world.ok("tasks_note", task=task, path="s:1", note="On b.")

    whole, step = world.ok("tasks_resume", task=task), world.ok("tasks_resume", task=task, path="s:0")

    assert [(note["note"], note["actor"], note.get("path")) for note in whole["notes"]] == [
        ("On b.", "agent:other/1234", "s:1"),
        ("On a.", "tester", "s:0"),
        ("On the whole.", "tester", None),
    ]
    assert [note["note"] for note in step["notes"]] == ["On a."]
    assert all(note["at"] for note in (*whole["notes"], *step["notes"]))


@pytest.mark.requirement("tasks.resume.loads")
def test_a_step_comes_back_with_the_answer_and_the_notes_of_its_confirmations(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="Which key?")
    world.ok("tasks_block", task=task, path="s:0", blocked=False, answer="The blue one.")
    proven = {
        "criteria": {"confirmed": True, "note": "Read twice."},
        "tests": {"confirmed": True, "note": "9 pass"},
    }
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=proven)

    step = world.step(task, "s:0")

    assert (step["answer"]["question"], step["answer"]["answer"]) == ("Which key?", "The blue one.")
    assert (step["answer"]["actor"], bool(step["answer"]["at"])) == ("tester", True)
    assert [(mark["note"], mark["actor"]) for mark in step["confirmed"]] == [
        ("Read twice.", "tester"),
        ("9 pass", "tester"),
    ]


@pytest.mark.requirement("tasks.resume.loads")
@pytest.mark.parametrize("max_chars", [512, 700, 2_000, None])
@pytest.mark.parametrize("step", [{}, {"path": "s:0"}])
def test_long_notes_and_answers_stay_within_the_cap(
    world: World, step: dict[str, str], max_chars: int | None
) -> None:
    task = world.task("a", *("x" * 300 for _ in range(20)))
    world.ok("tasks_block", task=task, path="s:0", reason="q" * 9_000)
    world.ok("tasks_block", task=task, path="s:0", blocked=False, answer="😀" * 4_000)
    for _ in range(12):
        world.ok("tasks_note", task=task, path="s:0", note='"' * 4_000)
    cap = {} if max_chars is None else {"max_chars": max_chars}

    answered = world.ask("tasks_resume", task=task, **step, **cap)

    assert len(answered.text) <= (max_chars or 16_000)
