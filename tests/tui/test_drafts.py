"""What is typed of a note and what is typed of a command never run into one another, and neither is lost."""

from typing import Any

from gatepost.surfaces.tui.runner import _texts
from gatepost.surfaces.tui.widgets.composer import Composer
from tests.givens import World
from tests.tui.givens import Driven, a_login_page, drive, source_of


def typed(driven: Driven) -> str:
    """The text of the composer."""
    return driven.app.screen.query_one(Composer).value


def logged(world: World, task: str) -> list[dict[str, Any]]:
    """What was written to a task, as the log has it."""
    events: list[dict[str, Any]] = world.ok("tasks_delta", task=task)["events"]
    return [event for event in events if event["actor"] == "human:tester"]


def test_a_command_after_a_note_that_was_left_is_a_command_and_the_note_comes_back(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("ask ops")
        await driven.press("escape", "colon")
        assert typed(driven) == ":"
        await driven.type("block waiting")
        await driven.press("enter")
        await driven.sees("Blocked Call the API")
        assert typed(driven) == ""
        await driven.press("escape")
        assert typed(driven) == "ask ops"
        await driven.press("i")
        await driven.type(" first")
        await driven.press("enter")
        await driven.sees("Added a note to Call the API")

    drive(source_of(one_world), driver)

    blocked, noted = logged(one_world, task)
    assert (blocked["type"], blocked["reason"]) == ("step_blocked", "waiting")
    assert (noted["type"], noted["note"], noted["path"]) == ("step_noted", "ask ops first", "s:1")


def test_a_note_after_a_command_that_was_left_is_a_note_and_the_command_comes_back(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("colon")
        await driven.type("block wai")
        await driven.press("escape", "i")
        assert typed(driven) == ""
        await driven.type("half way")
        await driven.press("enter")
        await driven.sees("Added a note to Call the API")
        await driven.press("escape", "colon")
        assert typed(driven) == ":block wai"
        await driven.type("ting")
        await driven.press("enter")
        await driven.sees("Blocked Call the API")

    drive(source_of(one_world), driver)

    assert [event["type"] for event in logged(one_world, task)] == ["step_noted", "step_blocked"]


def test_enter_goes_on_with_what_stands_there(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("colon")
        await driven.type("blo")
        await driven.press("escape", "enter")
        await driven.type("ck")
        assert typed(driven) == ":block"

    drive(source_of(one_world), driver)


def test_a_note_goes_to_the_step_that_it_was_begun_for_also_after_it_was_set_aside(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("about the API")
        await driven.press("escape", "colon")
        one_world.close(task, "s:1")
        await driven.sees("● Test 日本語 input")
        await driven.press("escape", "i")
        assert typed(driven) == "about the API"
        await driven.press("enter")
        await driven.sees("Added a note to Call the API")

    drive(source_of(one_world), driver)

    assert [event["path"] for event in logged(one_world, task)] == ["s:1"]


def test_whoever_leaves_is_told_of_what_was_set_aside(one_world: World) -> None:
    a_login_page(one_world)
    told: list[str] = []

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("ask ops")
        await driven.press("escape", "colon")
        await driven.type("block")
        told.extend(each.text for each in _texts(driven.app.session))

    drive(source_of(one_world), driver)

    assert told == [":block", "ask ops"]
