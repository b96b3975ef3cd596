"""A real receiver of webhooks on this machine."""

import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PATIENCE = 30.0


class Delivered(NamedTuple):
    """One request, as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def notice(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


class Receiver:
    """What came in, and how to answer it: each status once, then 204."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook?key=in-the-path"
        self.statuses: list[int] = []
        self._requests: queue.Queue[Delivered] = queue.Queue()

    def take(self, request: Delivered) -> int:
        self._requests.put(request)
        return self.statuses.pop(0) if self.statuses else 204

    def next(self) -> Delivered:
        """The next request. Fails if none comes."""
        return self._requests.get(timeout=PATIENCE)

    def rest(self) -> list[Delivered]:
        """What else came in until now."""
        return [self._requests.get_nowait() for _ in range(self._requests.qsize())]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver, until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status = receiver.take(Delivered(self.path, dict(self.headers.items()), body))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", receiver.url.replace("/hook", "/elsewhere"))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)
