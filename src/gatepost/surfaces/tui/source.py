"""One workspace of a client, as the screens use it."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from gatepost.client.protocol import Client, Subscription, Update
from gatepost.domain.refusals import Refusal
from gatepost.surfaces.tui.fault_reports import report
from gatepost.todo import TodoStore

STORE_FAULTS: Final = frozenset(
    {"STORE_FULL", "STORE_UNREACHABLE", "STORE_READ_ONLY", "STORE_DAMAGED", "STORE_NEWER", "NOT_A_STORE"}
)
"""These pass once the store's file, its disk or the connection is mended. Until then, the call is tried again."""
_NEEDED: Final = {
    "change_mind": ("revision",),
    "recall_mind": ("content", "revision"),
    "taskdoc_diff": ("diff",),
    "taskdoc_history": ("items", "has_more"),
    "taskdoc_list": ("items",),
    "taskdoc_restore": ("revision",),
    "tasks_create": ("id",),
    "tasks_delta": ("events", "next", "has_more"),
    "tasks_history": ("operations", "has_more"),
    "tasks_radar": ("target", "now", "why", "verify", "next", "blockers", "counts"),
    "tasks_redo": ("operation", "tool"),
    "tasks_resume": ("target",),
    "tasks_tree": ("target", "now", "children", "rows"),
    "tasks_undo": ("operation", "tool"),
    "workspace_overview": ("seq", "tasks", "more"),
}
"""What a reply must have to be shown. A server that answers without these is not a Gatepost server."""
_DOCTOR: Final = "Run `gatepost doctor` to check the store."
_START: Final = "Start it with `gatepost up`, or give the address of a server that runs."


class Refused(Exception):
    """A refusal. Nothing was changed. Its message is a whole sentence."""

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


class Source:
    """A workspace of a store or a server. `call` blocks, so it is for worker threads."""

    def __init__(self, client: Client, workspace: str) -> None:
        self.workspace = workspace
        self.place = client.place
        self.todos = TodoStore()
        self._client = client
        self._subscription: Subscription | None = None

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply to an operation in this workspace. Raises `Refused`."""
        try:
            reply = self._client.call(operation, **{"workspace": self.workspace, **arguments})
        except Refusal as no:
            suggestion = None if no.suggestion is None else no.suggestion._asdict()
            raise Refused(no.code, no.message, no.recovery, suggestion, no.details) from None
        except Exception as error:
            fault = report(f"in {operation}", error)
            raise Refused("INTERNAL", f"internal error {fault} in {operation}", _DOCTOR) from error
        if not _is_whole(operation, arguments, reply):
            raise Refused("STORE_UNREACHABLE", f"{self.place} does not answer as a Gatepost server does.", _START)
        return reply

    def start(self, listener: Callable[[Update], None]) -> None:
        """Begin to receive updates: first everything as it is, then what changes."""

        def receive(update: Update) -> None:
            if update.fault is not None:
                fault = report("while following the log", update.fault)
                update = replace(update, reason=f"internal error {fault}; trying again")
            listener(update)

        self._subscription = self._client.subscribe(self.workspace, receive, todos=self.todos)

    def stop(self) -> None:
        """Stop. No update is received after this returns."""
        if self._subscription is not None:
            self._subscription.close()


def sentence(words: str) -> str:
    """The words with a full stop, unless they already end as a sentence does."""
    return words if not words or words.rstrip().endswith((".", "!", "?", ":")) else f"{words.rstrip()}."


def refused(error: dict[str, Any]) -> Refused:
    """A refusal within a reply, as a update has it."""
    known = ("code", "message", "recovery", "suggestion")
    return Refused(
        str(error.get("code") or "INTERNAL"),
        str(error.get("message") or "It was refused without a reason."),
        str(error.get("recovery") or "Check what you sent."),
        error.get("suggestion"),
        {name: value for name, value in error.items() if name not in known},
    )


def _is_whole(operation: str, arguments: dict[str, Any], reply: dict[str, Any]) -> bool:
    """Whether a reply has what is shown of it."""
    needed = _NEEDED.get(operation, ())
    of_step = operation == "tasks_resume" and "step_id" in arguments
    return all(name in reply for name in needed) and ("step" in reply or not of_step)
