"""One workspace of a client, as the screens use it."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import fields, replace

from gatepost.client.protocol import Client, Subscription, Update
from gatepost.client.refusals import rebuilt
from gatepost.domain.refusals import Refusal
from gatepost.operations.catalog import BY_NAME
from gatepost.surfaces.tui.fault_reports import report
from gatepost.todo import TodoStore

STORE_FAULTS: Final = frozenset(
    {"STORE_FULL", "STORE_UNREACHABLE", "STORE_READ_ONLY", "STORE_DAMAGED", "STORE_NEWER", "NOT_A_STORE"}
)
"""Temporary: the call is tried again until the store's file, its disk or the connection works."""
_DOCTOR: Final = "Run `gatepost doctor` to check the store."
_START: Final = "Start it with `gatepost up`, or give the address of a server that runs."


class Refused(Exception):
    """A refusal. Nothing was changed. Its message is a whole sentence."""

    def __init__(
        self,
        code: str,
        message: str,
        recovery: str,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = sentence(message)
        self.recovery = recovery
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
            raise Refused(no.code, no.message, no.recovery, no.details) from None
        except Exception as error:
            fault = report(f"in {operation}", error)
            raise Refused("INTERNAL", f"internal error {fault} in {operation}", _DOCTOR) from error
        if not _is_complete(operation, reply):
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
    """A refusal inside a reply, such as that of a batch."""
    no = rebuilt(error, 0)
    return Refused(no.code, no.message, no.recovery, no.details)


def _is_complete(operation: str, reply: dict[str, Any]) -> bool:
    """Whether a reply has every field that its type requires. A server that omits some is not a Gatepost server."""
    return all(field.encode_name in reply for field in fields(BY_NAME[operation].reply) if field.required)
