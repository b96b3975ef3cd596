"""Connecting from Python: one public object, whichever kind of store is behind it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any

    from gatepost.client.protocol import Client
    from gatepost.client.workspaces import Workspace
    from gatepost.engine.engine import Engine
    from gatepost.operations.registry import Command, R

ACTOR = "python"


class Gatepost:
    """A connected store. Safe to share between threads. Use it as a context manager, or close it.

    Closing releases files and connections; a later call opens them again.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call an operation by name. Returns the reply, or raises `gatepost.Refusal`."""
        return self.client.call(tool, **arguments)

    def do(self, command: Command[R]) -> R:
        """Send a typed command from `gatepost.commands`. Returns its typed reply, or raises a `Refusal`."""
        return self.client.do(command)

    def follow(self, workspace: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Every event after a `seq`, then each new one as it happens, without end."""
        return self.client.follow(workspace, after)

    def todos(self, workspace: str, scope: str | None = None) -> Iterator[dict[str, Any]]:
        """Every todo list (or only that of `scope`) as a session event, then each change, without end.

        Give each to a `gatepost.todo.TodoStore` to have the lists as they are.
        """
        from gatepost.client.todo_events import todo_events

        return todo_events(self.client, workspace, scope)

    def workspace(self, name: str) -> Workspace:
        """A workspace with a typed method for every operation: `gp.workspace("acme/shop").tasks.radar()`."""
        from gatepost.client.requests import request
        from gatepost.client.workspaces import Workspace

        return Workspace(name, request(self.client, name))

    def tools(self, toolset: str = "core") -> list[dict[str, Any]]:
        """The operations of a tool set, as MCP lists them. File operations are left out."""
        return self.client.tools(toolset)

    def for_session(self, session: str) -> Gatepost:
        """The same store, used by a session: its calls carry the session's name."""
        import re

        from gatepost.domain.names import SESSION
        from gatepost.domain.refusals import InvalidInput
        from gatepost.wire.texts import MEANINGS

        if re.match(SESSION, session) is None:
            raise InvalidInput([("session", MEANINGS[SESSION])])
        return Gatepost(self.client.for_session(session))

    @property
    def engine(self) -> Engine:
        """The engine, where the store is in this process."""
        from gatepost.client.local import LocalClient
        from gatepost.domain.refusals import InvalidInput

        if not isinstance(self.client, LocalClient):
            raise InvalidInput(
                [("store", f"{self.client.place} is a server, and this needs a store in this process")],
                "Connect to the store's file instead, on the machine that has it.",
            )
        return self.client.engine

    def close(self) -> None:
        """Release files and connections."""
        self.client.close()

    def __enter__(self) -> Gatepost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def connect(
    store: str | None = None,
    *,
    actor: str | None = None,
    workspace: str | None = None,
    synchronous: str | None = None,
    token: str | None = None,
) -> Gatepost:
    """Connect to a store: a file path, `sqlite:///path`, `postgresql://host/database`, `http://host:4870`,
    `memory:`, or nothing for the default.

    With `workspace`, calls need not name it, and calls in any other workspace are refused. `token` is for servers
    that need one.
    """
    from gatepost.client.choice import client_of
    from gatepost.settings import settings

    found = settings({"store": store, "actor": actor, "synchronous": synchronous})
    if found.ignored is not None:
        import warnings

        warnings.warn(found.ignored, stacklevel=2)
    return Gatepost(client_of(found, actor=ACTOR, workspace=workspace, token=token, lasting=True))
