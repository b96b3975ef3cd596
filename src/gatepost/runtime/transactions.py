"""Transactions: a block of work on a session and files that is rolled back if it fails."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar, Token
from datetime import datetime
from types import TracebackType
from typing import Any, Final, NamedTuple, Protocol, Self

from gatepost.runtime.failures import Failures
from gatepost.runtime.snapshots import Snapshot

OpenTransactions = tuple["Transaction", ...]
"""Nested transactions, outermost first."""

_within: Final[ContextVar[OpenTransactions]] = ContextVar("gatepost_transactions", default=())


def open_transactions() -> OpenTransactions:
    """The transactions that the calling code is in."""
    return _within.get()


class Restorable(Protocol):
    """Anything with snapshots: a filesystem, another session."""

    def snapshot(self) -> Any:
        """The present state."""

    def restore(self, snapshot: Any) -> None:
        """Return to a snapshot."""


class ReplayEntry(NamedTuple):
    """An event that was processed, or a snapshot that was restored, while a transaction was open."""

    what: object
    at: datetime
    within: OpenTransactions


class ReplayLog:
    """A session's events since its oldest open transaction began."""

    __slots__ = ("_begun", "entries")

    def __init__(self) -> None:
        self._begun: Final[dict[Transaction, tuple[int, Snapshot]]] = {}
        self.entries: Final[list[ReplayEntry]] = []

    def __bool__(self) -> bool:
        return bool(self._begun)

    def add(self, what: object, at: datetime, within: "OpenTransactions") -> None:
        """Record an event or a restored snapshot, with the transactions that it belongs to."""
        self.entries.append(ReplayEntry(what, at, within))

    def begin(self, transaction: "Transaction", state: Snapshot) -> None:
        """Begin a transaction in this state."""
        self._begun[transaction] = (len(self.entries), state)

    def end(self, transaction: "Transaction") -> None:
        """End a transaction and keep its events."""
        del self._begun[transaction]
        if not self._begun:
            self.entries.clear()

    def take_back(self, transaction: "Transaction", now: Callable[[], Snapshot]) -> Iterator[ReplayEntry]:
        """What to replay: the state before a transaction, then the events of others since. Empty if it did nothing.

        Transactions that began later have seen the events that are undone: they begin again in the replayed state.
        """
        start, state = self._begun[transaction]
        since = self.entries[start:]
        if not any(transaction in entry.within for entry in since):
            return
        del self.entries[start:]
        began = [(at, each) for each, (at, _) in self._begun.items() if at >= start]
        yield ReplayEntry(state, state.at, ())
        for place, entry in enumerate([*since, None], start):
            for at, each in began:
                if at == place:
                    self.begin(each, now())
            if entry is not None and transaction not in entry.within:
                self.entries.append(entry)
                yield entry


class Transaction:
    """The result of `Session.transaction`, for one `with` or `async with`."""

    __slots__ = ("_begin", "_commit", "_others", "_states", "_take_back", "_token")

    def __init__(
        self,
        begin: Callable[["Transaction"], None],
        commit: Callable[["Transaction"], None],
        take_back: Callable[["Transaction"], None],
        others: tuple[Restorable, ...],
    ) -> None:
        self._begin: Final = begin
        self._commit: Final = commit
        self._take_back: Final = take_back
        # Read-only files cannot have changed, and would refuse to be restored.
        self._others: Final = [other for other in others if not getattr(other, "read_only", False)]
        self._states: Final[list[tuple[Restorable, object]]] = []
        self._token: Token[OpenTransactions] | None = None

    def __enter__(self) -> Self:
        if self._token is not None:
            raise RuntimeError("A transaction can be used once: begin another with session.transaction(…)")
        self._states.extend((other, other.snapshot()) for other in self._others)
        self._begin(self)
        self._token = _within.set((*_within.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            # Some frameworks leave a block in another context than they entered it in. That context has ended too.
            with suppress(ValueError):
                _within.reset(self._token)
        if error is None:
            self._commit(self)
            return
        failures = Failures()
        for other, state in reversed(self._states):
            with failures:
                other.restore(state)
        with failures:
            self._take_back(self)
        for failure in failures.found:
            error.add_note(f"The transaction was not completely rolled back: {failure!r}")
        if failures.found:
            failures.report("taking back", "a transaction")

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)
