"""What a person does to a step: confirmed one by one, guarded by the revision, and nothing typed is lost."""

from typing import Any

import pytest
from textual.events import Paste

from gatepost.engine.caller import Caller
from gatepost.surfaces.tui.dialogs.dialog import TextField
from gatepost.surfaces.tui.screens.tree import TreeScreen
from gatepost.surfaces.tui.widgets.step_tree import StepTree
from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, StoreSource, drive, refused, some_lamps, source_of


@pytest.fixture
def task(world: World) -> str:
    """A task whose first step asks for three checkpoints."""
    return some_lamps(world)


async def at_the_tree(driven: Driven) -> None:
    await driven.press("t")
    await driven.sees("Draw the lamps", "c○ t○ s○")


async def has_caught_up(driven: Driven, revision: int) -> None:
    """Wait until the tree behind a dialog shows a revision."""
    (tree,) = [screen.query_one(StepTree) for screen in driven.app.screen_stack if isinstance(screen, TreeScreen)]
    await driven.until(lambda: tree.model.target is not None and tree.model.target.revision == revision)


def marks(world: World) -> dict[str, dict[str, Any]]:
    return {mark["checkpoint"]: mark for mark in world.step("TASK-001", "s:0")["confirmed"]}


@pytest.mark.parametrize("size", NARROW)
def test_each_checkpoint_is_a_question_of_its_own_before_the_step_is_closed(
    world: World, task: str, size: str
) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("c")
        await driven.sees("1 of 3: criteria", "lit only if confirmed")
        driven.check(f"close-{size}")
        await driven.type("looked at it")
        await driven.press("enter")
        await driven.sees("2 of 3: tests", "pytest tests/lamps")
        await driven.press("enter")
        await driven.sees("3 of 3: security")
        await driven.press("enter")
        await driven.sees("security: checked by you", "close the step")
        driven.check(f"close-last-{size}")
        assert marks(world) == {}
        await driven.press("enter")
        await driven.sees("Closed s:0.", "✓ Draw the lamps")

    drive(source_of(world), driver, SIZES[size])
    assert set(marks(world)) == {"criteria", "tests", "security"}
    assert marks(world)["criteria"]["note"] == "looked at it"
    assert marks(world)["criteria"]["actor"] == "human:tester"
    assert world.step(task, "s:0")["done"]


def test_what_was_not_checked_is_not_confirmed_and_the_step_stays_open(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("c")
        await driven.sees("1 of 3")
        await driven.press("enter", "ctrl+n", "ctrl+n")
        await driven.sees("The step stays open: confirm tests and security first.")
        await driven.press("enter")
        await driven.press("v")
        await driven.sees("Confirmed checkpoints of s:0.", "c☻ t○ s○")

    drive(source_of(world), driver)
    assert set(marks(world)) == {"criteria"}
    assert not world.step(task, "s:0")["done"]


def test_what_others_confirmed_is_not_confirmed_again(world: World, task: str) -> None:
    both = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=both)

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("c◔ t◔ s○")
        await driven.press("c")
        await driven.sees("1 of 1: security")
        await driven.press("enter")
        await driven.sees("criteria: word only, by tester")
        await driven.press("enter")
        await driven.sees("Closed s:0.")

    drive(source_of(world), driver)
    assert {name: mark["actor"] for name, mark in marks(world).items()} == {
        "criteria": "tester",
        "tests": "tester",
        "security": "human:tester",
    }


def test_checks_run_when_the_step_is_closed_and_are_not_ticked_by_hand(world: World, task: str) -> None:
    world.ok("tasks_define", task=task, path="s:0", checks=[{"run": "true -q"}])

    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("c")
        await driven.sees("1 of 2: criteria")
        await driven.press("enter")
        await driven.sees("2 of 2: security")
        await driven.press("enter")
        await driven.sees("tests: its checks run when you close the step")
        await driven.press("enter")
        await driven.sees("Closed s:0.", "c☻ t● s☻")

    drive(source_of(world), driver)
    assert marks(world)["tests"]["provenance"] == "machine"


def test_a_step_whose_checkpoints_are_all_confirmed_needs_one_key_more(world: World, task: str) -> None:
    names = ("criteria", "tests", "security")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints={name: {"confirmed": True} for name in names})

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("c◔ t◔ s◔")
        await driven.press("c")
        await driven.sees("Nothing else is confirmed in your name.")
        await driven.press("enter")
        await driven.sees("Closed s:0.")

    drive(source_of(world), driver)
    assert world.step(task, "s:0")["done"]


