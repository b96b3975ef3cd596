"""What tests of clients start from: a client of either kind, and an inbox for its updates."""

import threading
from collections.abc import Callable
from typing import Final

from gatepost.client.local import LocalClient
from gatepost.client.protocol import Client, Subscription, Update
from gatepost.client.remote import RemoteClient
from gatepost.engine.caller import Caller
from gatepost.todo import TodoStore
from tests.givens import WORKSPACE, World

PATIENCE: Final = 60.0
ACTOR: Final = "agent:tester"


def local(world: World) -> LocalClient:
    """A client of a world's store."""
    return LocalClient(world.engine, Caller(ACTOR), str(world.store.describe().get("path", "")))


def remote(url: str, token: str | None = None) -> RemoteClient:
    """A client of a server."""
    return RemoteClient(url, actor=ACTOR, token=token)


class Inbox:
    """Subscribes to a client, keeps its updates, and waits for what a test wants to see."""

    def __init__(self, client: Client, scope: str | None = None) -> None:
        self.todos = TodoStore()
        self.updates: list[Update] = []
        self._client = client
        self._scope = scope
        self._arrived = threading.Condition()
        self.subscription: Subscription | None = None

    def __enter__(self) -> "Inbox":
        self.subscription = self._client.subscribe(WORKSPACE, self._receive, scope=self._scope, todos=self.todos)
        return self

    def __exit__(self, *_: object) -> None:
        assert self.subscription is not None
        self.subscription.close()

    def _receive(self, update: Update) -> None:
        with self._arrived:
            self.updates.append(update)
            self._arrived.notify_all()

    def until(self, what: Callable[[], object]) -> None:
        """Wait until something is so, but not for ever."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: bool(what()), PATIENCE), self.updates[-3:]

    @property
    def seqs(self) -> list[int]:
        """The numbers of the events received."""
        return [event["seq"] for update in self.updates for event in update.events]

    @property
    def state(self) -> str:
        """The latest state."""
        return self.updates[-1].state if self.updates else "lost"

    @property
    def reason(self) -> str:
        """The latest reason."""
        return self.updates[-1].reason if self.updates else ""
