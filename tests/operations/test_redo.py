"""tasks_redo: bring back what was undone last, as long as nothing new was written."""

from typing import Any

import pytest

from tests.engine import books
from tests.givens import CONFIRMED, World


def documents(world: World) -> dict[str, str]:
    return dict(world.everything()["documents"])


def title(world: World, task: str) -> str:
    found: str = world.ok("tasks_resume", task=task)["target"]["title"]
    return found


@pytest.mark.requirement("tasks.redo.newest", "tasks.undo.deterministic")
def test_redo_walks_forward_through_what_undo_walked_back_through(world: World) -> None:
    task = world.task("first")
    seen = [documents(world)]
    for call in ("One", "Two", "Three"):
        world.ok("tasks_edit", task=task, title=call)
        seen.append(documents(world))

    for _ in range(2):
        for state in reversed(seen[:-1]):
            world.ok("tasks_undo")
            assert documents(world) == state
        for state in seen[1:]:
            world.ok("tasks_redo")
            assert documents(world) == state
    error = world.no("NOTHING_TO_REDO", "tasks_redo")
    assert world.workspace in error["message"]


@pytest.mark.requirement("tasks.redo.mirrors", "tasks.undo.appends")
def test_a_redo_appends_to_the_log_and_raises_the_revision(world: World) -> None:
    task = world.task()
    operation = world.ok("tasks_edit", task=task, title="Better")["events"][0]["seq"]
    world.ok("tasks_undo")
    before = world.everything()

    reply = world.ok("tasks_redo", task=task, expected_revision=3)

    after = world.everything()
    assert after["events"][: len(before["events"])] == before["events"]
    assert [event["type"] for event in reply["events"]] == ["operation_redone"]
    assert (reply["operation"], reply["tool"]) == (operation, "tasks_edit")
    assert reply["revision"] == world.revision(task) == 4
    assert "changed" not in reply


@pytest.mark.requirement("tasks.redo.ends-with-write")
def test_after_a_new_write_there_is_nothing_to_redo(world: World) -> None:
    task = world.task()
    world.ok("tasks_edit", task=task, title="Better")
    world.ok("tasks_undo")
    world.ok("tasks_edit", task=task, description="Something new.")

    world.no("NOTHING_TO_REDO", "tasks_redo")
    world.no("NOTHING_TO_REDO", "tasks_redo", task=task)
    world.ok("tasks_undo")
    world.ok("tasks_redo")
    error = world.no("NOTHING_TO_REDO", "tasks_redo")

    assert title(world, task) == "A task"
    assert "written since" in error["message"]


@pytest.mark.requirement("tasks.redo.ends-with-write")
def test_a_write_that_was_itself_undone_does_not_bring_the_older_redo_back(world: World) -> None:
    task = world.task()
    world.ok("tasks_edit", task=task, title="Lost")
    world.ok("tasks_undo")
    world.ok("tasks_edit", task=task, title="Kept")
    world.ok("tasks_undo")

    world.ok("tasks_redo")

    assert title(world, task) == "Kept"
    world.no("NOTHING_TO_REDO", "tasks_redo")


RECORDS: list[tuple[str, dict[str, Any]]] = [
    ("tasks_note", {"note": "By the way."}),
    ("tasks_evidence_capture", {"items": [{"kind": "note", "content": "Seen."}]}),
]


@pytest.mark.requirement("tasks.redo.ends-with-write", "tasks.undo.not-moved-on")
@pytest.mark.parametrize(("tool", "arguments"), RECORDS, ids=[tool for tool, _ in RECORDS])
@pytest.mark.parametrize("begins", [False, True], ids=["active", "todo"])
def test_a_record_is_no_new_write_even_if_it_is_the_first_work(
    tool: str, arguments: dict[str, Any], begins: bool, world: World
) -> None:
    task = world.task("first")
    if not begins:
        world.ok("tasks_note", task=task, note="Begun.")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_undo")
    world.ok(tool, task=task, **arguments)

    world.ok("tasks_redo")

    assert "unconfirmed" not in world.step(task, "s:0")
    assert world.ok("tasks_resume", task=task)["target"]["status"] == "ACTIVE"


@pytest.mark.requirement("tasks.redo.ends-with-write")
def test_a_call_that_changes_nothing_and_one_that_is_refused_leave_the_redo(world: World) -> None:
    task = world.task("first")
    world.ok("tasks_edit", task=task, title="Better")
    world.ok("tasks_undo")
    world.ok("tasks_edit", task=task, title="A task")
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")

    world.ok("tasks_redo")

    assert title(world, task) == "Better"


@pytest.mark.requirement("tasks.redo.newest")
def test_redo_of_a_task_leaves_what_was_undone_in_others(world: World) -> None:
    mine, other = world.task(), world.task()
    world.ok("tasks_edit", task=mine, title="Mine")
    world.ok("tasks_edit", task=other, title="Other")
    world.ok("tasks_undo")
    world.ok("tasks_undo")

    world.ok("tasks_redo", task=other)

    assert (title(world, mine), title(world, other)) == ("A task", "Other")
    world.no("NOTHING_TO_REDO", "tasks_redo", task=other)
    world.ok("tasks_redo", task=mine)
    assert title(world, mine) == "Mine"


