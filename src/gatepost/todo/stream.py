"""Follows a server's todo stream across lost connections, restarts and gaps."""

import json
import threading
from collections.abc import Generator
from typing import Final
from urllib.parse import urlencode, urlsplit

from gatepost.todo.connection import StreamAddress, StreamRefused
from gatepost.todo.event_stream import EventStream, Lost
from gatepost.todo.sse import Message
from gatepost.todo.store import Outcome, TodoStore

QUIET_SECONDS: Final = 45.0

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
    """Every session event of a workspace's todo stream, without end. A lost connection is opened again.

    A new connection resumes after the last received event. With a `store`, each event is applied before it is
    returned, and a gap in a list leads to a new connection, which starts with snapshots. A stream that is silent
    for `quiet_seconds` (servers send a heartbeat every 15 s) counts as lost. Setting `stop` ends it when the next
    bytes arrive. Raises `StreamRefused` if trying again would not help, and `ValueError` for an address that is not
    http(s).
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"A server's address starts with http:// or https://, not {url!r}.")
    asked = {"workspace": workspace} if scope is None else {"workspace": workspace, "scope": scope}
    address = StreamAddress(
        url=f"{url.rstrip('/')}/v1/todo?{urlencode(asked)}", token=token, quiet_seconds=quiet_seconds
    )
    ending = threading.Event() if stop is None else stop
    return _events(EventStream(lambda: address, ending), store, ending)


def _events(
    stream: EventStream, store: TodoStore | None, stop: threading.Event
) -> Generator[dict[str, object], None, None]:
    for batch in stream.batches():
        if isinstance(batch, Lost):
            if batch.restart and store is not None:  # otherwise lists that ended meanwhile would stay forever
                store.forget()
            continue
        for message in batch:
            event = _decoded(message)
            if event is None:
                continue
            gap = store is not None and store.apply(event) is Outcome.GAP
            yield event
            if gap:
                stream.restart()
            if gap or stop.is_set():
                break


def _decoded(message: Message) -> dict[str, object] | None:
    try:
        event = json.loads(message.data)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
