"""One workspace of a client, as the screens use it."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from gatepost.client.protocol import Client, Subscription, Update
from gatepost.client.requests import decoded, request
from gatepost.client.workspaces import Workspace
from gatepost.domain.refusals import BUSY, STORE, Refusal
from gatepost.operations.catalog import BY_NAME
from gatepost.surfaces.tui.fault_reports import report
from gatepost.todo import TodoStore

INTERNAL: Final = "INTERNAL"
_DOCTOR: Final = "Run `gatepost doctor` to check the store."
_NOTHING: Final[Mapping[str, object]] = {}
_R = TypeVar("_R")
_T = TypeVar("_T")


class Source:
    """A workspace of a store or a server. Calls block, so they are for worker threads."""

    def __init__(self, client: Client, workspace: str) -> None:
        self.workspace = workspace
        self.place = client.place
        self.todos = TodoStore()
        self.calls = Workspace(workspace, self.request)
        """A typed method for every operation."""
        self._client = client
        self._subscription: Subscription | None = None

    def request(
        self, tool: str, reply: type[_R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> _R:
        """Sends the calls of `calls`. Raises `Refusal`."""
        send = request(self._client, self.workspace)
        return _reported(tool, lambda: send(tool, reply, given, nullable))

    def call(self, operation: str, arguments: dict[str, Any]) -> tuple[Any, str]:
        """The reply to a call by name, in this workspace, and its JSON as it came. Raises `Refusal`."""

        def called() -> tuple[Any, str]:
            text = self._client.text(operation, {"workspace": self.workspace, **arguments})
            return decoded(self._client, text, BY_NAME[operation].reply), text

        return _reported(operation, called)

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


def _reported(operation: str, call: Callable[[], _T]) -> _T:
    """The result of a call. An unexpected error is reported, and refused with its id."""
    try:
        return call()
    except Refusal:
        raise
    except Exception as error:
        no = Refusal(f"internal error {report(f'in {operation}', error)} in {operation}", _DOCTOR)
        no.code = INTERNAL
        raise no from error


def sentence(words: str) -> str:
    """The words with a full stop, unless they already end as a sentence does."""
    return words if not words or words.rstrip().endswith((".", "!", "?", ":")) else f"{words.rstrip()}."


def is_temporary(no: Refusal) -> bool:
    """Whether the same call may succeed a little later: the store is busy, or its file, disk or server is gone."""
    return no.family in (BUSY, STORE)


def words_of(no: Refusal) -> str:
    """What is wrong, and the next step."""
    return f"{sentence(no.message)} {no.recovery}".strip()
