"""Typing ahead: keys that come all at once do what they do one by one."""

from textual.events import Key, Paste

from tests.givens import World
from tests.tui.givens import Driven, a_login_page, drive, source_of
from tests.tui.test_composer import noted, typed


def at_once(driven: Driven, *keys: str) -> None:
    """Press keys faster than anything can follow."""
    for key in keys:
        driven.app.post_message(Key(key, key if len(key) == 1 else None))


def test_words_typed_behind_the_key_that_opens_a_line_stand_in_that_line(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        at_once(driven, "i", *"looks-odd-to-tara")
        await driven.sees("note on TASK-001", "looks-odd-to-tara")
        at_once(driven, "escape", "o", "slash", *"release")
        await driven.until(lambda: driven.picture().splitlines()[-2].strip() == "release")

    drive(source_of(one_world), driver)


def test_a_note_is_opened_typed_and_sent_and_the_lists_are_shown_in_one_breath(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        at_once(driven, "i")
        driven.app.post_message(Paste("half way"))
        at_once(driven, "enter", "escape", "o", "tab")
        await driven.sees("[2 TASK-002 0/2]")

    drive(source_of(one_world), driver)

    assert [note["note"] for note in noted(one_world, task)] == ["half way"]


def test_what_is_typed_while_screens_change_never_stops_the_keys(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        for _ in range(5):
            at_once(driven, *"toadr", "question_mark", "escape", "escape", "escape", "escape", "escape", "escape")
        at_once(driven, "i", *"here")
        await driven.sees("note on TASK-001", "here")
        assert typed(driven) == "here"

    drive(source_of(one_world), driver)


def test_keys_behind_the_one_that_ends_it_are_nobody_s(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        at_once(driven, "o", "q", "i", *"never", "enter")

    drive(source_of(one_world), driver)

    assert noted(one_world, "TASK-001") == []
