"""Where nothing happens, nothing is drawn; and what is the same as before is not looked at again."""

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from textual.screen import Screen

from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.screens.lists import ListsScreen
from gatepost.todo import Scope, TodoStore
from tests.givens import World
from tests.tui.givens import NOW, Driven, Script, a_login_page, drive, envelope, items, source_of

TICKS = 2


class Counting(GatepostApp):
    """An application that counts its ticks, and how often it writes to its terminal."""

    ticks = 0
    drawn = 0

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.rows: set[int | None] = set()
        """Which rows were drawn; none stands for all of them."""

    def _tick(self) -> None:
        super()._tick()
        self.ticks += 1

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        self.drawn += 1
        self.rows |= {y for y, _, _ in getattr(renderable, "spans", [(None, 0, 0)])}
        super()._display(screen, renderable)


async def drawn_while_idle(world: World, key: str, words: str) -> int:
    """How often a screen is drawn while the clock ticks and nothing happens."""
    # A later moment at each look: whatever is shown of it would have to be drawn anew.
    later = count(NOW)
    app = Counting(source_of(world), now=lambda: next(later))
    async with app.run_test(size=(80, 24)) as pilot:
        driven = Driven(app, pilot)
        await driven.sees("Call the API", "● live")
        await driven.press(key)
        await driven.sees(words)
        first = app.ticks  # what was under way has come to rest by the next one
        await driven.until(lambda: app.ticks > first)
        before = app.drawn
        await driven.until(lambda: app.ticks > first + TICKS)
        return app.drawn - before


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("t", "task tree"),
        ("r", "Verify"),
        ("o", "[1 "),
        ("a", "step_blocked"),
        ("question_mark", "Everywhere"),
    ],
    ids=["tree", "radar", "lists", "log", "help"],
)
def test_a_screen_on_which_nothing_happens_writes_nothing(world: World, key: str, words: str) -> None:
    a_login_page(world)

    assert asyncio.run(drawn_while_idle(world, key, words)) == 0


def test_the_first_screen_is_drawn_as_time_goes_by_so_that_the_count_counts(world: World) -> None:
    a_login_page(world)

    assert asyncio.run(drawn_while_idle(world, "escape", "Call the API")) > 0


def test_as_time_goes_by_only_the_row_with_the_clock_is_drawn_again(world: World) -> None:
    a_login_page(world)
    later = count(NOW)
    app = Counting(source_of(world), now=lambda: next(later))

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            driven = Driven(app, pilot)
            await driven.sees("● Call the API", "waits for the style guide", "● live")
            first = app.ticks  # what was under way has come to rest by the next one
            await driven.until(lambda: app.ticks > first)
            app.rows.clear()
            await driven.until(lambda: app.ticks > first + TICKS)
            clock = driven.picture().splitlines().index(driven.line("● Call the API"))
            assert app.rows == {clock}

    asyncio.run(run())


def test_a_list_that_is_heard_of_again_as_it_is_draws_nothing() -> None:
    source = Script()
    app = Counting(source, now=lambda: NOW)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            driven = Driven(app, pilot)
            source.say(envelope("replace", 1, items=items(a="in_progress", b="todo")))
            await driven.sees("● a")
            await driven.press("o")
            await driven.sees("[1 ")
            first = app.ticks
            await driven.until(lambda: app.ticks > first)
            before = app.drawn
            source.say(envelope("patch", 2, patches=[{"id": "a", "title": "a"}]))
            await driven.until(lambda: app.session.lists.scopes["TASK-001"].revision == 2)
            await driven.until(lambda: app.ticks > first + 1)
            assert app.drawn == before
            source.say(envelope("patch", 3, patches=[{"id": "b", "title": "bee"}]))
            await driven.sees("○ bee")
            assert app.drawn > before

    asyncio.run(run())


class Watched(TodoStore):
    """Lists that count how often all of them are looked at."""

    looks = 0

    @property
    def scopes(self) -> Mapping[str, Scope]:
        self.looks += 1
        return super().scopes


def test_however_many_lists_there_are_a_key_does_not_look_at_all_of_them() -> None:
    source = Script()
    todos = source.todos = Watched()

    async def driver(driven: Driven) -> None:
        source.say(*(envelope("replace", 1, f"TASK-{n:03}", items=items(a="todo")) for n in range(1, 200)))
        await driven.sees("lists more")
        looks = todos.looks
        await driven.press("i", *"a note", "escape")
        driven.app._tick()
        await driven.press("o", "tab", "0", "j", "slash", *"99", "escape", "escape")
        await driven.sees("a note")
        assert todos.looks == looks
        source.say(envelope("patch", 2, "TASK-150", seq=300, patches=[{"id": "a", "status": "in_progress"}]))
        await driven.until(lambda: driven.app.session.lists.ordered()[0].key == "TASK-150")

    drive(source, driver)


def test_a_search_that_is_typed_on_finds_what_it_would_find_at_once() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(abc="todo", abd="todo", xyz="done")))
        await driven.press("o", "slash", *"ab")
        await driven.until(lambda: "xyz" not in driven.picture())
        source.say(envelope("patch", 2, patches=[{"id": "xyz", "title": "abdomen"}]))
        await driven.sees("abc", "abd", "abdomen")
        await driven.press("d")
        await driven.until(lambda: "○ abc" not in driven.picture())
        await driven.sees("abd", "abdomen")
        await driven.press(*["backspace"] * 3, *"done")
        await driven.until(lambda: "○ abd" not in driven.picture())
        await driven.sees("✓ abdomen")
        assert isinstance(driven.app.screen, ListsScreen)

    drive(source, driver)