def test_a_refused_close_says_what_is_wrong_and_keeps_the_dialog(world: World, task: str) -> None:
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "Below"}])

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(TreeScreen(task, "s:0"))
        await driven.sees("Draw the lamps")
        await driven.press("c")
        await driven.sees("1 of 3")
        await driven.press("enter", "enter", "enter")
        await driven.sees("close the step")
        await driven.press("enter")
        await driven.sees("has 1 open below it", "Close the steps below it, deepest first", "Nothing was changed.")
        driven.check("close-refused")

    drive(source_of(world), driver)
    assert marks(world) == {}


def test_a_conflict_while_closing_voids_what_was_rewritten_and_keeps_the_rest(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("c")
        await driven.sees("1 of 3")
        await driven.press("enter")
        await driven.type("all green")
        await driven.press("enter", "enter")
        await driven.sees("close the step")
        world.ok("tasks_define", task=task, path="s:0", criteria=["something else entirely"])
        await driven.press("enter")

        await driven.sees("Not sent: someone else changed TASK-001", "step defined by tester", "Check again")
        await driven.sees("1 of 3: criteria", "something else entirely")
        await has_caught_up(driven, 2)
        driven.check("close-conflict")
        assert marks(world) == {}
        await driven.press("enter")
        await driven.sees("2 of 3: tests", "all green")
        await driven.press("enter", "enter")
        await driven.sees("close the step")
        await driven.press("enter")
        await driven.sees("Closed s:0.")

    drive(source_of(world), driver)
    assert marks(world)["tests"]["note"] == "all green"


@pytest.mark.parametrize("size", NARROW)
def test_a_conflict_explains_itself_and_the_note_is_sent_by_another_enter(
    world: World, task: str, size: str
) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("n")
        await driven.sees("Note on s:0 Draw the lamps")
        await driven.type("mind the fuses")
        world.ok("tasks_note", task=task, path="s:1", note="somebody was faster")
        await driven.press("enter")

        await driven.sees("Not sent: someone else changed TASK-001", "You saw revision 1; it is now at 2")
        await driven.sees("step noted by tester", "mind the fuses")
        await has_caught_up(driven, 2)
        driven.check(f"note-conflict-{size}")
        await driven.press("enter")
        await driven.sees("Added a note to s:0.")

    drive(source_of(world), driver, SIZES[size])
    notes = [event["note"] for event in world.ok("tasks_delta", types=["step_noted"])["events"]]
    assert notes == ["somebody was faster", "mind the fuses"]


def test_a_note_that_was_left_is_there_again(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("n")
        await driven.type("half a th")
        await driven.press("escape")
        await driven.press("j", "n")
        await driven.sees("Note on s:1")
        assert driven.app.screen.query_one(TextField).text == ""
        await driven.press("escape")
        await driven.press("k", "n")
        await driven.sees("half a th")
        await driven.press("ctrl+j")
        await driven.type("ought")
        await driven.press("enter")
        await driven.sees("Added a note to s:0.")
        await driven.press("n")
        await driven.sees("Note on s:0")
        assert driven.app.screen.query_one(TextField).text == ""

    drive(source_of(world), driver)
    (noted,) = world.ok("tasks_delta", types=["step_noted"])["events"]
    assert noted["note"] == "half a th\nought"


class Shaky(StoreSource):
    """A source whose connection can be cut."""

    cut = False

    def hear(self, _operation: str, _fields: dict[str, Any], /) -> None:
        if self.cut:
            raise refused("STORE_UNREACHABLE", "The server does not answer.", "Start it with `gatepost up`.")


def test_what_cannot_be_sent_stays_typed_until_it_can(world: World, task: str) -> None:
    source = Shaky(world.engine, world.workspace, Caller("human:tester"))

    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("n")
        await driven.type("mind the fuses")
        source.cut = True
        await driven.press("enter")
        await driven.sees("The server does not answer.", "Start it with", "Nothing was changed.", "mind the fuses")
        source.cut = False
        await driven.press("enter")
        await driven.sees("Added a note to s:0.")

    drive(source, driver)
    (noted,) = world.ok("tasks_delta", types=["step_noted"])["events"]
    assert (noted["note"], noted["actor"]) == ("mind the fuses", "human:tester")
    assert world.revision(task) == 2


def test_an_empty_note_is_not_sent(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("n", "enter")
        await driven.sees("The text is empty.")

    drive(source_of(world), driver)
    assert world.revision(task) == 1


def test_a_step_is_blocked_with_a_reason_and_unblocked_with_an_answer(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("b")
        await driven.sees("What is blocking it?")
        await driven.type("no fuses")
        await driven.press("enter")
        await driven.sees("■ Draw the lamps", "blocked: no fuses")
        await driven.press("k", "b")
        await driven.sees("Unblock s:0", "Blocked: no fuses")
        await driven.type("they came")
        await driven.press("enter")
        await driven.until(lambda: "blocked" not in driven.line("Draw the lamps"))

    drive(source_of(world), driver)
    assert world.step(task, "s:0").get("blocked") is None
    assert world.ok("tasks_radar", task=task)["now"]["answer"]["answer"] == "they came"


def test_a_conflict_inside_a_batch_is_explained_as_one(world: World, task: str) -> None:
    given = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=given)

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(TreeScreen(task, "s:0"))
        await driven.sees("c◔ t◔ s○")
        await driven.press("c")
        await driven.sees("1 of 1: security")
        await driven.press("enter")
        await driven.sees("security: checked by you")
        world.ok("tasks_note", task=task, note="no news")
        await driven.press("enter")
        await driven.sees("Not sent: someone else changed TASK-001", "has not changed")
        await driven.press("enter")
        await driven.sees("Closed s:0.")

    drive(source_of(world), driver)
    assert world.step(task, "s:0")["done"]


def test_a_closed_step_is_reopened_with_a_reason(world: World, task: str) -> None:
    world.close(task, "s:1")

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(TreeScreen(task, "s:1"))
        await driven.sees("✓ Then")
        await driven.press("c")
        await driven.sees("This step is done. Press x to reopen it.")
        await driven.press("x")
        await driven.sees("Reopen s:1 Then")
        await driven.type("too early")
        await driven.press("enter")
        await driven.sees("Reopened s:1.")

    drive(source_of(world), driver)
    (event,) = world.ok("tasks_delta", types=["step_reopened"])["events"]
    assert event["reason"] == "too early"


@pytest.mark.parametrize("size", NARROW)
def test_undo_shows_what_it_takes_back_and_redo_brings_it_back(world: World, task: str, size: str) -> None:
    world.close(task, "s:1")
    world.ok("tasks_note", task=task, path="s:1", note="stays")

    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.sees("✓ Then")
        await driven.press("u")
        await driven.sees("▶ 3 step verified, step done by tester", "What changes:")
        driven.check(f"undo-{size}")
        await driven.press("enter")
        await driven.sees("Undid operation 3.", "○ Then")
        await driven.press("U")
        await driven.sees("Redo in TASK-001", "redo it")
        await driven.press("enter")
        await driven.sees("Redid operation 3", "✓ Then")
        await driven.press("U")
        await driven.sees("Nothing to redo: nothing was undone, or the task changed since.")

    drive(source_of(world), driver, SIZES[size])
    assert world.step(task, "s:1")["done"]


def test_undo_is_guarded_by_the_revision_too(world: World, task: str) -> None:
    world.close(task, "s:1")

    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.sees("✓ Then")
        await driven.press("u")
        await driven.sees("step done by tester")
        world.ok("tasks_block", task=task, path="s:0")
        await driven.press("enter")
        await driven.sees("Not sent: someone else changed TASK-001", "step blocked by tester")

    drive(source_of(world), driver)
    assert world.step(task, "s:1")["done"]


def test_a_task_inside_a_step_is_closed_and_reopened_without_checkpoints(world: World, task: str) -> None:
    world.ok("tasks_task_add", task=task, parent_step="s:1", title="Inner")

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(TreeScreen(task, "s:1.t:0"))
        await driven.sees("Inner (task)")
        await driven.press("b")
        await driven.sees("cannot be blocked")
        await driven.press("c")
        await driven.sees("Everything below it must be done.")
        await driven.press("enter")
        await driven.sees("✓ Inner (task)")
        await driven.press("x", "enter")
        await driven.sees("○ Inner (task)")

    drive(source_of(world), driver)


def test_pasted_escapes_become_text(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await at_the_tree(driven)
        await driven.press("n")
        field = driven.app.screen.query_one(TextField)
        field.post_message(Paste("red \x1b[31m\nand a second line"))
        await driven.sees("red ␛[31m", "and a second line")

    drive(source_of(world), driver)
