"""tasks_undo: the newest operation first, only if all it touched is as it left it, and never by forgetting."""

import json
from typing import Any

import pytest

from tests.engine import books
from tests.givens import CONFIRMED, World


def documents(world: World) -> dict[str, str]:
    return dict(world.everything()["documents"])


def target(world: World, name: str) -> dict[str, Any]:
    found: dict[str, Any] = world.ok("tasks_resume", task=name)["target"]
    return found


def batch(world: World, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return world.ok("tasks_batch", operations=[{"tool": tool, "arguments": given} for tool, given in calls])


@pytest.mark.requirement("tasks.undo.of-task", "tasks.undo.deterministic")
def test_undo_takes_back_one_operation_after_the_other_newest_first(world: World) -> None:
    seen = [documents(world)]
    task = world.task("first", "second")
    seen.append(documents(world))
    for tool, given in (
        ("tasks_close_step", {"path": "s:0", "checkpoints": CONFIRMED}),
        ("tasks_progress", {"path": "s:0", "completed": False}),
        ("tasks_block", {"path": "s:1", "reason": "Rain."}),
        ("tasks_define", {"path": "s:1", "criteria": ["It is dry."]}),
        ("tasks_decompose", {"path": "s:1", "steps": [{"title": "below"}]}),
        ("tasks_delete", {"path": "s:0"}),
    ):
        world.ok(tool, task=task, **given)
        seen.append(documents(world))

    for state in reversed(seen[:-1]):
        world.ok("tasks_undo")
        assert documents(world) == state
        books.check_counts(world.everything())
        books.check_index(world.everything())
    error = world.no("NOTHING_TO_UNDO", "tasks_undo")
    assert world.workspace in error["message"]


@pytest.mark.requirement("tasks.undo.of-task")
def test_undo_of_a_task_takes_its_newest_operation_and_leaves_newer_ones_of_others(world: World) -> None:
    mine, other = world.task(), world.task()
    world.ok("tasks_edit", task=mine, title="Mine")
    world.ok("tasks_edit", task=other, title="Other")

    reply = world.ok("tasks_undo", task=mine)

    assert reply["tool"] == "tasks_edit"
    assert list(reply["revisions"]) == [mine]
    assert (target(world, mine)["title"], target(world, other)["title"]) == ("A task", "Other")


@pytest.mark.requirement("tasks.undo.appends")
def test_an_undo_appends_and_rewinds_neither_log_nor_revision_nor_ordinals(world: World) -> None:
    task = world.task("first")
    made = world.ok("tasks_decompose", task=task, steps=[{"title": "second"}])
    before = world.everything()

    reply = world.ok("tasks_undo")

    after = world.everything()
    assert [event["type"] for event in reply["events"]] == ["operation_undone"]
    assert world.logged(reply)[0]["operation"] == reply["operation"] == made["events"][0]["seq"]
    assert after["events"][:-1] == before["events"]
    assert after["head"].seq == before["head"].seq + 1
    assert (reply["revision"], reply.get("changed", True)) == (3, True)
    assert world.revision(task) == 3
    again = world.ok("tasks_decompose", task=task, steps=[{"title": "another"}])["steps"][0]
    assert again["path"] == "s:2"
    assert again["step_id"] != made["steps"][0]["step_id"]


@pytest.mark.requirement("tasks.undo.of-task")
def test_undo_checks_its_target_and_its_revision(world: World) -> None:
    task = world.task()

    world.no("UNKNOWN_ID", "tasks_undo", task="TASK-404", expected_revision=9)
    world.no("REVISION_MISMATCH", "tasks_undo", task=task, expected_revision=2)
    error = world.no("INVALID_INPUT", "tasks_undo", expected_revision=1)

    assert error["problems"][0]["field"] == "expected_revision"
    assert world.ok("tasks_undo", task=task, expected_revision=1)["revision"] == 2


@pytest.mark.requirement("tasks.undo.of-task")
def test_where_nothing_is_left_to_undo_the_way_to_look_still_works(world: World) -> None:
    world.no("NOTHING_TO_UNDO", "tasks_undo")
    task = world.task()
    world.ok("tasks_undo", task=task)

    error = world.no("NOTHING_TO_UNDO", "tasks_undo", task=task)

    assert task in error["message"]


SINCE: list[tuple[str, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]] = [
    (
        "title",
        ("tasks_edit", {"title": "Both"}),
        ("tasks_edit", {"title": "Since"}),
    ),
    (
        "confirmation",
        ("tasks_verify", {"path": "s:0", "checkpoints": CONFIRMED}),
        ("tasks_done", {"path": "s:0"}),
    ),
    (
        "criteria",
        ("tasks_define", {"path": "s:0", "criteria": ["It holds."]}),
        ("tasks_close_step", {"path": "s:0", "checkpoints": CONFIRMED}),
    ),
    (
        "unblocked",
        ("tasks_block", {"path": "s:1", "blocked": False}),
        ("tasks_close_step", {"path": "s:1", "checkpoints": CONFIRMED}),
    ),
    (
        "reason",
        ("tasks_block", {"path": "s:0"}),
        ("tasks_block", {"path": "s:0", "reason": "Rain."}),
    ),
    (
        "deleted",
        ("tasks_define", {"path": "s:0", "title": "Both"}),
        ("tasks_delete", {"path": "s:0"}),
    ),
    (
        "below",
        ("tasks_decompose", {"path": "s:0", "steps": [{"title": "Both"}]}),
        ("tasks_decompose", {"path": "s:0.s:0", "steps": [{"title": "Since"}]}),
    ),
]


@pytest.mark.requirement("tasks.undo.conflict")
@pytest.mark.parametrize(("first", "since"), [row[1:] for row in SINCE], ids=[row[0] for row in SINCE])
def test_an_undo_is_refused_and_names_what_moved_on(
    first: tuple[str, dict[str, Any]], since: tuple[str, dict[str, Any]], world: World
) -> None:
    mine, other = world.task("first", "second"), world.task()
    world.ok("tasks_block", task=mine, path="s:1", reason="Snow.")
    batch(world, (first[0], {"task": mine, **first[1]}), ("tasks_edit", {"task": other, "title": "Both"}))
    world.ok(since[0], task=mine, **since[1])

    error = world.no("UNDO_CONFLICT", "tasks_undo", task=other)

    assert all(moved["where"].startswith(mine) and moved["says"] for moved in error["moved"])
    assert error["moved"][0]["where"] in error["message"]
    assert error["operation"] == world.ok("tasks_history", task=other)["operations"][0]["operation"]
    world.ok("tasks_undo", task=mine)
    world.ok("tasks_undo", task=other)
    assert target(world, other)["title"] == "A task"


@pytest.mark.requirement("tasks.undo.conflict")
def test_what_moved_on_is_found_however_long_ago_it_was(one_world: World) -> None:
    mine, other = one_world.task(), one_world.task("first")
    one_world.ok("tasks_define", task=other, path="s:0", title="Older")
    batch(one_world, *(("tasks_edit", {"task": name, "title": "Both"}) for name in (mine, other)))
    one_world.ok("tasks_edit", task=mine, title="Moved on")
    for number in range(101):
        one_world.ok("tasks_note", task=mine, note=f"Note {number}.")

    error = one_world.no("UNDO_CONFLICT", "tasks_undo", task=other)

    assert [moved["where"] for moved in error["moved"]] == [mine]


@pytest.mark.requirement("tasks.undo.passes-records", "tasks.undo.not-moved-on")
def test_notes_and_evidence_stay_and_the_undo_says_so(world: World) -> None:
    task = world.task("first")
    world.close(task, "s:0")
    world.ok("tasks_note", task=task, path="s:0", note="Kept.")
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[{"kind": "note", "content": "Kept."}])
    before = world.everything()

    reply = world.ok("tasks_undo")

    assert reply["tool"] == "tasks_close_step"
    assert len(reply["warnings"]) == 2
    assert "tasks_evidence_capture" in reply["warnings"][0]
    assert "tasks_note" in reply["warnings"][1]
    assert world.everything()["events"][: len(before["events"])] == before["events"]
    assert world.step(task, "s:0")["done"] is False
    assert "warnings" not in world.ok("tasks_redo")


