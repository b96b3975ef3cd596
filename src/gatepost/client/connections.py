"""HTTP connections to one server, kept open between calls."""

from __future__ import annotations

import os
import select
import weakref
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import SplitResult, urlsplit

from gatepost.todo.event_stream import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_MOST_BYTES = 64_000_000


class NoAnswer(Exception):
    """There was no answer. `sent` says that the server may have received the request all the same."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.sent = sent


class AnswerTooLarge(NoAnswer):
    """The answer is larger than any reply."""


class Connections:
    """Idle connections to a server. Each call takes one, or opens another, and puts it back."""

    def __init__(self, address: str, timeout: float) -> None:
        self._address = urlsplit(address)
        self._timeout = timeout
        self._idle: list[HTTPConnection] = []
        self._closings = 0
        self._process = os.getpid()
        weakref.finalize(self, _close, self._idle)  # for those who drop a client without closing it

    def post(
        self, path: str, body: bytes, headers: Mapping[str, str | bytes], *, patient: bool = False
    ) -> tuple[int, bytes]:
        """One request's status and answer. Redirects are not followed: they would pass the token on.

        `patient` waits for the answer as long as the connection stands.
        """
        connection, closings = self._take(), self._closings
        response: HTTPResponse | None = None
        sent = is_kept = False
        try:
            if connection.sock is None:
                connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(None if patient else self._timeout)
            sent = True
            connection.request("POST", self._target(path), body, dict(headers))
            response = connection.getresponse()
            answer = response.status, _whole(response)
            is_kept = response.isclosed() and not response.will_close and closings == self._closings
        except (OSError, HTTPException) as error:
            raise NoAnswer(reason_of(error), sent=sent) from None
        finally:
            if is_kept:
                self._idle.append(connection)
            else:
                connection.close()
                if response is not None:
                    response.close()  # the connection does not close one that it has handed over
        return answer

    def close(self) -> None:
        """Close the idle connections now, and those in use when their answer has come."""
        self._closings += 1
        _close(self._idle)

    def _take(self) -> HTTPConnection:
        if self._process != os.getpid():  # after a fork, two processes would talk on one connection
            self._process, self._idle = os.getpid(), []
        while (connection := _popped(self._idle)) is not None:
            if _is_open(connection):
                return connection
            connection.close()
        return self._new()

    def _new(self) -> HTTPConnection:
        kind = HTTPSConnection if self._address.scheme == "https" else HTTPConnection
        proxy = _proxy(self._address)
        if proxy is None:
            return kind(self._address.hostname or "", self._address.port, timeout=self._timeout)
        connection = kind(proxy.hostname or "", proxy.port, timeout=self._timeout)
        if kind is HTTPSConnection:
            connection.set_tunnel(self._address.hostname or "", self._address.port)
        return connection

    def _target(self, path: str) -> str:
        """What the request line names: to a proxy for plain HTTP, the whole address."""
        through = self._address.scheme == "http" and _proxy(self._address) is not None
        return f"http://{self._address.netloc}{self._address.path}{path}" if through else self._address.path + path


def _whole(response: HTTPResponse) -> bytes:
    """The body of an answer, if all of it came."""
    body = response.read(_MOST_BYTES)
    if response.read(1):
        raise AnswerTooLarge("the reply is too large", sent=True)
    if response.length:  # what was still to come when the connection ended
        raise NoAnswer("the connection broke within the answer", sent=True)
    return body


def _close(idle: list[HTTPConnection]) -> None:
    while (connection := _popped(idle)) is not None:
        connection.close()


def _popped(idle: list[HTTPConnection]) -> HTTPConnection | None:
    try:
        return idle.pop()
    except IndexError:  # asked rather than looked at before: another thread may take the last one in between
        return None


def _is_open(connection: HTTPConnection) -> bool:
    """Whether the server still holds an idle connection. A call on a closed one may or may not be applied."""
    if connection.sock is None:
        return False
    looked = select.poll()
    looked.register(connection.sock, select.POLLIN)
    return not looked.poll(0)  # readable while nothing was asked: it was closed


def _proxy(address: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for an address."""
    host = address.hostname or ""
    if host in LOOPBACK:
        return None
    from urllib.request import getproxies, proxy_bypass

    named = getproxies().get(address.scheme)
    return urlsplit(named) if named and not proxy_bypass(host) else None
