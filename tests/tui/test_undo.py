"""Undo and redo from the tree: what they are about is seen first, on every screen, however much was noted since."""

import pytest

from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, drive, source_of

NOTES = 230


@pytest.mark.parametrize("size", NARROW)
def test_what_undo_takes_back_is_seen_whatever_was_noted_since(world: World, size: str) -> None:
    task = world.task("Draw the lamps", "Then", title="Lamps")
    world.close(task, "s:1")
    for number in range(9):
        world.ok("tasks_note", task=task, path="s:1", note=f"note {number}")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("✓ Then")
        await driven.press("u")
        await driven.sees("▶ 3 step verified, step done by tester", "What changes:", "TASK-001 s:1")
        await driven.press("G")
        await driven.sees("(stays)", "and 3 more")
        await driven.press("enter")
        await driven.sees("Undid operation 3.", "○ Then")
        await driven.press("U")
        await driven.sees("▶ ", "(undid 3)")
        await driven.press("enter")
        await driven.sees("Redid operation 3")

    drive(source_of(world), driver, SIZES[size])
    assert world.step(task, "s:1")["done"]


def test_undo_finds_what_it_takes_back_behind_hundreds_of_notes(world: World) -> None:
    task = world.task("Draw the lamps", title="Lamps")
    world.ok("tasks_block", task=task, path="s:0", reason="no fuses")
    for number in range(NOTES):
        world.ok("tasks_note", task=task, path="s:0", note=f"note {number}")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("blocked: no fuses")
        await driven.press("u")
        await driven.sees("▶ 3 step blocked by tester", "blocked: yes → no", "reason: no fuses → none")
        await driven.press("G")
        await driven.sees(f"and {NOTES - 6} more")
        await driven.press("enter")
        await driven.sees("Undid operation 3.")

    drive(source_of(world), driver)
    assert world.step(task, "s:0").get("blocked") is None


def test_where_nothing_was_undone_redo_says_so_after_one_look(world: World) -> None:
    task = world.task("Draw the lamps", title="Lamps")
    world.ok("tasks_note", task=task, note="a note")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Draw the lamps")
        await driven.press("U")
        await driven.sees("Nothing to redo: nothing was undone, or the task changed since.")
        await driven.press("enter")
        await driven.sees("Nothing to redo")

    drive(source_of(world), driver)
    assert world.revision(task) == 2


def test_any_change_of_the_history_is_undone_after_its_fields_were_shown(world: World) -> None:
    task = world.task("Draw the lamps", "Then", title="Lamps")
    world.ok("tasks_block", task=task, path="s:0", reason="no fuses")
    world.ok("tasks_define", task=task, path="s:1", title="Afterwards")
    world.ok("tasks_note", task=task, note="a note")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Draw the lamps")
        await driven.press("H")
        await driven.sees("step blocked", "step defined", "task created")
        driven.check("task-history-80x24")
        await driven.press("enter")
        await driven.sees("5 is a record and cannot be undone.")
        await driven.press("j", "j", "enter")
        await driven.sees("▶ 3 step blocked by tester", "reason: no fuses → none")
        driven.check("undo-operation-80x24")
        await driven.press("enter")
        await driven.sees("Undid operation 3.", "undone step blocked", "undid 3")

    drive(source_of(world), driver)
    assert world.step(task, "s:0").get("blocked") is None
    assert world.step(task, "s:1")["title"] == "Afterwards"


def test_a_change_that_others_built_on_says_why_it_cannot_be_undone(world: World) -> None:
    task = world.task("Draw the lamps", title="Lamps")
    world.ok("tasks_block", task=task, path="s:0", reason="no fuses")
    world.ok("tasks_block", task=task, path="s:0", reason="no lamps")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Draw the lamps")
        await driven.press("H")
        await driven.sees("step blocked", "task created")
        await driven.press("j", "enter")
        await driven.sees("TASK-001 s:0 has another reason now", "Nothing was changed.")
        await driven.press("enter")
        await driven.press("escape")
        await driven.sees("TASK-001 history")

    drive(source_of(world), driver)
    assert world.revision(task) == 3
