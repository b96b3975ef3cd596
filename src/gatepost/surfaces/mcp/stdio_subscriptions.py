"""Change notifications on stdio: one thread follows each workspace's log, and the main thread sends.

Loaded with the first subscription.
"""

import os
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Final

from gatepost.domain.refusals import Refusal
from gatepost.surfaces import faults
from gatepost.surfaces.mcp.resources import Resources
from gatepost.surfaces.mcp.subscriptions import MOST, MOST_WORKSPACES, SubscriptionStream, updates
from gatepost.surfaces.mcp.watched_resources import WatchedResource

RECOVERY: Final = 5.0
"""Seconds to wait after a fault."""

_GLANCE: Final = 0.25
"""The longest time in seconds that a thread delays the end of the server."""


class StdioSubscriptions:
    """The client's subscriptions by subscriber: a stream by its id, or a legacy client as `None`."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self.wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self.wake_reader, False)
        os.set_blocking(self._wake_writer, False)
        self._lock = Lock()
        self._wanted: dict[str | int | None, dict[str, WatchedResource]] = {None: {}}
        self._streams: dict[str | int | None, SubscriptionStream] = {}
        self._begun = 0
        self._threads: dict[str, Thread] = {}
        self._changed: dict[str, None] = {}
        self._closing = Event()

    def add(self, watched: WatchedResource) -> bool:
        """Subscribe to a resource. Returns false if there are too many."""
        with self._lock:
            mine = {**self._wanted[None], watched.uri: watched}
            if len(mine) > MOST or len({one.workspace for one in mine.values()}) > MOST_WORKSPACES:
                return False
            self._wanted[None] = mine
            self._follow(watched)
        return True

    def remove(self, uri: str) -> None:
        """Unsubscribe from a resource."""
        with self._lock:
            self._wanted[None].pop(uri, None)

    def listen(self, listening: SubscriptionStream) -> None:
        """Open a stream."""
        with self._lock:
            self._streams[listening.id] = listening
            self._wanted[listening.id] = {watched.uri: watched for watched in listening.watched}
            for watched in listening.watched:
                self._follow(watched)

    def end(self, stream: str | int) -> None:
        """Close a stream."""
        with self._lock:
            if self._streams.pop(stream, None) is not None:
                del self._wanted[stream]

    def news(self) -> list[bytes]:
        """The changes since the last call, as messages."""
        with suppress(BlockingIOError):
            os.read(self.wake_reader, 4096)
        with self._lock:
            changed, self._changed = self._changed, {}
            lines = []
            for who, wanted in self._wanted.items():
                mark = self._streams[who].mark() if who in self._streams else {}
                lines += updates([uri for uri in changed if uri in wanted], mark)
        return lines

    def close(self) -> None:
        """End the threads."""
        self._closing.set()
        for thread in list(self._threads.values()):
            thread.join()
        os.close(self.wake_reader)
        os.close(self._wake_writer)

    def _follow(self, watched: WatchedResource) -> None:
        self._begun += 1
        if watched.workspace not in self._threads:
            thread = Thread(target=self._run, args=(watched.workspace, watched.seq), daemon=True)
            self._threads[watched.workspace] = thread
            thread.start()

    def _run(self, workspace: str, after: int) -> None:
        ailing = False
        while not self._closing.is_set():
            begun, uris = self._uris(workspace)
            if not uris:
                return
            try:
                after = self._step(workspace, after, begun, uris)
                ailing = False
            # The thread's edge: nobody above could report the error. If the thread ended, the client would get no
            # more notifications and not notice. So it goes on from where it was, and reports the fault only once.
            except Exception as error:  # noqa: BLE001
                if not ailing:
                    faults.report(f"while following {workspace}", error)
                ailing = True
                self._closing.wait(RECOVERY)

    def _step(self, workspace: str, after: int, begun: int, uris: list[str]) -> int:
        try:
            seq, changed = self._resources.changed(workspace, after, uris)
            if seq == after:
                self._resources.wait(workspace, after, _GLANCE)
                return after
        except Refusal:  # busy, which passes
            self._closing.wait(_GLANCE)
            return after
        with self._lock:
            if begun != self._begun:
                return after  # a subscription was added meanwhile that this look did not cover: look again
            self._changed |= dict.fromkeys(changed)
        with suppress(BlockingIOError):  # the main thread is awake already
            os.write(self._wake_writer, b".")
        return seq

    def _uris(self, workspace: str) -> tuple[int, list[str]]:
        """The subscribed URIs of a workspace, and a counter. Its thread ends if there are none."""
        with self._lock:
            uris = {
                watched.uri: None
                for wanted in self._wanted.values()
                for watched in wanted.values()
                if watched.workspace == workspace
            }
            if not uris:
                del self._threads[workspace]
            return self._begun, list(uris)
