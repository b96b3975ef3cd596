"""Following a stream over HTTP, against a server that cuts, refuses and comes back."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gatepost.todo import StreamRefused, TodoStore, follow


@dataclass
class Asked:
    """One request, as the server saw it."""

    path: str
    query: dict[str, list[str]]
    last_id: str | None
    token: str | None


@dataclass
class Server:
    """Answers the first request with its first answer, and so on; the last one again and again."""

    answers: list["Answer"]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)


@dataclass
class Answer:
    """A status and the bytes that follow it before the connection ends."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None


class Patience(threading.Event):
    """A clock that does not tick: each pause ends at once and is written down."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout or 0.0)
        return self.is_set()


class Limited(Patience):
    """Says stop after some pauses."""

    def __init__(self, *, pauses: int) -> None:
        super().__init__()
        self._most = pauses

    def wait(self, timeout: float | None = None) -> bool:
        super().wait(timeout)
        if len(self.pauses) >= self._most:
            self.set()
        return self.is_set()


Serving = Callable[..., Server]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """Starts servers on free loopback ports, and ends them."""
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def serve(*answers: Answer) -> Server:
        server = Server(list(answers))
        http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((http, thread))
        server.url = f"http://127.0.0.1:{http.server_port}"
        return server

    yield serve
    for http, thread in running:
        http.shutdown()
        http.server_close()
        thread.join(10)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            split = urlsplit(self.path)
            get = self.headers.get
            server.asked.append(
                Asked(split.path, parse_qs(split.query), get("Last-Event-ID"), get("Authorization"))
            )
            answer = server.answers[min(len(server.asked), len(server.answers)) - 1]
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.length is not None:
                self.send_header("Content-Length", str(answer.length))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    return Handler


def sent(seq: int, **more: Any) -> bytes:
    """One event on the wire."""
    todo = {"op": "upsert", "revision": seq, "scopeKey": "TASK-001", **more}
    event = {"seq": seq, "type": "tool_result", "payload": {"todo": todo}}
    return f"id: {seq}\ndata: {json.dumps(event)}\n\n".encode()


def seqs(events: Iterator[dict[str, object]], count: int) -> list[object]:
    """The first few events, by number."""
    return [event["seq"] for event in islice(events, count)]


def test_the_stream_of_a_workspace_is_asked_for_and_its_events_come_out(serving: Serving) -> None:
    server = serving(Answer(b": hello\n\n" + sent(1) + b"data: not json\n\ndata: [1]\n\n" + sent(2)))

    with closing(follow(server.url + "/", "acme/repo & co", scope="TASK-001", token="t0k")) as events:  # noqa: S106 - no secret
        got = seqs(events, 2)

    assert got == [1, 2]
    asked = server.asked[0]
    assert (asked.path, asked.query) == ("/v1/todo", {"workspace": ["acme/repo & co"], "scope": ["TASK-001"]})
    assert (asked.last_id, asked.token) == (None, "Bearer t0k")


@pytest.mark.parametrize("length", [None, 1_000_000])
def test_a_cut_stream_is_resumed_behind_the_last_whole_event(serving: Serving, length: int | None) -> None:
    server = serving(Answer(sent(1) + sent(2) + sent(3)[:-1], length=length), Answer(sent(3) + sent(4)))

    got = seqs(follow(server.url, "w", stop=Patience()), 4)

    assert got == [1, 2, 3, 4]
    assert [asked.last_id for asked in server.asked] == [None, "2"]


def test_a_window_that_is_gone_leads_to_a_fresh_start(serving: Serving) -> None:
    gone = Answer(b'{"code": "resume_window_exceeded"}', status=409, kind="application/problem+json")
    server = serving(Answer(sent(1)), gone, Answer(sent(9)))

    got = seqs(follow(server.url, "w", stop=Patience()), 2)

    assert got == [1, 9]
    assert [asked.last_id for asked in server.asked] == [None, "1", None]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409])
def test_a_refusal_is_raised_with_its_words(serving: Serving, status: int) -> None:
    server = serving(Answer(b"no such workspace", status=status, kind="application/problem+json"))

    with pytest.raises(StreamRefused, match="no such workspace") as caught:
        next(follow(server.url, "w", stop=Limited(pauses=1)))

    assert caught.value.status == status
    assert len(server.asked) == 1


def test_an_answer_that_is_no_event_stream_is_refused(serving: Serving) -> None:
    server = serving(Answer(b"<html>", kind="text/html"))

    with pytest.raises(StreamRefused, match="not an event stream"):
        next(follow(server.url, "w"))


def test_a_redirect_is_not_followed_with_the_token(serving: Serving) -> None:
    elsewhere = serving(Answer(sent(1)))
    server = serving(Answer(status=302, headers={"Location": elsewhere.url}))

    with pytest.raises(StreamRefused):
        next(follow(server.url, "w", token="t0k"))  # noqa: S106 - no secret

    assert elsewhere.asked == []


def test_pauses_grow_to_a_bound_and_restart_below_after_an_event(serving: Serving) -> None:
    down = Answer(status=503, kind="text/plain")
    server = serving(*[down] * 90, Answer(sent(1)), down, Answer(sent(2)))
    patience = Patience()

    got = seqs(follow(server.url, "w", stop=patience), 2)

    assert got == [1, 2]
    assert all(0.25 <= pause <= 15 for pause in patience.pauses)
    assert min(patience.pauses[80:90]) >= 7.5
    assert patience.pauses[90] <= 0.5


def test_the_server_says_how_long_to_wait_within_bounds(serving: Serving) -> None:
    busy = [
        Answer(status=429, kind="text/plain", headers={"Retry-After": asked}) for asked in ("20", "86400", "soon")
    ]
    server = serving(*busy, Answer(b"retry: 40\n\n" + sent(1)), Answer(sent(2)))
    patience = Patience()

    seqs(follow(server.url, "w", stop=patience), 2)

    assert patience.pauses[:2] == [20, 60]
    assert patience.pauses[2] <= 2
    assert patience.pauses[3] <= 0.04


def test_a_server_that_is_not_there_is_tried_again_until_told_to_stop() -> None:
    limited = Limited(pauses=5)

    assert list(follow("http://127.0.0.1:1", "w", stop=limited)) == []
    assert len(limited.pauses) == 5


def test_a_silent_server_counts_as_lost() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        limited = Limited(pauses=2)
        events = follow(f"http://127.0.0.1:{mute.getsockname()[1]}", "w", stop=limited, quiet_seconds=0.05)

        assert list(events) == []

    assert len(limited.pauses) == 2


def test_stopping_ends_the_stream_behind_the_event_at_hand(serving: Serving) -> None:
    server = serving(Answer(sent(1) + sent(2)))
    stop = Patience()
    events = follow(server.url, "w", stop=stop)
    first = next(events)

    stop.set()

    assert first["seq"] == 1
    assert list(events) == []


def test_with_a_store_a_gap_leads_to_a_fresh_connection_and_right_lists(serving: Serving) -> None:
    snapshot = {"op": "replace", "items": [{"id": "a", "title": "A"}]}
    caught_up = {"op": "replace", "items": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]}
    server = serving(
        Answer(
            sent(1, **snapshot) + sent(3, item={"id": "c", "title": "C"}) + sent(4, item={"id": "d", "title": "D"})
        ),
        Answer(sent(3, **caught_up) + sent(4, item={"id": "d", "title": "D"})),
    )
    store = TodoStore()

    got = seqs(follow(server.url, "w", store=store, stop=Patience()), 4)

    assert got == [1, 3, 3, 4]
    assert [asked.last_id for asked in server.asked] == [None, None]
    assert [item.title for item in store.items("TASK-001")] == ["A", "B", "D"]
    assert not store.needs_snapshot()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host", "127.0.0.1:4870", ""])
def test_an_address_that_is_not_http_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="http"):
        follow(url, "w")
