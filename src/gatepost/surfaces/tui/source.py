"""Where a screen gets its state from: something to ask, and news as they come. A store, or a server's URL."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from gatepost.todo import TodoStore

State = Literal["live", "lost", "refused"]

TAIL: Final = 200
"""So much of the log is told at the start."""


class Refused(Exception):
    """An answer that says no, whichever way it came. Nothing was changed."""

    def __init__(
        self,
        code: str,
        message: str,
        recovery: str,
        suggestion: dict[str, Any] | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.recovery = recovery
        self.suggestion = suggestion
        self.details = details or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came together: events of the log, oldest first, and session events whose lists were taken in.

    `afresh` says that what was heard before may have a hole behind it: read again what is shown.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    todo: list[dict[str, Any]] = field(default_factory=list)
    state: State = "live"
    reason: str = ""
    afresh: bool = False

    def __add__(self, later: "Heard") -> "Heard":
        """Both as one; the state is the later one's."""
        return Heard(
            events=[*self.events, *later.events],
            todo=[*self.todo, *later.todo],
            state=later.state,
            reason=later.reason,
            afresh=self.afresh or later.afresh,
        )


Hearing = Callable[[Heard], None]


class Source(Protocol):
    """One workspace. `call` blocks, so it is for worker threads; `heard` is called from the source's own."""

    workspace: str
    place: str
    """Where it is, for people: a file, or an address."""
    todos: TodoStore
    """Every list as far as it was heard; what `Heard.todo` tells of is already in it."""

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of an operation; the workspace is filled in. Raises `Refused`."""

    def start(self, heard: Hearing) -> None:
        """Begin to listen: first comes everything as it is, then what changes."""

    def stop(self) -> None:
        """Stop listening, soon. Nothing is heard afterwards."""


class Telling:
    """One listener, who may leave at any time: after `stop` nothing reaches them."""

    def __init__(self, heard: Hearing) -> None:
        self._heard = heard
        self._lock = threading.Lock()
        self.ended: Final = threading.Event()

    def tell(self, batch: Heard) -> None:
        """Pass something on."""
        with self._lock:
            if not self.ended.is_set():
                self._heard(batch)

    def end(self) -> None:
        """Fall silent: once this returns, nothing is told any more."""
        with self._lock:
            self.ended.set()


def refused(error: dict[str, Any]) -> Refused:
    """A refusal as every surface renders it."""
    known = ("code", "message", "recovery", "suggestion")
    return Refused(
        error.get("code", "INTERNAL"),
        error.get("message", "It was refused without a reason."),
        error.get("recovery", "Look again at what you sent."),
        error.get("suggestion"),
        {name: value for name, value in error.items() if name not in known},
    )