@pytest.mark.requirement("tasks.undo.passes-records")
def test_a_reply_stays_small_however_many_records_were_passed_over(one_world: World) -> None:
    task = one_world.task()
    one_world.ok("tasks_edit", task=task, title="Better")
    for number in range(300):
        one_world.ok("tasks_note", task=task, note=f"Note {number}.")

    reply = one_world.ok("tasks_undo")

    assert reply["warnings"]
    assert len(json.dumps(reply)) < 4_000


@pytest.mark.requirement("tasks.undo.not-moved-on")
@pytest.mark.parametrize("status", ["TODO", "DONE"])
def test_a_note_that_made_a_task_active_does_not_keep_its_status_from_being_put_back(
    status: str, world: World
) -> None:
    task = world.task()
    world.ok("tasks_complete", task=task, status="DONE")
    if status == "TODO":
        world.ok("tasks_complete", task=task, status="ACTIVE")
    before = target(world, task)["status"]
    world.ok("tasks_complete", task=task, status="TODO")
    world.ok("tasks_note", task=task, note="Begun.")

    reply = world.ok("tasks_undo")

    assert reply["tool"] == "tasks_complete"
    assert target(world, task)["status"] == before


@pytest.mark.requirement("tasks.undo.not-moved-on")
def test_evidence_that_makes_a_checkpoint_count_does_not_keep_a_step_from_being_undone(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_define", task=task, path="s:0", title="Renamed")
    item = {"kind": "note", "content": "Seen."}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[item], checkpoints=["security"])

    assert world.ok("tasks_undo")["tool"] == "tasks_define"
    assert world.step(task, "s:0")["title"] == "first"
    assert "security" in world.step(task, "s:0")["unconfirmed"]
    assert world.ok("tasks_undo")["tool"] == "tasks_create"


