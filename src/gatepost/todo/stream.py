"""A server's todo stream, followed across cuts, restarts and gaps."""

import json
import threading
from collections.abc import Generator, Iterator
from http.client import HTTPException
from random import SystemRandom
from typing import Final
from urllib.parse import urlencode, urlsplit

from gatepost.todo.connection import StreamAddress, StreamInterrupted, StreamRefused, chunks
from gatepost.todo.sse import Message, Parser
from gatepost.todo.store import Outcome, TodoStore

QUIET_SECONDS: Final = 45.0

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 15.0
_LONGEST_ASKED: Final = 60.0

__all__ = ["StreamRefused", "follow"]


def follow(
    url: str,
    workspace: str,
    *,
    scope: str | None = None,
    store: TodoStore | None = None,
    token: str | None = None,
    stop: threading.Event | None = None,
    quiet_seconds: float = QUIET_SECONDS,
) -> Generator[dict[str, object], None, None]:
    """Every session event of a workspace's todo stream, for as long as one asks; a lost connection is made again.

    A reconnect resumes behind the last event that was received. With a `store`, each event is applied before it
    is handed over, and a gap in a list leads to a fresh connection, which starts with snapshots. A stream that is
    silent for `quiet_seconds` (servers send a heartbeat every 15 s) counts as lost. Setting `stop` ends it at the
    next sign of life.
    Raises `StreamRefused` where trying again would not help, and `ValueError` for an address that is not http(s).
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"A server's address starts with http:// or https://, not {url!r}.")
    asked = {"workspace": workspace} if scope is None else {"workspace": workspace, "scope": scope}
    address = StreamAddress(
        url=f"{url.rstrip('/')}/v1/todo?{urlencode(asked)}", token=token, quiet_seconds=quiet_seconds
    )
    return _StreamReader(address, store, threading.Event() if stop is None else stop).events()


class _StreamReader:
    """One consumer's way along a stream: where it is, and how often it failed in a row."""

    def __init__(self, address: StreamAddress, store: TodoStore | None, stop: threading.Event) -> None:
        self._address: Final = address
        self._store: Final = store
        self._stop: Final = stop
        self._last_id = ""
        self._failures = 0
        self._first_pause = _FIRST_PAUSE

    def events(self) -> Generator[dict[str, object], None, None]:
        while not self._stop.is_set():
            asked = 0.0
            try:
                yield from self._connected()
            except StreamInterrupted as interruption:
                asked = interruption.retry_after
                if interruption.start_afresh:
                    self._last_id = ""
                    if self._store is not None:  # else lists that ended meanwhile would stay for ever
                        self._store.forget()
            except (OSError, HTTPException):
                pass  # Cut, refused by the network, or silent for too long: all mended by trying again.
            self._stop.wait(max(self._pause(), min(asked, _LONGEST_ASKED)))

    def _connected(self) -> Iterator[dict[str, object]]:
        parser = Parser()
        parser.last_id = self._last_id
        for chunk in chunks(self._address, self._last_id):
            for message in parser.feed(chunk):
                self._failures = 0
                event = _decoded(message)
                gap = event is not None and self._store is not None and self._store.apply(event) is Outcome.GAP
                self._last_id = "" if gap else message.id
                if event is not None:
                    yield event
                if gap or self._stop.is_set():
                    return
            self._last_id = parser.last_id
            if parser.retry_ms is not None:
                self._first_pause = min(max(parser.retry_ms / 1000, 0.01), _LONGEST_PAUSE)
            if self._stop.is_set():
                return

    def _pause(self) -> float:
        longest = min(self._first_pause * 2.0 ** min(self._failures, 16), _LONGEST_PAUSE)
        self._failures += 1
        # Spread, so that a server that comes back does not meet all its clients at once.
        return longest * SystemRandom().uniform(0.5, 1.0)


def _decoded(message: Message) -> dict[str, object] | None:
    try:
        event = json.loads(message.data)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
