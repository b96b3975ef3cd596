"""Updates on their way to a listener, and how an event of the log is recognised."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gatepost.client.protocol import Listener, Update

TAIL = 200
"""This many events of the log are sent at the start."""


class UpdateDelivery:
    """Calls one listener, one update at a time, until it is stopped. Updates that say nothing new are dropped."""

    def __init__(self, listener: Listener) -> None:
        self.stopped = threading.Event()
        self._listener = listener
        self._lock = threading.RLock()
        self._state: tuple[str, str] | None = None

    def send(self, update: Update) -> None:
        """Deliver an update."""
        with self._lock:
            state = update.state, update.reason
            empty = not (update.events or update.todo or update.gap or update.fault)
            if self.stopped.is_set() or (empty and state == self._state):
                return
            self._state = state
            self._listener(update)

    def stop(self) -> None:
        """Deliver nothing more. An update that is being delivered is waited for."""
        self.stopped.set()
        with self._lock:
            pass


def fingerprint(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """What an event is recognised by. Two logs may use the same numbers and the same task ids."""
    return tuple(event.get(name) for name in ("seq", "type", "at", "actor", "task", "step_id"))
