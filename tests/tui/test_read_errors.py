"""A problem is shown while it lasts. When it is over, nothing on the screen says that it is there."""

from collections.abc import Callable
from typing import Any

import pytest
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.client.remote_subscription import RemoteSubscription
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.surfaces.tui.screens import reader, taskdoc
from gatepost.surfaces.tui.screens.reader import ReadErrors
from gatepost.surfaces.tui.screens.taskdoc import TaskdocScreen
from tests.givens import WORKSPACE, World
from tests.tui.givens import Driven, ServerSource, StoreSource, drive, refused, with_a_taskdoc

SAID = "The server does not answer."
SCREENS = {
    "tree": (("t",), "Write the form"),
    "step": (("t", "enter"), "History"),
    "docs": (("d",), "Ship it"),
    "history": (("d", "h"), "rewrote it"),
    "radar": (("r",), "Verify"),
    "tasks": (("t", "p"), "Login page"),
}


class Cut(StoreSource):
    """A source that can be cut off from what it asks, and hears all the same."""

    cut = False
    failed = 0

    def hear(self, _operation: str, _fields: dict[str, Any], /) -> None:
        if self.cut:
            self.failed += 1
            raise refused("STORE_UNREACHABLE", SAID, "Start it with `gatepost up`.")


@pytest.fixture
def world(world: World) -> World:
    """A world on disk with a task and a taskdoc."""
    return with_a_taskdoc(world)


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
        await driven.sees("This step is done. Press x to reopen it.")
        source.cut = False
        world.ok("tasks_block", task="TASK-001", path="s:4", reason="no key")
        await driven.sees("blocked: no key")
        await driven.sees("This step is done. Press x to reopen it.")

    drive(source, driver)


class Patient(Screen[None]):
    """A screen whose timers run when they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []
        self.later: list[Callable[..., Any]] = []

    def set_timer(self, delay: float, callback: Any = None, **_: Any) -> Any:
        self.pauses.append(delay)
        self.later.append(callback)


def test_what_goes_on_failing_is_tried_ever_less_often_until_it_went_well() -> None:
    screen, tried = Patient(), []
    no = refused("STORE_UNREACHABLE", SAID, "Start it.")
    errors = ReadErrors(screen, lambda: tried.append(len(screen.pauses)))

    for _ in range(5):
        errors.show(no)
        errors.show(no)
        screen.later[-1]()
    errors.clear()
    errors.show(no)

    assert screen.pauses == [1.5, 3.0, 6.0, 10.0, 10.0, 1.5]
    assert tried == [1, 2, 3, 4, 5]


def test_docs_that_are_looked_at_now_and_then_do_not_look_while_they_wait_to_try_again(
    source: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_PAUSE", 3_600.0)
    looks = 0

    class Counted(TaskdocScreen):
        def _look_again(self) -> None:
            nonlocal looks
            looks += 1
            super()._look_again()

    async def driver(driven: Driven) -> None:
        monkeypatch.setattr(taskdoc, "_LOOK", 0.01)
        await driven.sees("Call the API")
        source.cut = True
        driven.app.push_screen(Counted())
        await driven.sees(SAID)
        failed, seen = source.failed, looks
        await driven.until(lambda: looks > seen + 5)
        assert source.failed == failed

    drive(source, driver)
    assert source.failed


def test_calls_without_an_answer_do_not_retry_refused_streams() -> None:
    source = ServerSource("http://127.0.0.1:9", WORKSPACE)
    heard: list[Update] = []
    source.start(heard.append)
    try:
        assert isinstance(source._subscription, RemoteSubscription)
        for _ in range(3):
            with pytest.raises(Refusal, match="does not answer"):
                source.calls.taskdocs.list(limit=200)
        assert source._subscription._status.retries == 0
    finally:
        source.stop()
