"""The terminal keeps its connections: a store that is asked many times is opened once for asking."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from gatepost.surfaces.tui.calls import in_thread
from tests.givens import World, new_store
from tests.tui.givens import Driven, a_login_page, drive, source_of

CALLING = "gatepost tui call"


@contextmanager
def opened() -> Iterator[list[str]]:
    """The connections that are opened meanwhile, each by the name of its thread."""
    seen: list[str] = []

    def note(_: apsw.Connection) -> None:
        seen.append(threading.current_thread().name)

    apsw.connection_hooks.append(note)
    try:
        yield seen
    finally:
        apsw.connection_hooks.remove(note)


def test_one_call_after_another_uses_one_connection(tmp_path: Path) -> None:
    world = World(new_store("sqlite", tmp_path))
    task = world.task("x")
    source = source_of(world)

    async def many() -> None:
        for number in range(20):
            await in_thread(source.calls.tasks.note, task=task, note=f"{number}")
            await in_thread(source.calls.tasks.radar, task=task)

    with opened() as seen:
        asyncio.run(many())
    world.store.close()

    assert seen == [CALLING]


def test_working_in_the_terminal_opens_no_connection_for_each_call(tmp_path: Path) -> None:
    world = World(new_store("sqlite", tmp_path))
    a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        for screen in ("t", "r", "o") * 3:
            await driven.press(screen, "escape")
            await driven.press("i")
            await driven.type("x")
            await driven.press("enter")
            await driven.sees("Added a note to Call the API")
            await driven.press("escape")

    with opened() as seen:
        drive(source_of(world), driver)
    world.store.close()

    assert seen.count(CALLING) <= 4, "as many as asked at the same time, however many calls there were"
