"""A server's log as an iterator that reconnects."""

from __future__ import annotations

import threading
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from gatepost.client.delivery import fingerprint
from gatepost.client.refusals import rebuilt
from gatepost.client.store_file import another_log
from gatepost.todo import StreamRefused
from gatepost.todo.connection import StreamAddress
from gatepost.todo.event_stream import EventStream, Lost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

QUIET_SECONDS = 45.0
"""A stream that is silent for longer counts as lost: servers send a heartbeat far more often."""
_GONE = 409


class ServerAddress(NamedTuple):
    """A server's address, and the token that it needs, if any."""

    place: str
    token: str | None


def follow(
    server: ServerAddress, workspace: str, after: int, stop: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Every event after a `seq`, each once, in order. Refuses to continue in another log."""
    last: dict[str, Any] | None = None

    def address() -> StreamAddress:
        """From the last event on: that it comes again as it was shows that this is the same log."""
        stream.last_id = ""
        start = after if last is None else last["seq"] - 1
        return stream_address(server, "/v1/events", workspace=workspace, after=str(start))

    stream = EventStream(address, stop or threading.Event(), longest_pause=5.0)
    try:
        for batch in stream.batches():
            for message in () if isinstance(batch, Lost) else batch:
                event: dict[str, Any] = msgspec.json.decode(message.data)
                if last is None or event["seq"] > last["seq"]:
                    last = event
                    yield event
                elif fingerprint(event) != fingerprint(last):
                    raise another_log(server.place, last["seq"])
    except StreamRefused as no:
        if last is not None and no.status == _GONE:
            raise another_log(server.place, last["seq"]) from None
        raise rebuilt(problem_of(no), no.status) from None


def stream_address(server: ServerAddress, path: str, **asked: str) -> StreamAddress:
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
