"""tasks_away: what happened since a moment, as a digest."""

from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.operations import away
from tests.givens import CONFIRMED, PROVEN, World


def head(world: World) -> int:
    seq: int = world.ok("tasks_storage")["holds"]["seq"]
    return seq


def by(world: World, actor: str, tool: str, /, **given: Any) -> dict[str, Any]:
    mine, world.caller = world.caller, Caller(actor)
    try:
        return world.ok(tool, **given)
    finally:
        world.caller = mine


@pytest.mark.requirement("history.away.digest")
def test_finished_steps_come_with_who_closed_them_and_on_which_proof(world: World) -> None:
    task = world.task("a", "b", "c", "d")
    world.close(task, "s:0")
    since = head(world)
    by(world, "agent:a", "tasks_close_step", task=task, path="s:1", checkpoints=CONFIRMED)
    by(world, "human:ann", "tasks_close_step", task=task, path="s:2", checkpoints=PROVEN)
    by(world, "agent:a", "tasks_progress", task=task, path="s:3", completed=True, force=True, reason="Late.")

    finished = world.ok("tasks_away", since=since)["finished"]

    assert finished["count"] == 3
    assert finished["proven"] == {"asserted": 1, "human": 1, "unproven": 1}
    assert [(step["path"], step["title"], step["actor"]) for step in finished["items"]] == [
        ("s:3", "d", "agent:a"),
        ("s:2", "c", "human:ann"),
        ("s:1", "b", "agent:a"),
    ]
    assert finished["items"][0]["unconfirmed"] == ["criteria", "tests"]
    assert finished["items"][1]["provenance"] == {"criteria": "human", "tests": "human"}


@pytest.mark.requirement("history.away.digest")
def test_what_was_taken_back_reopened_or_deleted_was_not_finished(world: World) -> None:
    task = world.task("a", "b", "c", "d")
    since = head(world)
    for path in ("s:0", "s:1", "s:2"):
        world.close(task, path)
    world.ok("tasks_progress", task=task, path="s:0", completed=False)
    world.ok("tasks_delete", task=task, path="s:1")
    world.close(task, "s:3")
    world.ok("tasks_undo", task=task)

    told = world.ok("tasks_away", since=since)

    assert [step["path"] for step in told["finished"]["items"]] == ["s:2"]
    assert told["workers"][0]["closed"] == 1


@pytest.mark.requirement("history.away.digest")
def test_plans_and_tasks_that_were_completed_are_named_the_plans_first(world: World) -> None:
    plan = world.plan(title="The plan")
    task = world.task("a", plan=plan, title="The task")
    since = head(world)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("tasks_complete", task=plan)
    again = world.task(title="Reopened")
    world.ok("tasks_complete", task=again)
    world.ok("tasks_complete", task=again, status="ACTIVE")

    told = world.ok("tasks_away", since=since)

    assert (told["completed"]["plans"], told["completed"]["tasks"]) == (1, 1)
    assert [(root["id"], root["title"]) for root in told["completed"]["items"]] == [
        (plan, "The plan"),
        (task, "The task"),
    ]
    assert told["created"] == {"tasks": 1}


@pytest.mark.requirement("history.away.digest")
def test_questions_come_with_their_answers_and_those_that_wait_are_counted(world: World) -> None:
    task = world.task("a", "b", "c", "d")
    by(world, "agent:a", "tasks_block", task=task, path="s:0", ask="Which port?")
    since = head(world)
    by(world, "human:ann", "tasks_block", task=task, path="s:0", blocked=False, answer="443")
    by(world, "agent:a", "tasks_block", task=task, path="s:1", ask="Which host?")
    by(world, "human:ann", "tasks_block", task=task, path="s:1", blocked=False, answer="Ours.")
    by(world, "agent:b", "tasks_block", task=task, path="s:2", reason="No key.")
    by(world, "agent:b", "tasks_block", task=task, path="s:3", ask="Taken back.")
    by(world, "agent:b", "tasks_undo")

    told = world.ok("tasks_away", since=since)

    asked = [
        (one["path"], one["ask"], one.get("actor"), one.get("answer"), one.get("answered_by"))
        for one in told["questions"]["items"]
    ]
    assert asked == [
        ("s:2", "No key.", "agent:b", None, None),
        ("s:1", "Which host?", "agent:a", "Ours.", "human:ann"),
        ("s:0", "Which port?", None, "443", "human:ann"),
    ]
    assert (told["questions"]["count"], told["questions"]["waiting"]) == (3, 1)
    assert [(step["path"], step["waits_for"]) for step in told["blocked"]["items"]] == [("s:2", "No key.")]


@pytest.mark.requirement("history.away.digest")
def test_who_worked_is_listed_the_busiest_first(world: World) -> None:
    task = world.task("a")
    since = head(world)
    by(world, "agent:b", "tasks_note", task=task, note="One.")
    for number in range(3):
        by(world, "agent:a", "tasks_note", task=task, note=f"Note {number}.")

    workers = world.ok("tasks_away", since=since)["workers"]

    assert [(one["actor"], one["operations"]) for one in workers] == [("agent:a", 3), ("agent:b", 1)]


def test_since_a_time_and_since_now_nothing_is_told(world: World) -> None:
    world.task("a")
    at = world.ok("tasks_delta")["events"][-1]["at"]

    by_seq, by_time = world.ok("tasks_away", since=head(world)), world.ok("tasks_away", since=at)

    assert by_seq == by_time
    assert by_seq["finished"] == {"count": 0, "proven": {}, "items": []}
    assert by_seq["workers"] == []
    assert by_seq["from"] == by_seq["to"]


def test_a_moment_to_come_is_refused(world: World) -> None:
    world.task("a")

    assert "newest seq" in world.no("INVALID_INPUT", "tasks_away", since=99)["message"]


def test_of_a_very_long_absence_only_the_newest_part_is_read_and_the_reply_says_since_when(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(away, "_MOST_READ", 10)
    task = world.task("a")
    for number in range(20):
        world.ok("tasks_note", task=task, note=f"Note {number}.")

    told = world.ok("tasks_away", since=0)

    assert told["partial"] is True
    assert told["from"]["seq"] == head(world) - 9
    assert told["workers"][0]["operations"] == 9


@pytest.mark.parametrize("max_chars", [512, 900, 2_000])
def test_a_digest_fits_any_budget_and_keeps_its_counts(world: World, max_chars: int) -> None:
    task = world.task(*(f"Step {number} {'x' * 200}" for number in range(60)))
    for number in range(40):
        world.close(task, f"s:{number}")
    for number in range(40, 60):
        world.ok("tasks_block", task=task, path=f"s:{number}", ask="y" * 400)

    text = world.ask("tasks_away", since=0, max_chars=max_chars).text
    told = world.ok("tasks_away", since=0, max_chars=max_chars)

    assert len(text) <= max_chars
    assert (told["finished"]["count"], told["questions"]["waiting"], told["blocked"]["count"]) == (40, 20, 20)
