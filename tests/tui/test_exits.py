"""Ways out: always in sight, at once, and each ends no more than it says."""

import threading
from typing import Any

import pytest

from gatepost.surfaces.tui.call_threads import under_way
from tests.givens import World
from tests.tui.givens import PATIENCE, Driven, Script, a_login_page, drive, source_of


class Silent(Script):
    """A source that does not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.answers = threading.Event()

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        self.asked.set()
        self.answers.wait(PATIENCE)
        super().hear(operation, fields)


def test_whoever_leaves_waits_for_no_answer() -> None:
    source = Silent()

    async def driver(driven: Driven) -> None:
        await driven.press("r")
        await driven.until(source.asked.is_set)
        await driven.press("q")

    drive(source, driver)

    assert under_way()
    source.answers.set()


def test_who_has_left_opens_nothing_more() -> None:
    async def driver(driven: Driven) -> None:
        driven.app.action_go("quit")
        for name in ("tree", "lists", "docs", "radar", "log", "help", "quit"):
            driven.app.action_go(name)
        assert len(driven.app.screen_stack) == 1

    drive(Script(), driver)


def test_an_interrupt_in_the_search_ends_the_search_and_nothing_else(world: World) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.press("o")
        await driven.sees("Release")
        await driven.press("slash")
        await driven.type("call")
        await driven.until(lambda: "Release" not in driven.picture())
        await driven.press("ctrl+c")
        await driven.sees("Release", "Search: Enter keeps it")
        await driven.press("ctrl+c")
        await driven.until(lambda: "Search: Enter keeps it" not in driven.picture())
        assert not driven.app.exiting
        await driven.press("ctrl+c")
        assert driven.app.exiting

    drive(source_of(world), driver)


@pytest.mark.parametrize("width", [24, 40, 60])
def test_where_not_all_keys_have_room_the_way_out_is_named_and_the_rest_is_hinted_at(
    world: World, width: int
) -> None:
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        line = driven.picture().splitlines()[-1]
        assert line.startswith(" i note")
        assert line.endswith("…  q quit")
        await driven.press("o")
        await driven.sees("Esc back")
        line = driven.picture().splitlines()[-1]
        assert line.startswith(" Tab 1-9") or width == 24
        assert line.endswith("…  Esc back")
        await driven.pilot.resize_terminal(120, 24)
        await driven.until(lambda: driven.picture().splitlines()[-1].endswith("f follow  Esc back"))

    drive(source_of(world), driver, (width, 24))
