"""Todo lists as an iterator of session events."""

from __future__ import annotations

from queue import Empty, SimpleQueue

from gatepost.client.refusals import rebuilt

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from typing import Any

    from gatepost.client.protocol import Client, Update

_WAIT = 1.0
_FORBIDDEN = 403


def todo_events(
    client: Client, workspace: str, scope: str | None, stop: threading.Event | None = None
) -> Iterator[dict[str, Any]]:
    """Every list as it is, then each change, until `stop` is set. A lost connection is made again."""
    client.call("workspace_overview", workspace=workspace, limit=1)  # refuses what cannot be followed
    return _events(client, workspace, scope, stop)


def _events(
    client: Client, workspace: str, scope: str | None, stop: threading.Event | None
) -> Iterator[dict[str, Any]]:
    updates: SimpleQueue[Update] = SimpleQueue()
    subscription = client.subscribe(workspace, updates.put, scope=scope)
    try:
        while stop is None or not stop.is_set():
            try:
                update = updates.get(timeout=None if stop is None else _WAIT)
            except Empty:
                continue
            if update.fault is not None:
                raise update.fault
            if update.refusal is not None and update.refusal.code == "UNAUTHORIZED":
                raise rebuilt({"code": "UNAUTHORIZED", "message": f"{client.place} {update.reason}"}, _FORBIDDEN)
            if update.refusal is not None:
                raise update.refusal
            yield from update.todo
    finally:
        subscription.close()
