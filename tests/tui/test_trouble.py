"""A problem is shown while it lasts. When it is over, nothing on the screen says that it is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.caller import Caller
from gatepost.surfaces.tui.source import Refused
from gatepost.surfaces.tui.store_source import StoreSource
from tests.givens import World, worlds
from tests.tui.givens import Driven, a_login_page, drive

SAID = "The server does not answer."
SCREENS = {
    "tree": (("t",), "Write the form"),
    "step": (("t", "enter"), "What was said and done"),
    "docs": (("d",), "Ship it"),
    "history": (("d", "h"), "rewrote it"),
    "radar": (("r",), "Verify"),
    "tasks": (("t", "p"), "Login page"),
    "item": (("o", "enter"), "in progress"),
}


class Cut(StoreSource):
    """A source that can be cut off from what it asks, and hears all the same."""

    cut = False

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        if self.cut:
            raise Refused("UNREACHABLE", SAID, "Start it with `gatepost up`.")
        return super().call(operation, **arguments)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on disk with a task and a taskdoc."""
    for world in worlds("sqlite", tmp_path):
        a_login_page(world)
        world.ok("taskdoc_create", name="main")
        world.ok("change_mind", taskdoc="main", selector="goals", content="Ship it", expected_revision=0)
        yield world


@pytest.fixture
def source(world: World) -> Cut:
    """The world behind a source that can be cut off."""
    return Cut(world.engine, world.workspace, Caller("human:tester"))


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_opened_during_an_outage_shows_what_there_is_when_it_is_over(source: Cut, name: str) -> None:
    keys, words = SCREENS[name]

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        *before, last = keys
        for key in before:
            await driven.press(key)
            await driven.sees("Write the form" if key == "t" else "Ship it" if key == "d" else "[1 ")
        source.cut = True
        await driven.press(last)
        await driven.sees(SAID)
        source.cut = False
        await driven.until(lambda: words in driven.picture() and SAID not in driven.picture())

    drive(source, driver)


def test_what_was_said_since_a_problem_stays_when_it_is_over(world: World, source: Cut) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("t")
        await driven.sees("Write the form")
        source.cut = True
        world.ok("tasks_note", task="TASK-001", note="news")
        await driven.sees(SAID)
        await driven.press("g", "c")
        await driven.sees("It is done; x reopens it.")
        source.cut = False
        world.ok("tasks_block", task="TASK-001", path="s:4", reason="no key")
        await driven.sees("blocked: no key")
        await driven.sees("It is done; x reopens it.")

    drive(source, driver)