@pytest.mark.requirement("tasks.redo.mirrors")
def test_redo_is_refused_where_something_it_would_touch_has_moved_on(world: World) -> None:
    mine, other = world.task(), world.task()
    both = [{"tool": "tasks_edit", "arguments": {"task": name, "title": "Both"}} for name in (mine, other)]
    world.ok("tasks_batch", operations=both)
    world.ok("tasks_undo")
    world.ok("tasks_edit", task=other, title="Moved on")

    error = world.no("UNDO_CONFLICT", "tasks_redo", task=mine)

    assert [moved["where"] for moved in error["moved"]] == [other]
    assert "redone" in error["message"]
    assert other in error["message"]


@pytest.mark.requirement("tasks.redo.mirrors")
def test_a_creation_is_redone_with_its_steps_its_ids_and_the_focus(world: World) -> None:
    task = world.task("first", "second")
    world.ok("tasks_focus_set", task=task)
    before = documents(world)
    world.ok("tasks_undo", task=task)
    assert world.ok("tasks_focus_get")["focus"] is None

    world.ok("tasks_redo", task=task)

    assert documents(world) == before
    assert world.ok("tasks_decompose", task=task, steps=[{"title": "third"}])["steps"][0]["path"] == "s:2"


@pytest.mark.requirement("tasks.redo.mirrors")
def test_a_batch_that_made_tasks_waiting_for_one_another_is_redone(world: World) -> None:
    made = {"tool": "tasks_create", "arguments": {"kind": "task", "title": "New"}}
    link = {"tool": "tasks_edit", "arguments": {"task": "TASK-001", "depends_on": ["TASK-002"]}}
    world.ok("tasks_batch", operations=[made, made, link])
    before = world.everything()
    world.ok("tasks_undo")

    world.ok("tasks_redo")

    after = world.everything()
    assert after["documents"] == before["documents"]
    assert after["terms"] == before["terms"]
    books.check_all(after)


@pytest.mark.requirement("tasks.redo.mirrors")
@pytest.mark.parametrize("scoped", [False, True], ids=["workspace", "plan"])
def test_a_redo_never_completes_a_plan_over_a_task_that_came_since(scoped: bool, world: World) -> None:
    plan = world.plan()
    world.ok("tasks_complete", task=plan)
    world.ok("tasks_undo")
    world.task(plan=plan)

    world.no("UNDO_CONFLICT" if scoped else "NOTHING_TO_REDO", "tasks_redo", **({"task": plan} if scoped else {}))

    assert world.ok("tasks_resume", task=plan)["target"]["status"] == "TODO"


@pytest.mark.requirement("tasks.redo.mirrors", "tasks.undo.not-moved-on")
def test_an_undo_that_a_note_left_nothing_to_do_for_is_redone(world: World) -> None:
    task = world.task()
    world.ok("tasks_complete", task=task, status="ACTIVE")
    world.ok("tasks_complete", task=task, status="TODO")
    world.ok("tasks_note", task=task, note="Begun again.")
    world.ok("tasks_undo")

    assert world.ok("tasks_redo")["tool"] == "tasks_complete"
    world.no("NOTHING_TO_REDO", "tasks_redo")
    books.check_all(world.everything())


@pytest.mark.requirement("tasks.redo.mirrors")
@pytest.mark.parametrize("forced", [False, True], ids=["open", "forced"])
def test_a_redo_never_completes_a_task_over_a_step_that_came_since(forced: bool, world: World) -> None:
    mine, other = world.task(), world.task()
    calls = [
        {"tool": "tasks_complete", "arguments": {"task": mine}},
        {"tool": "tasks_edit", "arguments": {"task": other, "title": "Both"}},
    ]
    world.ok("tasks_batch", operations=calls)
    world.ok("tasks_undo")
    world.ok("tasks_decompose", task=mine, steps=[{"title": "came since"}])
    if forced:
        world.ok("tasks_progress", task=mine, path="s:0", completed=True, force=True, reason="Seen by eye.")

    error = world.no("UNDO_CONFLICT", "tasks_redo", task=other)

    assert mine in error["message"]


@pytest.mark.requirement("tasks.redo.mirrors")
def test_redo_checks_its_target_and_its_revision(world: World) -> None:
    task = world.task()
    world.ok("tasks_edit", task=task, title="Better")
    world.ok("tasks_undo")

    world.no("UNKNOWN_ID", "tasks_redo", task="TASK-404", expected_revision=9)
    world.no("REVISION_MISMATCH", "tasks_redo", task=task, expected_revision=2)
    error = world.no("INVALID_INPUT", "tasks_redo", expected_revision=3)

    assert error["problems"][0]["field"] == "expected_revision"
    assert world.ok("tasks_redo", task=task, expected_revision=3)["revision"] == 4
