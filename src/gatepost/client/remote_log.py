"""A server's log as an iterator that reconnects."""

from __future__ import annotations

import threading
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from gatepost.client.refusals import rebuilt
from gatepost.todo import StreamRefused
from gatepost.todo.connection import StreamAddress
from gatepost.todo.event_stream import EventStream, Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

QUIET_SECONDS = 45.0
"""A stream that is silent for longer counts as lost: servers send a heartbeat far more often."""


class Server(NamedTuple):
    """A server's address, and the token that it needs, if any."""

    place: str
    token: str | None


def follow(
    server: Server, workspace: str, after: int, stop: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Every event after a `seq`, each once, in order."""
    address = stream_address(server, "/v1/events", workspace=workspace, after=str(after))
    stream = EventStream(lambda: address, stop or threading.Event(), longest_pause=5.0)
    try:
        for batch in stream.batches():
            if isinstance(batch, Lost):
                continue
            for message in batch:
                event: dict[str, Any] = msgspec.json.decode(message.data)
                yield event
    except StreamRefused as no:
        raise rebuilt(problem_of(no), no.status) from None


def stream_address(server: Server, path: str, **asked: str) -> StreamAddress:
    """Where a stream of a server is."""
    return StreamAddress(
        url=f"{server.place}{path}?{urlencode(asked)}", token=server.token, quiet_seconds=QUIET_SECONDS
    )


def problem_of(no: StreamRefused) -> dict[str, Any]:
    """What a server said when it refused a stream; empty where that is not the JSON of a problem."""
    try:
        found = msgspec.json.decode(no.detail)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
