"""A proxy before a real server that loses answers: the server has committed, and its client does not hear of it."""

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

GATEWAY = {"502": 502, "503": 503, "504": 504}
UNREACHED = {
    "busy": (503, {"code": "BUSY", "message": "Busy.", "recovery": "Again.", "retry_after_ms": 1}),
    "full": (503, {"code": "STORE_FULL", "message": "Full.", "recovery": "Make room."}),
}
"""Answers of a server that did nothing."""


class LossyProxy:
    """Passes calls on. The next fates say what becomes of the next answers; after them, all arrive."""

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target)
        self.fates: list[str] = []
        self.answers: list[bytes] = []
        """What the server answered, whether it arrived or not."""
        self.keys: list[str | None] = []
        self.url = ""
        self.ended = threading.Event()

    def lose(self, *fates: str) -> None:
        self.fates += fates


class _Handler(BaseHTTPRequestHandler):
    """Serves one connection for the proxy that a subclass names."""

    protocol_version = "HTTP/1.1"
    proxy: LossyProxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.proxy.keys.append(self.headers.get("Idempotency-Key"))
        fate = self.proxy.fates.pop(0) if self.proxy.fates else "arrives"
        if fate in UNREACHED:
            status, problem = UNREACHED[fate]
            self._say(status, json.dumps(problem).encode())
            return
        status, answer = self._passed_on(body)
        self.proxy.answers.append(answer)
        if fate == "arrives":
            self._say(status, answer)
        elif fate in GATEWAY:
            self._say(GATEWAY[fate], b"<html>Bad gateway</html>")
        else:
            self._lost(fate)

    def _passed_on(self, body: bytes) -> tuple[int, bytes]:
        target = self.proxy.target
        connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=60)
        try:
            connection.request("POST", self.path, body, dict(self.headers))
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _say(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _lost(self, fate: str) -> None:
        self.close_connection = True
        if fate == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")
        elif fate == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif fate == "late":
            self.proxy.ended.wait(60)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name for it
        pass


@contextmanager
def lossy_proxy(target: str) -> Iterator[LossyProxy]:
    """A running proxy."""
    found = LossyProxy(target)

    class Handler(_Handler):
        proxy = found

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield found
        finally:
            found.ended.set()
            server.shutdown()
            thread.join()