@pytest.mark.requirement("tasks.undo.not-moved-on")
def test_an_undo_never_closes_a_step_over_evidence_that_nobody_confirmed(world: World) -> None:
    task = world.task("first")
    world.close(task, "s:0")
    world.ok("tasks_progress", task=task, path="s:0", completed=False)
    item = {"kind": "note", "content": "Hm."}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[item], checkpoints=["security"])

    world.ask("tasks_undo")

    books.check_all(world.everything())
    assert world.step(task, "s:0")["done"] is False


@pytest.mark.requirement("tasks.undo.of-task", "tasks.undo.deterministic")
@pytest.mark.parametrize("there", ["tasks_edit", "tasks_create"])
def test_a_batch_whose_calls_cancel_out_does_not_jam_the_undo(there: str, world: World) -> None:
    task = world.task()
    world.ok("tasks_edit", task=task, description="Older.")
    if there == "tasks_edit":
        titles = ({"task": task, "title": name} for name in ("There", "A task"))
        batch(world, *((there, given) for given in titles))
    else:
        batch(world, (there, {"kind": "task", "title": "There"}), ("tasks_delete", {"task": "TASK-002"}))

    replies = [world.ok("tasks_undo")]
    while replies[-1]["tool"] == "tasks_batch":
        replies.append(world.ok("tasks_undo"))

    assert len(replies) <= 2
    assert replies[-1]["tool"] == "tasks_edit"
    assert "description" not in target(world, task)
    world.ok("tasks_redo")
    assert world.ok("tasks_resume", task=task)["target"]["description"] == "Older."


@pytest.mark.requirement("tasks.batch.one-undo-record", "tasks.undo.appends")
def test_a_batch_across_tasks_is_undone_in_all_of_them_at_once(world: World) -> None:
    mine, other = world.task("first"), world.task()
    before = documents(world)
    close = {"task": mine, "path": "s:0", "checkpoints": CONFIRMED}
    batch(world, ("tasks_close_step", close), ("tasks_edit", {"task": other, "title": "Both"}))

    reply = world.ok("tasks_undo", task=other)

    assert documents(world) == before
    assert reply["revisions"] == {mine: 3, other: 3}
    assert [event["task"] for event in reply["events"]] == [mine, other]
    assert world.ok("tasks_history", task=mine)["operations"][0]["kind"] == "undo"


@pytest.mark.requirement("tasks.undo.never-jams")
def test_an_undo_that_can_never_apply_does_not_hold_up_older_ones_of_other_documents(world: World) -> None:
    kept, lost = world.task(), world.task()
    world.ok("tasks_edit", task=kept, title="Better")
    world.ok("tasks_focus_set", task=lost)
    world.ok("tasks_focus_set", task=kept)
    world.ok("tasks_undo", task=lost)

    reply = world.ok("tasks_undo")

    assert reply["tool"] == "tasks_edit"
    assert target(world, kept)["title"] == "A task"
    assert any("tasks_focus_set" in warning and lost in warning for warning in reply["warnings"])
    assert world.ok("tasks_focus_get")["focus"]["id"] == kept
    books.check_all(world.everything())
