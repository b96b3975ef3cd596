"""Every screen at every size is as it was kept: what it shows, in Unicode and in ASCII.

`GATEPOST_SNAPSHOTS=write` keeps them anew; then look at what changed.
"""

from itertools import product

import pytest

from gatepost.surfaces.tui.texts import width
from tests.givens import World
from tests.tui.givens import (
    NARROW,
    SIZES,
    SNAPSHOTS,
    Driven,
    Script,
    a_login_page,
    drive,
    envelope,
    items,
    source_of,
)

# Keys that lead to a screen, and words that are there once it has read what it shows; Escape leads back from each.
SCREENS = {
    "preview": ((), "waits for the style"),
    "lists": (("o",), "waits for the style"),
    "lists-all": (("o", "0"), "[0 all"),
    "lists-search": (("o", "slash", "f", "o", "r", "m"), "Write the form"),
    "detail": (("o", "enter"), "Checkpoints"),
    "log": (("a",), "todo_written"),
    "help": (("question_mark",), "The step tree"),
    "composing": (("i", "h", "a", "l", "f"), "note on TASK-001"),
}
LOOKS = [(size, False) for size in SIZES] + [("80x24", True)]


def _name(screen: str, size: str, plain: bool) -> str:
    return f"{screen}-{size}{'-ascii' if plain else ''}"


@pytest.mark.parametrize(("size", "plain"), LOOKS)
def test_every_screen_looks_as_it_was_kept(one_world: World, size: str, plain: bool) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        for screen, (keys, words) in SCREENS.items():
            await driven.sees("waits for the style", "now")
            await driven.press(*keys)
            await driven.sees(words)
            driven.check(_name(screen, size, plain))
            assert not plain or driven.picture().isascii()
            while len(driven.app.screen_stack) > 1:
                await driven.press("escape")

    drive(source_of(one_world), driver, SIZES[size], ascii_only=plain)


@pytest.mark.parametrize("size", NARROW)
def test_a_lost_connection_looks_as_it_was_kept(size: str) -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress", b="canceled", c="blocked")))
        await driven.sees("● a")
        source.say(state="lost", reason="[Errno 111] Connection refused")
        await driven.sees("STALE")
        driven.check(f"lost-{size}")

    drive(source, driver, SIZES[size])


@pytest.mark.parametrize("size", NARROW)
def test_an_empty_workspace_looks_as_it_was_kept(one_world: World, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("No open tasks")
        driven.check(f"empty-{size}")

    drive(source_of(one_world), driver, SIZES[size])


def test_no_row_of_a_snapshot_is_wider_than_its_screen() -> None:
    for screen, (size, plain) in product(SCREENS, LOOKS):
        lines = (SNAPSHOTS / f"{_name(screen, size, plain)}.txt").read_text(encoding="utf-8").splitlines()
        columns, rows = SIZES[size]
        assert len(lines) == rows
        assert max(width(line) for line in lines) <= columns
