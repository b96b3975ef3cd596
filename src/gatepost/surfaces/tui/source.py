"""Where a screen gets its state from: something to ask, and news as they come. A store, or a server's URL."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from gatepost.todo import TodoStore

State = Literal["live", "lost", "refused"]

STORE_FAULTS: Final = frozenset(
    {"STORE_FULL", "STORE_UNREACHABLE", "STORE_READ_ONLY", "STORE_DAMAGED", "STORE_NEWER", "NOT_A_STORE"}
)
"""What may be over once somebody has mended the store's file or disk: asked again until then."""
TAIL: Final = 200
"""So much of the log is told at the start."""


class Refused(Exception):
    """An answer that says no, whichever way it came. Nothing was changed. Its message is a whole sentence."""

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
        self.message = sentence(message)
        self.recovery = recovery
        self.suggestion = suggestion
        self.details = details or {}

    @property
    def words(self) -> str:
        """What is wrong, and the next step."""
        return f"{self.message} {self.recovery}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came together: events of the log, oldest first, and session events whose lists were taken in.

    `afresh` says that what was heard before may have a hole behind it: read again what is shown. `anew` says that
    it is another log from here on: nothing that was heard before holds.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    todo: list[dict[str, Any]] = field(default_factory=list)
    state: State = "live"
    reason: str = ""
    afresh: bool = False
    anew: bool = False

    def __add__(self, later: "Heard") -> "Heard":
        """Both as one; the state is the later one's, and of another log nothing earlier is left."""
        if later.anew:
            return later
        return Heard(
            events=[*self.events, *later.events],
            todo=[*self.todo, *later.todo],
            state=later.state,
            reason=later.reason,
            afresh=self.afresh or later.afresh,
            anew=self.anew,
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


def sentence(words: str) -> str:
    """The words with a full stop, unless they end as a sentence does: something is to stand behind them."""
    return words if not words or words.rstrip().endswith((".", "!", "?", ":")) else f"{words.rstrip()}."


def mark(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """What an event of the log is known by again. Two logs may count alike, and name their tasks alike."""
    return tuple(event.get(name) for name in ("seq", "type", "at", "actor", "task", "step_id"))


def refused(error: dict[str, Any]) -> Refused:
    """A refusal as every surface renders it."""
    known = ("code", "message", "recovery", "suggestion")
    return Refused(
        str(error.get("code") or "INTERNAL"),
        str(error.get("message") or "It was refused without a reason."),
        str(error.get("recovery") or "Look again at what you sent."),
        error.get("suggestion"),
        {name: value for name, value in error.items() if name not in known},
    )
