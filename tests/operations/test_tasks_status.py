"""Statuses, and how work begins; blocks and notes."""

from typing import Any

import pytest

from tests.givens import CONFIRMED, World

FIRST_WORK: dict[str, dict[str, Any]] = {
    "tasks_verify": {"checkpoints": {"criteria": {"confirmed": True}}},
    "tasks_close_step": {"checkpoints": CONFIRMED},
    "tasks_progress": {"completed": True, "force": True, "reason": "in a hurry"},
    "tasks_block": {"reason": "no network"},
    "tasks_note": {"note": "begun"},
}


def status(world: World, target: str) -> str:
    found: str = world.ok("tasks_resume", task=target)["target"]["status"]
    return found


@pytest.mark.requirement("tasks.status.first-work")
@pytest.mark.parametrize("tool", FIRST_WORK)
def test_the_first_work_makes_a_task_active_in_the_same_call(world: World, tool: str) -> None:
    task = world.task("a")
    assert status(world, task) == "TODO"

    reply = world.ok(tool, task=task, path="s:0", **FIRST_WORK[tool])

    assert status(world, task) == "ACTIVE"
    assert reply["revision"] == 2
    assert reply["events"][0]["task_status"] == "ACTIVE"
    assert [row["id"] for row in world.ok("tasks_context", status="ACTIVE")["items"]] == [task]
    assert world.ok("tasks_context", status="TODO")["items"] == []


@pytest.mark.requirement("tasks.status.first-work")
def test_a_note_on_the_task_itself_is_first_work_too(world: World) -> None:
    task = world.task()

    world.ok("tasks_note", task=task, note="begun")

    assert status(world, task) == "ACTIVE"


@pytest.mark.requirement("tasks.status.first-work")
def test_only_the_first_work_says_that_the_task_became_active(world: World) -> None:
    task = world.task("a", "b")
    world.ok("tasks_note", task=task, note="begun")

    reply = world.close(task, "s:0")

    assert all("task_status" not in event for event in reply["events"])


