"""The log as a stream."""

import socket
import threading
from contextlib import ExitStack

import pytest

from gatepost.surfaces.http import connections, feeds, frames, streams
from tests.givens import WORKSPACE, World
from tests.http.givens import PATIENCE, Site, site


def test_a_stream_tells_what_was_and_then_what_comes_each_under_its_seq(here: Site) -> None:
    here.tasks(3)
    with here.following() as stream:
        before = stream.take(3)
        here.ok("tasks_create", kind="task", title="New")
        after = stream.take(1)

    assert stream.response.headers["content-type"].startswith("text/event-stream")
    assert [(number, event["seq"]) for number, event in before + after] == [(n, n) for n in (1, 2, 3, 4)]
    assert [event for _, event in before + after] == here.world.ok("tasks_delta")["events"]


def test_the_last_event_id_of_a_client_that_comes_back_wins_over_its_address(here: Site) -> None:
    here.tasks(5)

    with here.following(after=3) as stream:
        asked = stream.take(2)
    with here.following(after=1, **{"last-event-id": "4"}) as stream:
        resumed = stream.take(1)

    assert [number for number, _ in asked] == [4, 5]
    assert [number for number, _ in resumed] == [5]


def test_all_clients_of_a_workspace_see_the_same_events_through_one_thread(here: Site) -> None:
    with here.following() as one, here.following() as two, here.following() as three:
        for stream in (one, two, three):
            stream.comment()
        here.until("gatepost_open_streams", 3)
        here.tasks(20)
        taken = [stream.take(20) for stream in (one, two, three)]
        threads = [thread.name for thread in here.feeds()]

    assert taken[0] == taken[1] == taken[2]
    assert [number for number, _ in taken[0]] == list(range(1, 21))
    assert threads == [f"feed {WORKSPACE}"]
    here.until("gatepost_open_streams", 0)


