"""What is being sent while somebody waits, or does not: it is said, it is told, and it is sent once."""

import asyncio
import threading
from typing import Any

import pytest

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.dialogs.dialog import TextField
from gatepost.surfaces.tui.screens.tree import TreeScreen
from tests.givens import World
from tests.tui.givens import NARROW, NOW, PATIENCE, SIZES, Driven, Driver, StoreSource, refused

WRITES = ("tasks_note", "tasks_undo", "tasks_close_step")


class Slow(StoreSource):
    """A source whose writes wait until they are let go on, and may be refused then."""

    def __init__(self, world: World) -> None:
        super().__init__(world.engine, world.workspace, Caller("human:tester"))
        self.let_go = threading.Event()
        self.no: Refusal | None = None
        self.writes = 0

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        if operation in WRITES and fields.get("apply", True):
            self.writes += 1
            assert self.let_go.wait(PATIENCE)
            if self.no is not None:
                raise self.no


@pytest.fixture
def source(world: World) -> Slow:
    """A task with two steps, behind a slow source."""
    world.task("Draw the lamps", "Then", title="Lamps")
    return Slow(world)


def drive(source: Slow, driver: Driver, size: tuple[int, int] = (80, 24)) -> None:
    """Run an application that may tell something over any screen, until the driver is done with it."""

    async def run() -> None:
        app = GatepostApp(source, now=lambda: NOW)
        async with app.run_test(size=size, notifications=True) as pilot:
            driven = Driven(app, pilot)
            await driven.until(lambda: app.session.state == "live")
            await driver(driven)

    asyncio.run(run())


def notes(world: World) -> list[str]:
    return [event["note"] for event in world.ok("tasks_delta", types=["step_noted"])["events"]]


async def sends_a_note(driven: Driven) -> None:
    await driven.press("t")
    await driven.sees("Draw the lamps")
    await driven.press("n", *"fuses", "enter")


@pytest.mark.parametrize("size", NARROW)
def test_while_something_is_sent_the_dialog_says_so(world: World, source: Slow, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("x", "enter", "enter")
        source.let_go.set()
        await driven.sees("Added a note to s:0.")
        assert "being sent" not in driven.picture()

    drive(source, driver, SIZES[size])
    assert notes(world) == ["fuses"]


def test_who_leaves_meanwhile_is_told_on_another_screen_and_the_text_is_gone(world: World, source: Slow) -> None:
    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("escape")
        await driven.sees("task tree")
        await driven.press("r")
        await driven.sees("Verify")
        source.let_go.set()
        await driven.sees("Added a note to s:0.", "Verify")
        await driven.press("escape", "n")
        await driven.sees("Note on s:0")
        assert driven.app.screen.query_one(TextField).text == ""

    drive(source, driver)
    assert notes(world) == ["fuses"]
    assert source.writes == 1


def test_who_leaves_meanwhile_is_told_of_a_refusal_and_the_text_is_kept(world: World, source: Slow) -> None:
    source.no = refused("BUSY", "The store is [busy].", "Try again.")

    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("escape", "escape")
        await driven.sees("i note")
        source.let_go.set()
        await driven.sees("Note on s:0 Draw the lamps:", "store is [busy]. Try again.")
        source.no = None
        await driven.press("t", "n")
        await driven.sees("Note on s:0", "fuses")
        await driven.press("enter")
        await driven.until(lambda: isinstance(driven.app.screen, TreeScreen))

    drive(source, driver)
    assert notes(world) == ["fuses"]


def test_a_note_begun_while_one_is_sent_is_typed_at_once_and_sent_when_that_one_was(
    world: World, source: Slow
) -> None:
    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("escape")
        await driven.sees("task tree")
        await driven.press("n", *"quick", "enter")
        await driven.sees("Note on s:0", "quick", "A change to TASK-001 is still being sent.")
        assert driven.app.screen.query_one(TextField).text == "quick"
        assert source.writes == 1
        source.let_go.set()
        await driven.sees("Added a note to s:0.", "quick")
        await driven.press("enter")
        await driven.until(lambda: isinstance(driven.app.screen, TreeScreen))

    drive(source, driver)
    assert notes(world) == ["fuses", "quick"]


def test_a_note_that_is_refused_while_the_next_is_typed_is_kept_even_when_that_was_sent(
    world: World, source: Slow
) -> None:
    source.no = refused("BUSY", "The store is busy.", "Try again.")
    kept: list[str] = []

    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("escape")
        await driven.sees("task tree")
        await driven.press("n", *"quick")
        await driven.sees("Note on s:0", "quick")
        assert sorted(driven.app.session.drafts.values()) == ["fuses", "quick"]
        source.let_go.set()
        await driven.sees("store is busy.")
        source.no = None
        await driven.press("enter")
        await driven.sees("Added a note to s:0.")
        kept.extend(sorted(driven.app.session.drafts.values()))

    drive(source, driver)
    assert notes(world) == ["quick"]
    assert kept == ["fuses"]


def test_an_undo_that_is_under_way_cannot_be_begun_again(world: World, source: Slow) -> None:
    world.ok("tasks_block", task="TASK-001", path="s:0", reason="first")
    world.ok("tasks_block", task="TASK-001", path="s:0", reason="second")

    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("blocked: second")
        await driven.press("u")
        await driven.sees("undo it")
        await driven.press("enter", "escape")
        await driven.press("u")
        await driven.sees("is still being sent")
        source.let_go.set()
        await driven.sees("Undid operation", "blocked: first")

    drive(source, driver)
    assert world.step("TASK-001", "s:0")["blocked"] == "first"


def test_an_answer_closes_its_own_dialog_and_not_the_radar_above_it(world: World, source: Slow) -> None:
    async def driver(driven: Driven) -> None:
        await sends_a_note(driven)
        await driven.sees("sending")
        await driven.press("ctrl+r")
        await driven.sees("Verify")
        source.let_go.set()
        await driven.until(lambda: notes(world))
        await driven.until(lambda: not source.todos.needs_snapshot())
        await driven.sees("Verify")
        await driven.press("escape")
        await driven.sees("task tree", "Added a note to s:0.")
        await driven.until(lambda: len(driven.app.screen_stack) == 2)

    drive(source, driver)


def test_a_step_that_is_being_closed_is_closed_as_it_was_confirmed(world: World, source: Slow) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Draw the lamps")
        await driven.press("c")
        await driven.sees("1 of 2: criteria")
        await driven.press("enter", "enter")
        await driven.sees("close the step")
        await driven.press("enter")
        await driven.sees("sending")
        await driven.press("ctrl+p", "ctrl+n")
        await driven.sees("tests: checked by you")
        source.let_go.set()
        await driven.sees("Closed s:0.")

    drive(source, driver)
    assert source.writes == 1
