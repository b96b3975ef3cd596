"""The radar over any screen: now, why, verify, next, blockers; live, and a way to the step."""

import pytest

from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, a_login_page, drive, source_of


@pytest.mark.parametrize("size", NARROW)
def test_the_radar_says_what_is_now_and_what_proves_it(world: World, size: str) -> None:
    task = a_login_page(world)
    world.ok("tasks_edit", task=task, description="So that people can log in, with 日本語 names too.")
    world.ok("tasks_define", task=task, path="s:1", criteria=["errors are shown"], tests=["pytest -k api"])

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("Now", "Call the API")
        driven.check(f"radar-{size}")
        await driven.press("G")
        await driven.sees("waits for the style guide")
        await driven.press("r")
        await driven.until(lambda: len(driven.app.screen_stack) == 1)

    drive(source_of(world), driver, SIZES[size])


def test_the_radar_shows_the_notes_and_the_answer_of_the_step(world: World) -> None:
    task = a_login_page(world)
    world.ok("tasks_note", task=task, path="s:1", note="Mind the cookies.")
    world.ok("tasks_block", task=task, path="s:1", reason="Which port?")
    world.ok("tasks_block", task=task, path="s:1", blocked=False, answer="8080")

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("Call the API", "Which port?", "8080", "note, tester: Mind the cookies.")

    drive(source_of(world), driver)


def test_in_ascii_the_radar_says_the_same(world: World) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("> Call the API", "! TASK-001 s:3")
        driven.check("radar-ascii")
        assert driven.picture().isascii()

    drive(source_of(world), driver, ascii_only=True)


def test_the_radar_is_in_reach_from_other_screens_and_follows_what_happens(world: World) -> None:
    task = a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.press("d")
        await driven.sees("No taskdoc yet")
        await driven.press("escape", "t")
        await driven.sees("Write the form")
        await driven.press("r")
        await driven.sees("Now", "Call the API")
        world.close(task, "s:1")
        await driven.until(lambda: "● Test 日本語 input" in driven.picture())
        await driven.press("escape")
        await driven.sees("task tree")

    drive(source_of(world), driver)


def test_enter_goes_to_the_step_in_its_tree(world: World) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("Call the API")
        await driven.press("enter")
        await driven.sees("task tree", "▶  ● Call the API")

    drive(source_of(world), driver)


def test_where_nothing_is_open_the_radar_says_what_makes_something(world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("Nothing is open", ":new TITLE")
        await driven.press("enter")
        await driven.sees("Nothing is open")

    drive(source_of(world), driver)


def test_of_a_plan_that_waits_the_radar_says_for_what(world: World) -> None:
    first = world.plan(title="Foundations")
    world.task("Dig", plan=first, title="A hole")
    second = world.plan(title="Walls", depends_on=[first], contract="Four walls\nand a door")
    world.ok("tasks_focus_set", task=second)

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees(
            "PLAN-002 Walls", "nothing is ready to work on", "Four walls", "PLAN-002 waits for PLAN-001"
        )

    drive(source_of(world), driver)


def test_enter_brings_the_tree_up_again_that_is_there_and_goes_to_the_step(world: World) -> None:
    task = a_login_page(world)
    other = "TASK-002"

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("▶  ● Call the API")
        for _ in range(4):
            await driven.press("g", "r")
            await driven.sees("Verify")
            await driven.press("enter")
            await driven.sees("task tree", "▶  ● Call the API")
            assert len(driven.app.screen_stack) == 2
        world.ok("tasks_focus_set", task=other)
        await driven.press("enter")
        await driven.sees(f"{task} s:1")
        await driven.press("r")
        await driven.sees("TASK-002 Search")
        await driven.press("enter")
        await driven.sees("task tree", "▶  ● Index")
        assert len(driven.app.screen_stack) == 2
        await driven.press("escape")
        await driven.sees("i note")

    drive(source_of(world), driver)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("o", "enter"), "Checkpoints"),
        (("a", "enter"), '"seq"'),
        (("t", "p"), "Enter open"),
        (("question_mark",), "Everywhere"),
    ],
    ids=["item", "event", "tasks", "help"],
)
def test_radar_and_help_are_in_reach_from_what_is_read(world: World, keys: tuple[str, ...], words: str) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        for key in keys:
            await driven.press(key)
        await driven.sees(words)
        stack = len(driven.app.screen_stack)
        await driven.press("r")
        await driven.sees("Verify")
        await driven.press("r")
        await driven.sees(words)
        await driven.press("question_mark")
        await driven.sees("Everywhere")
        await driven.press("question_mark")
        assert len(driven.app.screen_stack) <= stack + 1

    drive(source_of(world), driver)


def test_from_a_dialog_the_radar_is_in_reach_and_what_was_typed_is_still_there(world: World) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Call the API")
        await driven.press("n", *"half a th", "ctrl+r")
        await driven.sees("Verify")
        await driven.press("r")
        await driven.sees("Note on s:1", "half a th")
        await driven.press("ctrl+r")
        await driven.sees("Verify")
        await driven.press("enter")
        await driven.sees("task tree")
        await driven.until(lambda: len(driven.app.screen_stack) == 2)
        await driven.press("n")
        await driven.sees("half a th")

    drive(source_of(world), driver)