def test_a_client_far_behind_reads_from_the_store_without_loss(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEPT", 4)
    monkeypatch.setattr(frames, "PAGE", 3)
    here.tasks(10)

    with here.following() as stream:
        first = stream.take(4)
        here.tasks(15)
        rest = stream.take(21)

    assert [number for number, _ in first + rest] == list(range(1, 26))


def test_a_log_that_can_no_longer_be_read_ends_its_streams_and_a_client_that_comes_back_goes_on(
    here: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(workspace: str, after: int, seconds: float) -> bool:
        raise OSError("the disk is gone")

    here.tasks(2)
    with monkeypatch.context() as broken:
        broken.setattr(here.world.store, "wait", lost)
        with here.following() as stream:
            told = [int(line[4:]) for line in stream.rest() if line.startswith("id: ")]
    here.tasks(1)
    with here.following(after=max(told, default=0)) as stream:
        resumed = [number for number, _ in stream.take(3 - len(told))]

    assert told + resumed == [1, 2, 3]
    assert "the disk is gone" in capsys.readouterr().err


def test_a_write_of_another_process_is_seen_too(here: Site, world: World) -> None:
    from gatepost.storage.sqlite.store import SqliteStore

    other = SqliteStore(world.store.describe()["path"], "NORMAL")
    try:
        with here.following() as stream:
            stream.comment()
            World(other).task(title="Elsewhere")
            ((_, event),) = stream.take(1)
    finally:
        other.close()

    assert event["title"] == "Elsewhere"


def test_a_quiet_stream_carries_heartbeats_at_least_every_fifteen_seconds(world: World) -> None:
    assert streams.HEARTBEAT <= 15
    with site(world, heartbeat=0.05) as here, here.following() as stream:
        stream.comment()
        assert [stream.comment() for _ in range(3)] == [": still here"] * 3


def test_a_client_that_takes_nothing_is_cut_off_and_loses_nothing_by_it(world: World) -> None:
    note = {"task": world.task(), "note": "x" * 16_000}
    for _ in range(12):
        world.ok("tasks_batch", operations=[{"tool": "tasks_note", "arguments": note}] * 50)
    with site(world, stuck=0.2) as here:
        with socket.socket() as idle:
            idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            idle.connect(("127.0.0.1", here.server.port))
            idle.sendall(f"GET /v1/events?workspace={WORKSPACE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            here.until("gatepost_cut_streams_total", 1)
            here.until("gatepost_open_streams", 0)

        numbers: list[int] = []
        for _ in range(601):  # a slow machine may have to come back, too; each time it gets on
            with here.following(after=numbers[-1] if numbers else None) as stream:
                numbers += stream.as_far_as(601)
            if numbers[-1] == 601:
                break

    assert numbers == list(range(1, 602))


def test_a_client_that_takes_nothing_cannot_hold_up_the_servers_end(world: World) -> None:
    note = {"task": world.task(), "note": "x" * 16_000}
    for _ in range(12):
        world.ok("tasks_batch", operations=[{"tool": "tasks_note", "arguments": note}] * 50)
    with site(world) as here, socket.socket() as idle:
        idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        idle.connect(("127.0.0.1", here.server.port))
        idle.sendall(f"GET /v1/events?workspace={WORKSPACE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        here.until("gatepost_open_streams", 1)

        here.server.stop()

        assert here.server.ended.is_set()
        assert here.server.application.metrics.open_streams == 0


def test_streams_end_when_the_server_does(world: World) -> None:
    with site(world) as here, here.following() as stream:
        stream.comment()
        here.until("gatepost_open_streams", 1)
        stopping = threading.Thread(target=here.server.stop)
        stopping.start()
        rest = stream.rest()
        stopping.join(PATIENCE)
        for feed in here.feeds():
            feed.join(PATIENCE)

        assert not stopping.is_alive()
        assert here.server.ended.is_set()
        assert here.feeds() == []
    assert [line for line in rest if line.startswith("data")] == []


def test_too_many_watched_workspaces_are_told_to_come_again(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_FEEDS", 1)
    with here.following() as stream:
        stream.comment()
        here.until("gatepost_open_streams", 1)

        refused = here.client.get("/v1/events", params={"workspace": "other/repo"})
        with here.following() as second:
            assert second.comment()

    assert (refused.status_code, refused.json()["code"]) == (503, "BUSY")
    assert refused.headers["retry-after"] == "1"


def test_asking_for_the_head_of_a_stream_does_not_open_it(here: Site) -> None:
    answered = here.client.head("/v1/events", params={"workspace": WORKSPACE})
    assert (answered.status_code, answered.content) == (200, b"")


@pytest.mark.parametrize(
    "query",
    ["", "workspace=", "workspace=a b", f"workspace={WORKSPACE}&after=x", f"workspace={WORKSPACE}&since=3"],
)
def test_a_stream_that_cannot_be_is_refused_before_it_begins(here: Site, query: str) -> None:
    answered = here.client.get(f"/v1/events?{query}")
    assert (answered.status_code, answered.json()["code"]) == (400, "INVALID_INPUT")


def test_a_client_that_knows_more_than_the_log_is_told_that_its_window_is_gone(here: Site) -> None:
    here.tasks(2)
    answered = here.client.get("/v1/events", params={"workspace": WORKSPACE, "after": "3"})
    assert (answered.status_code, answered.json()["code"]) == (409, "resume_window_exceeded")


def test_a_server_bound_to_a_workspace_streams_no_other(world: World) -> None:
    with site(world, bound=WORKSPACE) as here:
        answered = here.client.get("/v1/events", params={"workspace": "other/repo"})
        assert (answered.status_code, answered.json()["code"]) == (403, "WORKSPACE_MISMATCH")


@pytest.mark.requirement("texts.out.unaltered")
def test_what_looks_like_a_secret_is_streamed_as_it_was_written(here: Site) -> None:
    here.world.task(title="Fix password: reset mail, token = next()")
    with here.following() as stream:
        ((_, event),) = stream.take(1)
    assert event["title"] == "Fix password: reset mail, token = next()"


def test_no_more_feeds_are_begun_than_there_may_be_however_many_ask_at_once(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MOST_FEEDS", 5)
    with ExitStack() as open_ones:
        asking = []
        for number in range(20):
            one = open_ones.enter_context(socket.create_connection(("127.0.0.1", here.server.port), PATIENCE))
            path = f"/v1/events?workspace=w{number}"
            one.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{here.server.port}\r\n\r\n".encode())
            asking.append(one)
        answers = [one.recv(12) for one in asking]

    assert sum(status.endswith(b"200") for status in answers) == 5
    assert sum(status.endswith(b"503") for status in answers) == 15


def test_a_connection_too_many_is_dropped_and_one_that_asks_for_nothing_does_not_stay(world: World) -> None:
    few = connections.protocol(3, patience=1.0)  # in which who does ask must have got to it
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "protocol", lambda _limit: few)
        with site(world) as here, ExitStack() as open_ones:
            idle = [
                open_ones.enter_context(socket.create_connection(("127.0.0.1", here.server.port), PATIENCE))
                for _ in range(6)
            ]
            ends = [_end_of(one) for one in idle]
            assert here.client.get("/healthz").status_code == 200

    assert ends == [b""] * 6


@pytest.mark.parametrize("asked", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], ids=["first", "next"])
def test_headers_that_come_too_slowly_are_cut_on_every_request_of_a_connection(world: World, asked: bytes) -> None:
    hasty = connections.protocol(100, patience=0.6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "protocol", lambda _limit: hasty)
        with site(world) as here, socket.create_connection(("127.0.0.1", here.server.port), PATIENCE) as slow:
            slow.sendall(asked)
            answer = b""
            while asked and not answer.endswith(b'{"status":"alive"}'):
                answer += slow.recv(4096)
            slow.sendall(b"GET /healthz HTTP/1.1\r\n")
            slow.settimeout(0.1)
            cut = False
            for number in range(200):
                try:
                    slow.sendall(f"X-{number}: drip\r\n".encode())  # buys no time
                    cut = slow.recv(1) == b""
                except TimeoutError:
                    continue
                except ConnectionError:
                    cut = True
                if cut:
                    break

    assert cut


def _end_of(one: socket.socket) -> bytes:
    try:
        return one.recv(1)
    except ConnectionResetError:
        return b""
