"""What was sent from the line: the next one can be typed meanwhile, all go in order, and none is lost unsaid."""

import threading
from typing import Any

from gatepost.engine.caller import Caller
from gatepost.surfaces.tui import runner
from tests.givens import WORKSPACE, World
from tests.tui.givens import PATIENCE, Driven, StoreSource, a_login_page, drive, refused
from tests.tui.test_composer import noted, typed
from tests.tui.test_composer_target import elsewhere


class Held(StoreSource):
    """A source whose notes wait until they are let go on. Those that are named are refused then."""

    def __init__(self, world: World, *refused: str) -> None:
        super().__init__(world.engine, WORKSPACE, Caller("human:tester"))
        self.let_go = threading.Event()
        self._refused = refused

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        if operation == "tasks_note":
            assert self.let_go.wait(PATIENCE)
            if fields["note"] in self._refused:
                raise refused("BUSY", "The store is busy", "Try again.")


def notes(world: World, task: str) -> list[str]:
    return [note["note"] for note in noted(world, task)]


async def send(driven: Driven, *lines: str) -> None:
    """Send lines, without waiting for an answer."""
    await driven.sees("● Call the API")
    await driven.press("i")
    for line in lines:
        await driven.type(line)
        await driven.press("enter")


def test_what_is_typed_while_a_line_is_sent_is_a_line_of_its_own(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Held(one_world)

    async def driver(driven: Driven) -> None:
        await send(driven, "first", "second")
        await driven.type("thi")
        await driven.sees("Sending: first (and 1 more)")
        source.let_go.set()
        await driven.until(lambda: not driven.app.session.outbox.lines)
        assert typed(driven) == "thi"
        await driven.type("rd")
        await driven.press("enter")
        await driven.until(lambda: len(notes(one_world, task)) == 3)
        await driven.sees("Added a note to Call the API of TASK-001.")
        assert "Sending" not in driven.picture()

    drive(source, driver)

    assert notes(one_world, task) == ["first", "second", "third"]


def test_ones_own_line_is_nobody_who_was_faster_but_others_still_are(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Held(one_world)

    async def driver(driven: Driven) -> None:
        await send(driven, "first", "second")
        elsewhere(one_world, "tasks_note", task=task, note="theirs")
        source.let_go.set()
        await driven.sees("Someone else was faster")
        await driven.until(lambda: not driven.app.session.outbox.lines)

    drive(source, driver)

    assert notes(one_world, task) == ["theirs"]


def test_a_refused_line_stands_there_again_and_is_not_forgotten_for_what_came_after_it(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Held(one_world, "first")

    async def driver(driven: Driven) -> None:
        await send(driven, "first", "second")
        source.let_go.set()
        await driven.sees("Added a note to Call the API of TASK-001.", "The store is busy. Try again.")
        assert typed(driven) == "first"

    drive(source, driver)

    assert notes(one_world, task) == ["second"]


def test_a_refused_line_whose_place_is_taken_is_among_the_earlier_ones_and_named_in_the_end(
    one_world: World,
) -> None:
    a_login_page(one_world)
    source = Held(one_world, "first")

    async def driver(driven: Driven) -> None:
        await send(driven, "first")
        await driven.type("sec")
        source.let_go.set()
        await driven.sees("Not sent, but kept among the earlier lines (press Up): first — The store is")
        assert typed(driven) == "sec"
        assert left(driven) == [("the line", "sec"), ("an earlier line", "first")]
        await driven.press("up")
        assert typed(driven) == "first"
        await driven.press("down")
        assert typed(driven) == "sec"

    drive(source, driver)


def test_a_line_without_an_answer_is_named_in_the_end_as_perhaps_sent(one_world: World) -> None:
    a_login_page(one_world)
    source = Held(one_world)

    async def driver(driven: Driven) -> None:
        await send(driven, "first")
        await driven.sees("Sending: first")
        assert left(driven) == [("a line, possibly sent", "first")]
        source.let_go.set()
        await driven.sees("Added a note to")
        assert left(driven) == []

    drive(source, driver)


def test_a_text_of_a_dialog_that_is_being_sent_is_named_as_perhaps_sent(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Held(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("t")
        await driven.sees("Write the form")
        await driven.press("n")
        await driven.type("fuses")
        ((about, text),) = left(driven)
        assert (about.startswith(f"Note on {task}"), "possibly" in about, text) == (True, False, "fuses")
        await driven.press("enter")
        await driven.until(lambda: left(driven)[0][0].endswith(", possibly sent"))
        source.let_go.set()
        await driven.until(lambda: not left(driven))

    drive(source, driver)


def left(driven: Driven) -> list[tuple[str, str]]:
    """What would be said to be unsent, if somebody left now."""
    return [(each.about, each.text) for each in runner._texts(driven.app.session)]
