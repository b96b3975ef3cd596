"""A line acts on what was seen when it was begun: whoever else changes things meanwhile is not overruled unseen."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.givens import WORKSPACE, World
from tests.tui.givens import PATIENCE, Driven, Listening, a_login_page, drive, source_of
from tests.tui.test_composer import noted, typed


def elsewhere(world: World, tool: str, **arguments: Any) -> None:
    """A call by another process on the same store."""
    given = json.dumps({"workspace": WORKSPACE, **arguments})
    place = str(world.store.describe()["path"])
    words = [sys.executable, "-m", "gatepost", "call", tool, given, "--store", place]
    subprocess.run(words, check=True, capture_output=True, timeout=PATIENCE * 3)


def close_elsewhere(world: World, task: str, path: str) -> None:
    """Another process closes a step."""
    confirmed = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    elsewhere(world, "tasks_close_step", task=task, path=path, checkpoints=confirmed)


async def begin(driven: Driven, line: str) -> None:
    """Type a line, but do not send it."""
    await driven.press("i")
    await driven.type(line)


def test_a_step_that_was_not_aimed_at_is_never_blocked(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await begin(driven, ":block waits")
        await driven.sees("block TASK-001 · Call the API")
        close_elsewhere(one_world, task, "s:1")
        await driven.sees("● Test 日本語 input", "block TASK-001 · Call the API")
        await driven.press("enter")
        await driven.sees("Someone else was faster")
        await driven.press("enter")
        await driven.sees("is done: ", "Reopen it first")
        assert typed(driven) == ":block waits"

    drive(source_of(one_world), driver)

    assert [one_world.step(task, path).get("blocked") for path in ("s:1", "s:2")] == [None, None]


def test_a_blocking_that_was_overtaken_goes_to_the_same_step_once_that_was_told(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await begin(driven, ":block waits")
        elsewhere(one_world, "tasks_define", task=task, path="s:1", title="Call the new API")
        await driven.sees("● Call the new API")
        await driven.press("enter")
        await driven.sees("Someone else was faster", "Press Enter to send your line anyway.")
        assert one_world.step(task, "s:1").get("blocked") is None
        await driven.press("enter")
        await driven.sees("Blocked Call the API of TASK-001.")
        assert typed(driven) == ""

    drive(source_of(one_world), driver)

    assert one_world.step(task, "s:1")["blocked"] == "waits"


def test_a_step_is_not_let_go_on_that_was_blocked_for_another_reason_meanwhile(one_world: World) -> None:
    task = one_world.task("Only", title="One step")
    one_world.ok("tasks_block", task=task, path="s:0", reason="no key")

    async def driver(driven: Driven) -> None:
        await driven.sees("■ Only — no key")
        await begin(driven, ":unblock")
        await driven.sees("unblock TASK-001 · Only")
        elsewhere(one_world, "tasks_block", task=task, path="s:0", reason="unsafe")
        await driven.sees("■ Only — unsafe")
        await driven.press("enter")
        await driven.sees("Someone else was faster")
        assert one_world.step(task, "s:0")["blocked"] == "unsafe"
        await driven.press("enter")
        await driven.sees("Unblocked Only of TASK-001.")

    drive(source_of(one_world), driver)

    assert one_world.step(task, "s:0").get("blocked") is None


@pytest.mark.parametrize("size", [(80, 24), (80, 10)])
def test_an_edit_that_came_while_undo_was_typed_is_seen_before_it_is_taken_back(
    one_world: World, size: tuple[int, int]
) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await begin(driven, ":undo")
        await driven.sees("undo in TASK-001")
        elsewhere(one_world, "tasks_define", task=task, path="s:1", title="Call the new API")
        await driven.sees("● Call the new API")
        await driven.press("enter")
        await driven.sees("Undo in TASK-001", "step defined")
        await driven.press("enter")
        await driven.sees("someone else changed TASK-001")
        assert one_world.step(task, "s:1")["title"] == "Call the new API"
        await driven.press("escape")
        assert typed(driven) == ":undo"

    drive(source_of(one_world), driver, size)

    assert one_world.step(task, "s:1")["title"] == "Call the new API"


def test_what_was_seen_is_taken_back_and_brought_back_by_name(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("■ Document it")
        await begin(driven, ":undo")
        await driven.press("enter")
        await driven.sees("Undo in TASK-001", "step blocked")
        await driven.press("enter")
        await driven.sees("TASK-001: Undid operation", "○ Document it")
        assert typed(driven) == ""
        await driven.type(":redo")
        await driven.press("enter")
        await driven.sees("Redo in TASK-001")
        await driven.press("enter")
        await driven.sees("TASK-001: Redid operation", "■ Document it")

    drive(source_of(one_world), driver)

    assert one_world.step(task, "s:3")["blocked"] == "waits for the style guide"


def test_a_redo_is_not_done_to_what_somebody_changed_meanwhile(one_world: World) -> None:
    task = a_login_page(one_world)
    one_world.ok("tasks_undo", task=task)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "○ Document it")
        await begin(driven, ":redo")
        elsewhere(one_world, "tasks_note", task=task, path="s:1", note="an agent's note")
        await driven.until(lambda: driven.app.session.lists.scopes[task].revision == one_world.revision(task))
        await driven.press("enter")
        await driven.sees("Redo in TASK-001")
        await driven.press("enter")
        await driven.sees("someone else changed TASK-001")
        assert one_world.step(task, "s:3").get("blocked") is None

    drive(source_of(one_world), driver)


def test_an_operation_is_sent_with_the_revision_that_was_shown_when_its_line_was_begun(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Listening(one_world)
    begun_at = one_world.revision(task)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await begin(driven, f'tasks_define {{"task": "{task}", "path": "s:1", "title": "Mine"')
        elsewhere(one_world, "tasks_define", task=task, path="s:1", title="Theirs")
        await driven.sees("● Theirs")
        await driven.type("}")
        await driven.press("enter")
        await driven.sees("Someone else was faster")
        assert one_world.step(task, "s:1")["title"] == "Theirs"
        await driven.press("enter")
        await driven.sees('"type": "step_defined"')

    drive(source, driver)

    sent = [each["expected_revision"] for each in source.sent if each["op"] == "tasks_define"]
    assert sent == [begun_at, begun_at + 1]
    assert one_world.step(task, "s:1")["title"] == "Mine"


def test_a_line_that_is_being_sent_is_not_sent_again(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await begin(driven, "only once")
        with one_world.store.writing(WORKSPACE):
            await driven.press("enter")
            await driven.press("enter")
            await driven.sees("Sending: only once")
            assert typed(driven) == ""
        await driven.sees("Added a note to Call the API of TASK-001.")
        assert "Sending" not in driven.picture()

    drive(source_of(one_world), driver)

    assert [note["note"] for note in noted(one_world, task)] == ["only once"]
