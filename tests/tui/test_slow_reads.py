"""A screen that has still to be read: keys wait for it, it can be left, and an answer that is none is said so."""

import asyncio
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from textual.widget import Widget

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.surfaces.tui import key_queue
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.key_queue import Loadable
from gatepost.surfaces.tui.screens.tree import TreeScreen
from tests.givens import WORKSPACE, World
from tests.tui.givens import (
    NOW,
    PATIENCE,
    PAUSE,
    Driven,
    Driver,
    ServerSource,
    StoreSource,
    refused,
    with_a_taskdoc,
)
from tests.tui.test_composer import noted
from tests.tui.test_key_queue import at_once

READS = {
    "tree": (("t",), "tasks_tree"),
    "step": (("t", "enter"), "tasks_resume"),
    "tasks": (("t", "p"), "workspace_overview"),
    "closing": (("t", "j", "c"), "tasks_resume"),
    "undoing": (("t", "u"), "tasks_history"),
    "docs": (("d",), "taskdoc_list"),
    "history": (("d", "h"), "taskdoc_history"),
    "difference": (("d", "h"), "taskdoc_diff"),
    "radar": (("r",), "tasks_radar"),
    "item": (("o", "enter"), "tasks_resume"),
}


class Held(StoreSource):
    """A source that holds back its answers to one operation until they are let go, and may refuse it then."""

    def __init__(self, world: World) -> None:
        super().__init__(world.engine, world.workspace, Caller("human:tester"))
        self.holds: str | None = None
        self.let_go = threading.Event()
        self.asked = threading.Event()
        self.no: Refusal | None = None

    def hear(self, operation: str, _fields: dict[str, Any], /) -> None:
        if operation != self.holds:
            return
        self.asked.set()
        assert self.let_go.wait(PATIENCE)
        if self.no is not None:
            raise self.no


@pytest.fixture
def world(world: World) -> World:
    """A world on disk with a task and a taskdoc."""
    return with_a_taskdoc(world)


@pytest.fixture
def source(world: World) -> Held:
    """The world behind a source that can hold back."""
    return Held(world)


def drive(source: Any, driver: Driver, *, live: bool = True) -> GatepostApp:
    """Run an application that may tell something over any screen, until the driver is done with it."""
    app = GatepostApp(source, now=lambda: NOW)

    async def run() -> None:
        async with app.run_test(notifications=True) as pilot:
            driven = Driven(app, pilot)
            if live:
                await driven.until(lambda: app.session.state == "live")
            await driver(driven)

    asyncio.run(run())
    return app


def notes(world: World) -> list[tuple[str, str]]:
    return [(note["path"], note["note"]) for note in noted(world, "TASK-001")]


def test_words_typed_while_a_tree_is_read_become_the_note_that_was_meant(world: World, source: Held) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        source.holds = "tasks_tree"
        at_once(driven, "t", "n", "q", "u", "enter")
        await driven.until(source.asked.is_set)
        assert isinstance(driven.app.screen, TreeScreen)
        source.let_go.set()
        await driven.sees("Added a note to s:1.")

    drive(source, driver)
    assert notes(world) == [("s:1", "qu")]


def test_keys_for_a_screen_that_takes_too_long_are_dropped_with_a_word(
    world: World, source: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_queue, "PATIENCE", 0.1)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        source.holds = "tasks_tree"
        at_once(driven, "t", "n", *"quick", "enter")
        await driven.sees("7 keys")
        source.let_go.set()
        await driven.sees("Write the form")
        assert len(driven.app.screen_stack) == 2
        await driven.press("n")
        await driven.sees("Note on s:1")

    assert drive(source, driver).return_code is None
    assert notes(world) == []


@pytest.mark.parametrize("way", ["escape", "q", "ctrl+c"])
def test_the_ways_out_of_a_screen_that_is_read_are_open_at_once(source: Held, way: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        source.holds = "tasks_tree"
        await driven.press("t")
        await driven.until(source.asked.is_set)
        at_once(driven, way)
        await driven.until(lambda: driven.app.exiting or len(driven.app.screen_stack) == 1)
        source.let_go.set()

    assert drive(source, driver).return_code == (None if way == "escape" else 0)


def test_who_wants_out_gives_up_the_keys_that_wait(
    world: World, source: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_queue, "PATIENCE", 3_600.0)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        source.holds = "tasks_tree"
        await driven.press("t", "n")
        await driven.until(source.asked.is_set)
        await driven.press("q", "escape")
        await driven.until(lambda: len(driven.app.screen_stack) == 1)
        source.let_go.set()
        await driven.press("o")
        await driven.sees("[1 ")

    assert drive(source, driver).return_code is None
    assert notes(world) == []


def test_a_key_for_a_section_that_is_turned_to_waits_until_it_was_read(source: Held) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("d")
        await driven.sees("Ship it")
        source.holds = "recall_mind"
        at_once(driven, "2", "h")
        await driven.until(source.asked.is_set)
        source.let_go.set()
        await driven.sees("main constraints: history")

    drive(source, driver)


class Last(Widget):
    """Stays on a screen that is taken away until all else is gone from it and what it waited for was answered."""

    def __init__(self, source: Held) -> None:
        super().__init__()
        self._source = source

    async def on_unmount(self) -> None:
        screen, end = self.screen, time.monotonic() + PATIENCE
        while len(screen.children) > 1 and time.monotonic() < end:
            await asyncio.sleep(PAUSE)
        self._source.let_go.set()
        while any(worker.node is screen for worker in self.workers) and time.monotonic() < end:
            await asyncio.sleep(PAUSE)


@pytest.mark.parametrize("refusing", [False, True], ids=["answered", "refused"])
@pytest.mark.parametrize("name", READS)
def test_who_leaves_a_screen_while_it_reads_is_on_the_one_before_and_nothing_ends(
    source: Held, name: str, *, refusing: bool
) -> None:
    *before, last = READS[name][0]
    source.no = refused("BUSY", "The store is busy.", "Try again.") if refusing else None

    async def driver(driven: Driven) -> None:
        app = driven.app
        await driven.sees("Call the API")
        for key in before:
            await driven.press(key)
            await driven.until(lambda: not isinstance(app.screen, Loadable) or app.screen.ready)
        source.holds = READS[name][1]
        await driven.press(last)
        await driven.until(source.asked.is_set)
        left = app.screen
        await left.mount(Last(source))
        app.pop_screen()
        await driven.until(lambda: not left.is_attached and source.let_go.is_set())
        source.holds = None
        await driven.press("question_mark")
        await driven.until(lambda: app.screen is not left)

    assert drive(source, driver).fault is None


class _Foreign(BaseHTTPRequestHandler):
    """Somebody else's server: it answers everything, and says nothing."""

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST  # noqa: N815 - the library's name for it

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name for it
        pass


@pytest.fixture
def foreign() -> Iterator[ServerSource]:
    """A source on somebody else's server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield ServerSource(f"http://127.0.0.1:{server.server_port}", WORKSPACE)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("pressed", [("t",), ("r",), ("d",), ("t", "p")], ids="".join)
def test_a_server_that_answers_nonsense_is_said_to_do_so(foreign: ServerSource, pressed: tuple[str, ...]) -> None:
    async def driver(driven: Driven) -> None:
        for key in pressed:
            await driven.press(key)
            await driven.sees("does not answer as")

    assert drive(foreign, driver, live=False).fault is None
