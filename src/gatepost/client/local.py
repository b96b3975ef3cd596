"""A client of a store in this process."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from gatepost.operations.answer import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from typing import Any

    from gatepost.client.protocol import Listener, Subscription
    from gatepost.client.store_file import StoreFile
    from gatepost.engine.caller import Caller
    from gatepost.engine.engine import Engine
    from gatepost.engine.watched_checks import Watch
    from gatepost.operations.registry import Command, R
    from gatepost.todo import TodoStore


class LocalClient:
    """An engine, asked by one caller."""

    def __init__(self, engine: Engine, caller: Caller, place: str = "") -> None:
        self.engine = engine
        self.caller = caller
        self.place = place
        self._file: StoreFile | None = None

    def do(self, command: Command[R]) -> R:
        """The typed reply to a typed command."""
        from gatepost.client import requests

        return requests.do(self, command)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply to a call by name."""
        reply: dict[str, Any] = msgspec.json.decode(self.text(tool, arguments))
        return reply

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply's JSON."""
        return self._answer(self.engine, tool, arguments)

    def rehearse(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply a call would get, as JSON."""
        return self._answer(self.engine.rehearsing(), tool, arguments)

    def watch_checks(self, watch: Watch) -> None:
        """Have checks that this client runs watched."""
        self.engine = self.engine.watched(watch)

    def follow(
        self, workspace: str, after: int = 0, *, stop: threading.Event | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every event after a `seq`, then each new one, until `stop` is set."""
        from gatepost.client.store_file import StoreFile, another_log
        from gatepost.engine.log import shown

        self.call("tasks_delta", workspace=workspace, since=after, limit=1)  # refuses what cannot be followed
        file = StoreFile(self.engine.store.describe())
        last = 0

        def events() -> Iterator[dict[str, Any]]:
            nonlocal last
            for row in self.engine.follow(workspace, after, ended):
                last = row.seq
                yield shown(row)

        def ended() -> bool:
            moved = file.look()
            if moved is None and self.engine.read(workspace, self.caller, lambda reader: reader.head().seq) < last:
                moved = another_log(self.place, last)
            if moved is not None and moved.another:
                self.engine.store.close()  # the next call opens what is there now
            if moved is not None:
                raise moved
            return stop is not None and stop.is_set()

        return events()

    def subscribe(
        self, workspace: str, listener: Listener, *, scope: str | None = None, todos: TodoStore | None = None
    ) -> Subscription:
        """Receive the log and the todo lists, in one thread that waits for commits."""
        from gatepost.client.local_subscription import LocalSubscription
        from gatepost.domain.refusals import WorkspaceMismatch

        if self.caller.bound not in (None, workspace):
            raise WorkspaceMismatch(workspace, self.caller.bound)
        return LocalSubscription(self.engine, self.caller, self.file, workspace, listener, scope, todos)

    def workspaces(self) -> list[str]:
        """The names of the workspaces this client may use."""
        return self.engine.store.workspaces() if self.caller.bound is None else [self.caller.bound]

    def tools(self, toolset: str) -> list[dict[str, Any]]:
        """The operations of a tool set, as MCP lists them; those on files are left out."""
        from gatepost.client.requests import tools

        return tools(toolset)

    def for_session(self, session: str) -> LocalClient:
        """The same store, asked by a session. Its todo list is deleted when this process ends, if not before."""
        from gatepost.engine import processes
        from gatepost.operations.answer import caller

        actor = caller(f"{self.caller.actor}/{session}").actor
        who = replace(self.caller, actor=actor, session=session, process=processes.this(), connection=None)
        return LocalClient(self.engine, who, self.place)

    @property
    def file(self) -> StoreFile:
        """The store's file. Once a subscription watches it, no call goes to one that was moved away."""
        if self._file is None:
            from gatepost.client.store_file import StoreFile

            self._file = StoreFile(self.engine.store.describe())
        return self._file

    def close(self) -> None:
        """Release the store's files. A later call opens them again."""
        self.engine.close()

    def _answer(self, engine: Engine, tool: str, arguments: dict[str, Any]) -> str:
        moved = None if self._file is None else self._file.look()
        if moved is not None:
            raise moved
        bound = self.caller.bound
        given = arguments if bound is None else {"workspace": bound, **arguments}
        answered = answer(engine, tool, given, self.caller)
        if answered.refusal is not None:
            raise answered.refusal
        return answered.text
