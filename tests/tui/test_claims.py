"""Who holds what, in the terminal: seen in the tree, on the step and on the radar; taken over with a reason."""

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World
from tests.tui.givens import NARROW, SIZES, Driven, drive, source_of

CODEX = Caller("agent:codex/7f31")


@pytest.fixture
def task(world: World) -> str:
    """A task whose second step another agent holds."""
    task = world.task("Draw the lamps", "Wire them", title="Lamps")
    world.caller = CODEX
    world.ok("tasks_claim", task=task, path="s:1")
    return task


@pytest.mark.parametrize("size", NARROW)
def test_a_claim_is_seen_in_the_tree_as_it_comes_and_goes(world: World, task: str, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("○ Wire them  codex/7f31 since 00:00")
        await driven.press("j")
        if size == "80x24":
            await driven.sees("In progress since 00:00 by agent:codex/7f31")
        driven.check(f"claimed-{size}")
        world.ok("tasks_release", task=task, path="s:1")
        await driven.until(lambda: "codex" not in driven.picture())

    drive(source_of(world), driver, SIZES[size])


def test_the_step_and_the_radar_say_who_holds_it(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.sees("In progress", f"{task} s:1 Wire them: codex/7f31 since 00:00")
        await driven.press("r", "t")
        await driven.sees("Wire them")
        await driven.press("j", "enter")
        await driven.sees("● In progress since 00:00 by agent:codex/7f31")

    drive(source_of(world), driver)


def test_what_another_holds_is_changed_only_after_it_was_taken_over_with_a_reason(world: World, task: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("codex/7f31 since")
        await driven.press("j", "c")
        await driven.sees("1 of 2: criteria")
        await driven.press("enter", "enter", "enter")
        await driven.sees("agent:codex/7f31 has been working on it since 00:00.", "take it over with T.")
        await driven.press("escape", "T")
        await driven.sees("Take over s:1 Wire them")
        await driven.type("It went home")
        await driven.press("enter")
        await driven.sees("You hold s:1.")
        await driven.until(lambda: "codex" not in driven.picture())
        await driven.press("c")
        await driven.sees("1 of 2: criteria")
        await driven.press("enter", "enter", "enter")
        await driven.sees("Closed s:1.")

    drive(source_of(world), driver)
    assert world.step(task, "s:1")["done"]


def test_a_task_that_is_held_whole_says_so(world: World) -> None:
    task = world.task("Draw the lamps", title="Lamps")
    world.caller = CODEX
    world.ok("tasks_claim", task=task, whole=True)

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("The whole task: In progress since 00:00 by agent:codex/7f31.")

    drive(source_of(world), driver)
