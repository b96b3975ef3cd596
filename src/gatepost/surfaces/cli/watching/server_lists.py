"""Todo lists of a server, followed over HTTP by the reference client."""

import threading
from collections.abc import Callable, Generator
from typing import Any, Final

from gatepost.surfaces.cli.errors import CommandError
from gatepost.surfaces.cli.servers import OK, Server, read
from gatepost.surfaces.cli.watching.lists import News
from gatepost.todo import Outcome, StreamRefused, TodoStore, follow
from gatepost.todo.scopes import scope_key

_BRIEFLY: Final = 2.0
"""So long is waited for what is shown beside."""
_QUIET: Final = 25.0
"""A server shows every ten seconds that it is there."""


class ServerLists:
    """Every list of a server's workspace, or one. `lost` is told whenever the connection is cut.

    A server that does not answer at the start is refused; one that goes away later is waited for.
    """

    def __init__(
        self, url: str, workspace: str | None, scope: str | None, token: str | None, lost: Callable[[], None]
    ) -> None:
        self._server = Server(url, token)
        self._scope = scope
        self._stopping = _Stopping(lost)
        self.todos = _Noting()
        self.where = workspace or self._server.only_workspace("watch")
        self._server.ask("/readyz", None)

    def news(self) -> Generator[News, None, None]:
        """What there is, then what changes; a lost connection is made again."""
        events = follow(
            self._server.url,
            self.where,
            scope=self._scope,
            store=self.todos,
            token=self._server.token,
            stop=self._stopping,
            quiet_seconds=_QUIET,
        )
        try:
            for event in events:
                payload = event.get("payload")
                todo = payload.get("todo") if isinstance(payload, dict) else None
                if not (self.todos.latest and isinstance(todo, dict) and isinstance(payload, dict)):
                    continue
                scope = scope_key(todo, payload)
                if scope is not None:
                    yield News(scope, todo)
        except StreamRefused as error:
            raise self._server.refusal(error.status, read(error.detail)) from None

    def radar(self, task: str) -> dict[str, Any]:
        """What the radar says of a task; nothing where the server has no answer soon."""
        try:
            status, said = self._server.ask(
                "/v1/operations/tasks_radar", {"workspace": self.where, "task": task}, _BRIEFLY
            )
        except CommandError:
            return {}
        return said if status == OK else {}

    def stop(self) -> None:
        """End with the server's next sign of life."""
        self._stopping.set()


class _Noting(TodoStore):
    """Remembers what became of the latest event: who follows is handed events that lists did not take, too."""

    latest = Outcome.NOTHING

    def apply(self, given: object) -> Outcome:
        self.latest = super().apply(given)
        return self.latest


class _Stopping(threading.Event):
    """Tells of each pause: one who follows makes it when a connection was lost, and at no other time."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__()
        self._lost = lost

    def wait(self, timeout: float | None = None) -> bool:
        if not self.is_set():
            self._lost()
        return super().wait(timeout)
