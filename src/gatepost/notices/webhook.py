"""A webhook: one signed POST at a time."""

from __future__ import annotations

import hmac
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from gatepost.notices.notice import NotDelivered

SIGNATURE: Final = "Gatepost-Signature"

_LONGEST_SECRET: Final = 4_096
_SHORTEST_SECRET: Final = 16
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_RETRIED: Final = frozenset({408, 425, 429, *range(500, 600)})


def post(url: str, body: bytes, secret_file: str | None, seconds: float) -> None:
    """Send a notice. Any 2xx status means delivered. Redirects are not followed, and no response body is read."""
    headers = {"Content-Type": "application/json", "User-Agent": "gatepost"}
    if secret_file is not None:
        headers[SIGNATURE] = signature(_secret(secret_file), body, int(time.time()))
    try:
        status = _status(url, body, headers, seconds)
    except (OSError, HTTPException, ValueError) as error:
        raise NotDelivered(_reason(error), again=True) from None
    if not 200 <= status < 300:
        raise NotDelivered(f"it answered {status}", again=status in _RETRIED)


def signature(secret: bytes, body: bytes, at: int) -> str:
    """The header that shows a receiver who sent a body, and when."""
    mark = hmac.new(secret, b"%d." % at + body, sha256).hexdigest()
    return f"t={at},v1={mark}"


def _status(url: str, body: bytes, headers: dict[str, str], seconds: float) -> int:
    connection, target = _opened(urlsplit(url), seconds)
    try:
        connection.connect()
        with _cut_off(connection.sock, seconds):
            connection.request("POST", target, body, headers)
            return connection.getresponse().status
    finally:
        connection.close()


def _opened(address: SplitResult, seconds: float) -> tuple[HTTPConnection, str]:
    """A connection, through the proxy that the environment names if there is one, and the request target."""
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    host, target = address.hostname or "", (address.path or "/") + (f"?{address.query}" if address.query else "")
    named = None if host in _LOOPBACK or proxy_bypass(host) else getproxies().get(address.scheme)
    if not named:
        return kind(host, address.port, timeout=seconds), target
    proxy = urlsplit(named)
    connection = kind(proxy.hostname or "", proxy.port, timeout=seconds)
    if kind is HTTPConnection:
        return connection, f"http://{address.netloc}{target}"
    connection.set_tunnel(host, address.port)
    return connection, target


@contextmanager
def _cut_off(sock: socket.socket, seconds: float) -> Iterator[None]:
    """Limit the time of a whole exchange: a socket's own timeout starts again with every byte that arrives."""

    def cut() -> None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _secret(path: str) -> bytes:
    """The secret in a file that nobody else can read. If a signature is required, nothing is sent without it."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            secret = file.read(_LONGEST_SECRET).strip()
    except OSError as error:
        raise NotDelivered(f"the secret file {path} cannot be read: {error.strerror}", again=False) from None
    if not stat.S_ISREG(mode) or mode & 0o077:
        raise NotDelivered(f"others can read the secret file. Run: chmod 600 {path}", again=False)
    if len(secret) < _SHORTEST_SECRET:
        raise NotDelivered(f"the secret in {path} has fewer than {_SHORTEST_SECRET} characters", again=False)
    return secret


def _reason(error: Exception) -> str:
    """Why there was no answer, without the address: its path may be a secret."""
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return getattr(error, "strerror", None) or type(error).__name__
