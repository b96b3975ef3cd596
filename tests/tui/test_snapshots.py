"""Every screen at every size is as it was kept: what it shows, in Unicode and in ASCII.

`GATEPOST_SNAPSHOTS=write` keeps them anew; then look at what changed.
"""

import pytest

from gatepost.surfaces.tui.texts import width
from tests.givens import World
from tests.tui.givens import SIZES, SNAPSHOTS, Driven, Script, a_login_page, drive, envelope, items, source_of

# Keys that lead to a screen, and words that are there once it has read what it shows.
SCREENS = {
    "preview": ((), "waits for the style"),
    "composing": (("i", "h", "a", "l", "f"), "note to TASK-001"),
    "lists": (("o",), "waits for the style"),
    "lists-all": (("o", "0"), "[0 all"),
    "lists-search": (("o", "slash", "f", "o", "r", "m"), "Write the form"),
    "detail": (("o", "enter"), "unconfirmed"),
    "log": (("a",), "todo_written"),
    "help": (("question_mark",), "the tree of steps"),
}


@pytest.mark.parametrize("plain", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_looks_as_it_was_kept(one_world: World, screen: str, size: str, plain: bool) -> None:
    a_login_page(one_world)
    keys, words = SCREENS[screen]

    async def driver(driven: Driven) -> None:
        await driven.sees("waits for the style")
        await driven.press(*keys)
        await driven.sees(words)
        driven.check(f"{screen}-{size}{'-ascii' if plain else ''}")
        assert not plain or driven.picture().isascii()

    drive(source_of(one_world), driver, SIZES[size], ascii_only=plain)


@pytest.mark.parametrize("size", SIZES)
def test_a_lost_connection_looks_as_it_was_kept(size: str) -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress", b="canceled", c="blocked")))
        await driven.sees("● a")
        source.say(state="lost", reason="[Errno 111] Connection refused")
        await driven.sees("STALE")
        driven.check(f"lost-{size}")

    drive(source, driver, SIZES[size])


@pytest.mark.parametrize("size", SIZES)
def test_an_empty_workspace_looks_as_it_was_kept(one_world: World, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("Nothing is open")
        driven.check(f"empty-{size}")

    drive(source_of(one_world), driver, SIZES[size])


def test_no_row_of_a_snapshot_is_wider_than_its_screen() -> None:
    for name in (f"{screen}-{size}{plain}" for screen in SCREENS for size in SIZES for plain in ("", "-ascii")):
        path = SNAPSHOTS / f"{name}.txt"
        columns, rows = next(size for word, size in SIZES.items() if word in name)
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) == rows
        assert max(width(line) for line in lines) <= columns
