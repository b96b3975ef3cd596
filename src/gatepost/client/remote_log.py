"""A server's log as an iterator that reconnects."""

from __future__ import annotations

import threading
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

    from gatepost.client.remote import RemoteClient

QUIET_SECONDS = 45.0
"""A stream that is silent for longer counts as lost: servers send a heartbeat far more often."""


def follow(
    client: RemoteClient, workspace: str, after: int, stop: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Every event after a `seq`, each once, in order."""
    address = stream_address(client, "/v1/events", workspace=workspace, after=str(after))
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


def stream_address(client: RemoteClient, path: str, **asked: str) -> StreamAddress:
    """Where a stream of a server is."""
    return StreamAddress(
        url=f"{client.place}{path}?{urlencode(asked)}", token=client.token, quiet_seconds=QUIET_SECONDS
    )


def problem_of(no: StreamRefused) -> dict[str, Any]:
    """What a server said when it refused a stream; empty where that is not the JSON of a problem."""
    try:
        found = msgspec.json.decode(no.detail)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
