"""What happens to a client's connections: threads, forks, other servers, and words that no header can carry."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import pytest

import gatepost
from gatepost import commands
from gatepost.client import connections
from gatepost.client.protocol import Client, Update
from gatepost.client.remote import RemoteClient
from gatepost.domain.refusals import StoreFault, WorkspaceMismatch
from gatepost.todo.event_stream import EventStream
from tests.client.givens import PATIENCE, Inbox, remote
from tests.givens import WORKSPACE, World
from tests.http.givens import site


def test_threads_share_one_client(world: World, client: Client) -> None:
    failures: list[BaseException] = []

    def calls(name: str) -> None:
        try:
            for _ in range(10):
                client.call("tasks_create", workspace=WORKSPACE, kind="task", title=name)
        except BaseException as error:  # noqa: BLE001 - the test reports it
            failures.append(error)

    threads = [threading.Thread(target=calls, args=(f"thread {count}",)) for count in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert failures == []
    assert len(world.ok("tasks_context", limit=100)["items"]) == 80


def test_a_connection_that_another_thread_took_first_is_not_missed(world: World) -> None:
    with site(world) as here:
        client = remote(here.url)
        client._connections._idle = _TakenMeanwhile()

        assert client.call("tasks_radar", workspace=WORKSPACE)["now"] is None
        client.close()


class _TakenMeanwhile(list):  # type: ignore[type-arg]  # what it holds does not matter
    """Looks filled, and is empty once it is used."""

    def __bool__(self) -> bool:
        return True


def test_a_fork_uses_connections_of_its_own(world: World) -> None:
    world.task("One")
    with site(world) as here:
        client = remote(here.url)
        client.call("tasks_radar", workspace=WORKSPACE)
        (kept,) = client._connections._idle

        child = os.fork()
        if not child:
            taken = client._connections._take()
            os._exit(0 if taken is not kept and taken.sock is None else 1)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0
        assert client.call("tasks_radar", workspace=WORKSPACE)["now"]
        assert client._connections._idle == [kept]
        client.close()


@pytest.mark.parametrize("token", ["two\nlines", "日本", "\ud800", ""])
def test_a_token_that_no_header_can_carry_is_refused(world: World, token: str) -> None:
    with site(world, token="t" * 32) as here, pytest.raises(gatepost.Refusal) as no:
        remote(here.url, token).call("tasks_radar", workspace=WORKSPACE)

    assert no.value.code in ("UNAUTHORIZED", "INVALID_INPUT")
    assert token not in no.value.message or not token


def test_an_actor_is_logged_in_its_own_letters(world: World) -> None:
    with site(world) as here, gatepost.connect(here.url, actor="Zoë 日本\n\ud800") as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="x")

    assert world.ok("tasks_delta")["events"][-1]["actor"] == "Zoë 日本??"


def test_an_actor_sent_as_latin_1_is_understood_too(world: World) -> None:
    with site(world) as here:
        here.client.post(
            "/v1/operations/tasks_create",
            json={"workspace": WORKSPACE, "kind": "task", "title": "x"},
            headers={b"X-Gatepost-Actor": "Zoë".encode("latin-1")},
        )

    assert world.ok("tasks_delta")["events"][-1]["actor"] == "Zoë"


def test_text_that_json_cannot_carry_is_refused_by_both(client: Client) -> None:
    for bad in ("half \ud800", object(), float("nan")):
        with pytest.raises(gatepost.Refusal) as no:
            client.call("tasks_create", workspace=WORKSPACE, kind="task", title=bad)

        assert no.value.family == "invalid"


def test_a_reply_of_another_shape_is_no_gatepost_server() -> None:
    with _server(b'{"unexpected": 1}') as url, gatepost.connect(url) as gp:
        with pytest.raises(gatepost.Refusal, match="does not answer as") as command:
            gp.do(commands.Radar(workspace=WORKSPACE))
        with pytest.raises(gatepost.Refusal, match="does not answer as") as method:
            gp.workspace(WORKSPACE).tasks.radar()

    assert command.value.code == method.value.code == "STORE_UNREACHABLE"


def test_a_reply_that_is_too_large_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_MOST_BYTES", 10)

    with _server(b'{"much": "more"}') as url, pytest.raises(gatepost.Refusal, match="too large"):
        remote(url).call("tasks_radar", workspace=WORKSPACE)


def test_a_plain_web_server_is_no_gatepost_server() -> None:
    with _server(b"<html>") as url:
        client = remote(url)
        with pytest.raises(gatepost.Refusal, match="does not answer as a Gatepost server does"):
            client.follow(WORKSPACE)
        with Inbox(client) as inbox:
            inbox.until(lambda: any("a Gatepost server" in update.reason for update in inbox.updates))
        assert not any(update.fault for update in inbox.updates)


def test_a_server_that_answers_an_empty_object_is_no_fault_of_ours() -> None:
    with _server(b"{}") as url, Inbox(remote(url)) as inbox:
        inbox.until(lambda: any("a Gatepost server" in update.reason for update in inbox.updates))

    assert not any(update.fault for update in inbox.updates)


def test_a_stream_that_is_refused_for_another_reason_than_its_token_says_so() -> None:
    with _server(b'{"seq": 0, "events": []}') as url, pytest.raises(gatepost.Refusal) as no:
        next(gatepost.connect(url).todos(WORKSPACE))

    assert (no.value.code, no.value.message) == (
        "STORE_UNREACHABLE",
        "answered 200: is it a Gatepost server?",
    )


def test_a_connection_that_is_in_use_while_its_client_closes_is_closed_afterwards(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site(world) as here:
        client = remote(here.url)
        taken = client._connections._take()
        monkeypatch.setattr(client._connections, "_take", lambda: taken)
        answered = taken.getresponse

        def closing() -> object:
            client.close()
            return answered()

        monkeypatch.setattr(taken, "getresponse", closing)
        client.call("tasks_radar", workspace=WORKSPACE)

        assert (client._connections._idle, taken.sock) == ([], None)


def test_a_session_uses_the_connections_and_the_patience_of_its_client(world: World) -> None:
    with site(world) as here:
        client = remote(here.url)
        session = client.for_session("s1")
        session.call("todo_write", workspace=WORKSPACE, items=["One"])

        assert session._connections is client._connections
        assert len(client._connections._idle) == 1
        client.close()


def test_a_bound_client_follows_no_other_workspace(world: World) -> None:
    with site(world) as here, gatepost.connect(here.url, workspace=WORKSPACE) as gp:
        with pytest.raises(WorkspaceMismatch):
            gp.follow("other/repo")
        with pytest.raises(WorkspaceMismatch):
            gp.client.subscribe("other/repo", lambda _: None)
        with pytest.raises(WorkspaceMismatch):
            gp.todos("other/repo")


def test_a_scope_that_can_be_no_list_is_refused_at_once(world: World, client: Client) -> None:
    world.task("One")

    with pytest.raises(gatepost.Refusal) as no:
        client.subscribe(WORKSPACE, lambda _: None, scope="no\nlist")

    assert no.value.code == "INVALID_INPUT"


def test_a_slow_listener_does_not_hold_up_calls(world: World, client: Client) -> None:
    world.task("One")
    reached, go_on = threading.Event(), threading.Event()

    def slow(_: Update) -> None:
        reached.set()
        go_on.wait(PATIENCE)

    subscription = client.subscribe(WORKSPACE, slow)
    assert reached.wait(PATIENCE)
    done = threading.Event()

    def call() -> None:
        client.call("tasks_radar", workspace=WORKSPACE)
        done.set()

    threading.Thread(target=call, daemon=True).start()

    assert done.wait(10)
    go_on.set()
    subscription.close()


def test_a_server_that_was_away_shortly_is_found_soon_and_one_that_is_away_for_long_is_asked_seldom() -> None:
    away = _Away()
    stream = EventStream(lambda: pytest.fail("not connected"), away, longest_pause=5.0)

    while away.now < 600:
        stream.pause()

    pauses = [later - earlier for earlier, later in pairwise(away.times)]
    assert max(pause for pause, since in zip(pauses, away.times, strict=False) if since < 16) <= 2.0
    assert min(pauses[-5:]) >= 2.5
    assert max(pauses) <= 5.0


class _Away(threading.Event):
    """Waits by setting its own clock forward."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.times = [0.0]

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0.0
        self.times.append(self.now)
        return False


@contextmanager
def _server(answer: bytes) -> Iterator[str]:
    """A server of another kind, which gives everyone the same answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name for it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Slow(BaseHTTPRequestHandler):
    """Answers a second after it was asked."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        threading.Event().wait(1)
        body = b'{"task":"TASK-001"}'
        with suppress(OSError):  # whoever has no patience is gone
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_call_that_runs_checks_may_take_as_long_as_they_do() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = RemoteClient(f"http://127.0.0.1:{server.server_port}", timeout=0.2)

    waited = client.text("tasks_check", {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"})
    with pytest.raises(StoreFault, match="does not answer"):
        client.text("tasks_radar", {"workspace": WORKSPACE})

    server.shutdown()
    server.server_close()
    client.close()
    assert waited == '{"task":"TASK-001"}'
