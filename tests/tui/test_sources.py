"""Both sources tell the same: everything as it is, then what changes; and say no in the same words."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import IncompleteRead, RemoteDisconnected
from pathlib import Path
from typing import Final
from urllib.error import URLError

import pytest

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from gatepost.surfaces.tui import streams
from gatepost.surfaces.tui.server_source import ServerSource
from gatepost.surfaces.tui.source import STORE_FAULTS, Heard, Refused, Source
from gatepost.todo import Status
from tests.givens import WORKSPACE, World
from tests.http.givens import Site, site
from tests.tui.givens import PATIENCE, Driven, a_login_page, drive, source_of

TOKEN: Final = "t" * 32


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


def test_a_store_that_cannot_be_used_is_said_in_its_own_words_and_heals(world: World, source: Source) -> None:
    world.task("Form")
    world.store.close()
    path = Path(world.store.describe()["path"])
    sound = path.read_bytes()
    path.write_bytes(b"no database " * 5_000)

    with pytest.raises(Refused, match="is not a Gatepost store") as refused:
        source.call("tasks_radar")
    with Ear(source) as ear:
        ear.until(lambda: any("is not a Gatepost store" in (batch.reason or "") for batch in ear.batches))
        path.write_bytes(sound)
        ear.until(lambda: ear.state == "live")

    assert refused.value.code in STORE_FAULTS
    assert "Check --store" in refused.value.recovery


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

        again = Server(world.engine, ServerSettings(), port)
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
    assert no.value.message == "http://127.0.0.1:9 does not answer: Connection refused."
    assert "gatepost up" in no.value.recovery
    assert (ear.state, ear.batches[-1].reason) == ("lost", "Connection refused")


def test_a_server_that_wants_a_token_says_so_and_lets_in_who_has_it(world: World) -> None:
    with site(world, token=TOKEN) as running:
        with Ear(ServerSource(running.url, WORKSPACE)) as ear:
            ear.until(lambda: ear.state == "refused")
        with Ear(ServerSource(running.url, WORKSPACE, token=TOKEN)) as let_in:
            let_in.until(lambda: let_in.state == "live")
        with Ear(ServerSource(running.url, WORKSPACE, token="x" * 32)) as wrong:
            wrong.until(lambda: wrong.state == "refused")

    assert ear.batches[-1].reason == "wants a token: --token-file"
    assert wrong.batches[-1].reason == "wants another token: --token-file"


def test_a_refused_stream_is_tried_again_as_soon_as_anything_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_REFUSED_PAUSE", 3_600.0)
    task = world.task("One")
    with site(world, token=TOKEN) as running:
        port = running.server.port
        source = ServerSource(running.url, WORKSPACE)
        ear = Ear(source)
        ear.__enter__()
        ear.until(lambda: ear.state == "refused")
        with pytest.raises(Refused) as no:
            source.call("tasks_note", task=task, note="too early")
    try:
        again = Server(world.engine, ServerSettings(), port)
        try:
            source.call("tasks_note", task=task, note="now")
            ear.until(lambda: ear.state == "live" and source.todos.items(task))
        finally:
            again.stop()
    finally:
        ear.__exit__()

    assert no.value.code == "UNAUTHORIZED"
    assert "--token-file" in no.value.recovery


def test_a_server_that_lets_nobody_in_for_a_while_leaves_what_is_shown_stale_and_is_live_again_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_REFUSED_PAUSE", 0.05)
    task = a_login_page(world)

    with ExitStack() as servers, site(world) as running:
        port = running.server.port

        async def driver(driven: Driven) -> None:
            await driven.sees("● Call the API", "● live")
            running.server.stop()
            closed = Server(world.engine, ServerSettings(token=TOKEN), port)
            await driven.sees("■ STALE for 0s: wants a token: --token-file", "● Call the API")
            closed.stop()
            world.close(task, "s:1")
            servers.callback(Server(world.engine, ServerSettings(), port).stop)
            await driven.sees("● live", "● Test 日本語 input")

        drive(ServerSource(running.url, WORKSPACE), driver)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (URLError(ConnectionRefusedError(111, "Connection refused")), "Connection refused"),
        (URLError("no host given"), "no host given"),
        (URLError(TimeoutError("timed out")), "it took too long"),
        (socket.gaierror(-2, "Name or service not known"), "Name or service not known"),
        (
            RemoteDisconnected("Remote end closed connection without response."),
            "Remote end closed connection without response",
        ),
        (IncompleteRead(b""), "the connection was cut"),
        (OSError(), "OSError"),
    ],
)
def test_what_libraries_say_of_a_connection_is_put_into_words(error: Exception, words: str) -> None:
    assert streams.worded(error) == words


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://:4870",
        "ftp://host",
        "http://host:99999",
        "http://host:0",
        "http://[::1",
        "host",
        "",
        "http://a..b",
    ],
)
def test_an_address_that_no_server_can_have_is_refused_at_once(url: str) -> None:
    with pytest.raises(BadUsage) as no:
        ServerSource(url, WORKSPACE)

    assert str(no.value) == f"--url {url} is no server's address"
    assert no.value.error["recovery"] == "Write it so: --url http://127.0.0.1:4870"


def test_a_refusal_is_a_sentence_before_its_next_step(world: World, source: Source) -> None:
    task = world.task("One")

    with pytest.raises(Refused) as no:
        source.call("tasks_note", task=task)

    assert no.value.words == "`note` is required. Correct `note` and send the call again."


def test_of_what_was_heard_before_another_log_nothing_is_left() -> None:
    old = Heard(events=[{"seq": 7}], todo=[{}], afresh=True)
    new = Heard(events=[{"seq": 1}], anew=True, state="lost", reason="another")

    assert old + new == new
    assert (new + Heard(events=[{"seq": 2}])).anew
    assert [event["seq"] for event in (old + new + Heard(events=[{"seq": 2}])).events] == [1, 2]


def test_the_screen_shows_a_server_as_it_shows_a_store(here: Site) -> None:
    task = a_login_page(here.world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "Document it — waits for the style guide", "● live")
        here.world.close(task, "s:1")
        await driven.sees("2/5", "● Test 日本語 input")

    drive(ServerSource(here.url, WORKSPACE), driver)
