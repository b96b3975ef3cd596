"""What every client can do, whether its store is a file here or a server elsewhere."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from typing import Any

    from gatepost.domain.refusals import Refusal
    from gatepost.operations.registry import Command, R
    from gatepost.todo import TodoStore

    Listener = Callable[["Update"], None]

State = Literal["live", "lost", "refused"]
"""`lost` reconnects by itself. `refused` means the server answers and does not let us in."""


class Update(Struct, frozen=True, kw_only=True):
    """What a subscription received at once: log events, oldest first, and changes of todo lists.

    After a `gap` some events may be missing: read again what you show. After `new_log`, the store behind the same
    address is another one: discard everything received before. `fault` is an unexpected error in the subscription,
    `refusal` is what the server said where the state is `refused`.
    """

    events: tuple[dict[str, Any], ...] = ()
    todo: tuple[dict[str, Any], ...] = ()
    state: State = "live"
    reason: str = ""
    gap: bool = False
    new_log: bool = False
    fault: BaseException | None = None
    refusal: Refusal | None = None

    def __add__(self, later: Update) -> Update:
        """Both as one update. The state is that of the later one; a new log discards everything before it."""
        if later.new_log:
            return later
        return Update(
            events=self.events + later.events,
            todo=self.todo + later.todo,
            state=later.state,
            reason=later.reason,
            gap=self.gap or later.gap,
            new_log=self.new_log,
            fault=later.fault or self.fault,
            refusal=later.refusal,
        )


class Subscription(Protocol):
    """A running subscription. The listener is called from the subscription's own threads."""

    @property
    def todos(self) -> TodoStore:
        """Every todo list received so far, including the changes of the latest update."""

    def close(self) -> None:
        """Stop. The listener is not called again after this returns."""


class Client(Protocol):
    """A store, asked by one actor. Every method but `subscribe` blocks; any thread may call them."""

    @property
    def place(self) -> str:
        """Where the store is, for people: a file path or a server's address."""

    def do(self, command: Command[R]) -> R:
        """The typed reply to a typed command. A refusal raises `gatepost.Refusal`."""

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply to a call by name. A refusal raises `gatepost.Refusal`."""

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply's JSON, byte for byte as the store sent it."""

    def rehearse(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply a call would get, as JSON. Nothing is stored."""

    def follow(
        self, workspace: str, after: int = 0, *, stop: threading.Event | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every event after a `seq`, then each new one, until `stop` is set."""

    def subscribe(
        self, workspace: str, listener: Listener, *, scope: str | None = None, todos: TodoStore | None = None
    ) -> Subscription:
        """Receive the end of the log, every todo list (or only that of `scope`), then every change.

        The lists are kept in `todos`, if given.
        """

    def workspaces(self) -> list[str]:
        """The names of the workspaces this client may use."""

    def tools(self, toolset: str) -> list[dict[str, Any]]:
        """The operations of a tool set, as MCP lists them."""

    def for_session(self, session: str) -> Client:
        """The same store, asked by a session."""

    def close(self) -> None:
        """Release files and connections. A later call opens them again."""