@pytest.mark.requirement("tasks.status.first-work")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_define", {"path": "s:0", "title": "new"}),
        ("tasks_decompose", {"path": "s:0", "steps": [{"title": "x"}]}),
        ("tasks_edit", {"title": "new"}),
        ("tasks_block", {"path": "s:0", "blocked": False}),
        ("tasks_verify", {"path": "s:0", "checkpoints": {"tests": {"confirmed": False}}}),
    ],
)
def test_planning_and_calls_that_change_nothing_are_no_work(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    task = world.task("a")

    world.ok(tool, task=task, **arguments)

    assert status(world, task) == "TODO"


@pytest.mark.requirement("tasks.status.first-work")
def test_refused_work_does_not_begin_a_task(world: World) -> None:
    task = world.task("a")

    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")

    assert status(world, task) == "TODO"


@pytest.mark.requirement("tasks.status.three-only")
@pytest.mark.parametrize("wrong", ["OPEN", "todo", "Done", "IN_PROGRESS", "BLOCKED", "", 1, True])
def test_a_status_that_is_none_of_the_three_is_refused(world: World, wrong: Any) -> None:
    task = world.task("a")

    listing = world.no("INVALID_INPUT", "tasks_context", status=wrong)
    setting = world.no("INVALID_INPUT", "tasks_complete", task=task, status=wrong)

    for error in (listing, setting):
        assert all(name in error["message"] for name in ("status", "TODO", "ACTIVE", "DONE"))


@pytest.mark.requirement("tasks.status.three-only")
def test_each_of_the_three_is_taken_and_found(world: World) -> None:
    todo, active, done = world.task("a"), world.task("a"), world.task()
    world.ok("tasks_note", task=active, note="begun")
    world.ok("tasks_complete", task=done)

    listed = {
        name: [row["id"] for row in world.ok("tasks_context", status=name)["items"]]
        for name in ("TODO", "ACTIVE", "DONE")
    }

    assert listed == {"TODO": [todo], "ACTIVE": [active], "DONE": [done]}


@pytest.mark.requirement("tasks.block.blocks")
@pytest.mark.parametrize("reason", ["no network", None])
def test_a_step_is_blocked_with_a_reason_or_without(world: World, reason: str | None) -> None:
    task = world.task("a", "b")
    given = {} if reason is None else {"reason": reason}

    reply = world.ok("tasks_block", task=task, path="s:0", **given)

    (event,) = world.logged(reply)
    assert (event["type"], event["path"], event.get("reason")) == ("step_blocked", "s:0", reason)
    assert world.step(task, "s:0")["blocked"] == (reason or True)
    assert "blocked" not in world.step(task, "s:1")
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["blocked"] == 1


@pytest.mark.requirement("tasks.block.blocks")
def test_a_new_reason_replaces_the_old_one(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="no network")

    reply = world.ok("tasks_block", task=task, path="s:0", blocked=True, reason="no power")

    assert world.logged(reply)[0]["reason"] == "no power"
    assert world.step(task, "s:0")["blocked"] == "no power"


@pytest.mark.requirement("tasks.block.unblocks")
def test_an_unblocked_step_goes_on_and_has_no_reason_left(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="no network")

    reply = world.ok("tasks_block", task=task, path="s:0", blocked=False)

    assert [event["type"] for event in reply["events"]] == ["step_unblocked"]
    assert "blocked" not in world.step(task, "s:0")
    assert world.ok("tasks_resume", task=task)["target"]["counts"]["blocked"] == 0
    world.close(task, "s:0")


@pytest.mark.requirement("tasks.block.lift-reason")
def test_lifting_a_block_may_say_why_and_the_event_keeps_it(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_block", task=task, path="s:0", reason="waiting for ops")

    reply = world.ok("tasks_block", task=task, path="s:0", blocked=False, reason="ops\nanswered")

    assert [(event["type"], event["reason"]) for event in world.logged(reply)] == [
        ("step_unblocked", "ops\nanswered")
    ]
    assert "blocked" not in world.step(task, "s:0")


@pytest.mark.requirement("tasks.note.kept", "tasks.note.raises-revision")
def test_a_note_is_kept_with_the_step_task_or_plan_it_names(world: World) -> None:
    task, plan = world.task("a"), world.plan()
    step_id = world.step(task, "s:0")["step_id"]

    on_step = world.ok("tasks_note", task=task, path="s:0", note="half\nway")
    on_task = world.ok("tasks_note", task=task, note="all well")
    on_plan = world.ok("tasks_note", task=plan, note="agreed")

    assert [reply["revision"] for reply in (on_step, on_task, on_plan)] == [2, 3, 2]
    assert on_step["step"] == {"step_id": step_id, "path": "s:0", "title": "a"}
    assert "step" not in on_task
    timeline = world.ok("tasks_resume", task=task, events_limit=2)["events"]
    assert timeline == [*world.logged(on_task), *world.logged(on_step)]
    assert [(event["type"], event["note"], event.get("step_id")) for event in timeline] == [
        ("step_noted", "all well", None),
        ("step_noted", "half\nway", step_id),
    ]
    (noted,) = world.ok("tasks_resume", plan=plan, events_limit=1)["events"]
    assert (noted["note"], noted["plan"]) == ("agreed", plan)


@pytest.mark.requirement("tasks.note.kept")
def test_the_same_note_twice_is_two_notes(world: World) -> None:
    task = world.task("a")
    world.ok("tasks_note", task=task, note="still at it")

    again = world.ok("tasks_note", task=task, note="still at it")

    assert "changed" not in again
    assert again["revision"] == 3


@pytest.mark.requirement("tasks.note.kept")
@pytest.mark.parametrize("note", ["", "   ", "\n", None, 7, "x" * 16_001])
def test_a_note_that_says_nothing_or_too_much_is_refused(world: World, note: Any) -> None:
    task = world.task("a")

    error = world.no("INVALID_INPUT", "tasks_note", task=task, path="s:0", note=note)

    assert "note" in error["message"]


@pytest.mark.requirement("tasks.note.kept")
def test_a_note_on_what_does_not_exist_is_refused(world: World) -> None:
    task = world.task("a")

    world.no("UNKNOWN_ID", "tasks_note", task="TASK-099", note="lost")
    world.no("UNKNOWN_ID", "tasks_note", task=task, path="s:4", note="lost")
    world.no("REVISION_MISMATCH", "tasks_note", task=task, note="late", expected_revision=5)
