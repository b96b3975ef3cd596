"""Both sources tell the same: everything as it is, then what changes; and say no in the same words."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gatepost.surfaces.http.app import Terms
from gatepost.surfaces.http.server import Server
from gatepost.surfaces.tui.server_source import ServerSource
from gatepost.surfaces.tui.source import Heard, Refused, Source
from gatepost.todo import Status
from tests.givens import WORKSPACE, World, worlds
from tests.http.givens import Site, site
from tests.tui.givens import PATIENCE, Driven, a_login_page, drive, source_of


class Ear:
    """Hears a source, and waits for what it wants to hear."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.batches: list[Heard] = []
        self._news = threading.Condition()

    def __enter__(self) -> "Ear":
        self.source.start(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        self.source.stop()

    def _hear(self, batch: Heard) -> None:
        with self._news:
            self.batches.append(batch)
            self._news.notify_all()

    def until(self, what: Callable[[], object]) -> None:
        with self._news:
            assert self._news.wait_for(lambda: bool(what()), PATIENCE), self.batches[-3:]

    @property
    def seqs(self) -> list[int]:
        return [event["seq"] for batch in self.batches for event in batch.events]

    @property
    def state(self) -> str:
        return self.batches[-1].state if self.batches else "lost"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file."""
    yield from worlds("sqlite", tmp_path)


@pytest.fixture
def here(world: World) -> Iterator[Site]:
    """A server on it."""
    with site(world) as running:
        yield running


@pytest.fixture(params=["store", "server"])
def source(request: pytest.FixtureRequest, world: World) -> Source:
    """The world as a source, once directly and once by a server."""
    if request.param == "store":
        return source_of(world)
    return ServerSource(request.getfixturevalue("here").url, WORKSPACE, actor="human:tester")


def test_a_source_begins_with_everything_and_goes_on_with_every_event(world: World, source: Source) -> None:
    task = a_login_page(world)

    with Ear(source) as ear:
        ear.until(lambda: ear.state == "live" and set(source.todos.scopes) == {task, "TASK-002", "main"})
        for path in ("s:1", "s:2"):
            world.close(task, path)
        world.ok("todo_write", items=[])
        ear.until(lambda: source.todos.items("main") == () and source.todos.items(task)[2].status is Status.DONE)
        head = world.ok("workspace_overview")["seq"]
        ear.until(lambda: ear.seqs and ear.seqs[-1] == head)

    assert ear.seqs == list(range(1, head + 1))
    assert source.todos.scopes[task].revision == world.revision(task)
    assert source.todos.ignored == 0


def test_a_call_is_answered_and_made_by_the_person(world: World, source: Source) -> None:
    task = world.task("One")

    reply = source.call("tasks_note", task=task, path="s:0", note="by hand", expected_revision=1)

    assert reply["revision"] == 2
    assert world.ok("tasks_delta", task=task)["events"][-1]["actor"] == "human:tester"


def test_a_refusal_has_its_code_words_and_suggestion(world: World, source: Source) -> None:
    task = world.task("One")

    with pytest.raises(Refused) as no:
        source.call("tasks_note", task=task, note="x", expected_revision=7)

    assert no.value.code == "REVISION_MISMATCH"
    assert no.value.message == "TASK-001 is at revision 1, not 7."
    assert "expected_revision 1" in no.value.recovery
    assert no.value.suggestion is not None
    assert no.value.suggestion["arguments"]["workspace"] == WORKSPACE
    with pytest.raises(Refused) as unknown:
        source.call("tasks_nothing")
    assert unknown.value.code == "UNKNOWN_TOOL"


def test_after_stop_nothing_is_heard(world: World, source: Source) -> None:
    task = world.task("One")

    with Ear(source) as ear:
        ear.until(lambda: ear.state == "live" and source.todos.items(task))
    count = len(ear.batches)
    world.close(task, "s:0")

    assert len(ear.batches) == count


def test_a_server_that_goes_is_lost_and_one_that_comes_back_is_live_with_what_came_meanwhile(world: World) -> None:
    task = a_login_page(world)
    with site(world) as running:
        port = running.server.port
        source = ServerSource(running.url, WORKSPACE)
        ear = Ear(source)
        ear.__enter__()
        ear.until(lambda: ear.state == "live" and source.todos.items(task))
    try:
        ear.until(lambda: ear.state == "lost" and ear.batches[-1].reason)
        assert source.todos.items(task)[1].status is Status.IN_PROGRESS
        world.close(task, "s:1")

        again = Server(world.engine, Terms(), port)
        try:
            ear.until(lambda: ear.state == "live" and source.todos.items(task)[1].status is Status.DONE)
            head = world.ok("workspace_overview")["seq"]
            ear.until(lambda: head in ear.seqs)
        finally:
            again.stop()
    finally:
        ear.__exit__()


def test_a_server_that_is_not_there_is_said_with_the_next_step() -> None:
    source = ServerSource("http://127.0.0.1:9", WORKSPACE)

    with pytest.raises(Refused) as no:
        source.call("tasks_radar")
    with Ear(source) as ear:
        ear.until(lambda: ear.batches and ear.batches[-1].reason)

    assert no.value.code == "UNREACHABLE"
    assert "gatepost up" in no.value.recovery
    assert ear.state == "lost"


def test_a_server_that_wants_a_token_refuses_for_good_and_says_why(world: World) -> None:
    token = "t" * 32
    with site(world, token=token) as running:
        with Ear(ServerSource(running.url, WORKSPACE)) as ear:
            ear.until(lambda: ear.state == "refused" and ear.batches[-1].reason)
        with Ear(ServerSource(running.url, WORKSPACE, token=token)) as let_in:
            let_in.until(lambda: let_in.state == "live")


def test_the_screen_shows_a_server_as_it_shows_a_store(here: Site) -> None:
    task = a_login_page(here.world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "Document it — waits for the style guide", "● live")
        here.world.close(task, "s:1")
        await driven.sees("2/5", "● Test 日本語 input")

    drive(ServerSource(here.url, WORKSPACE), driver)
