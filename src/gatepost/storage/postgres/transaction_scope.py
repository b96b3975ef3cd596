"""A transaction on one workspace, from its begin to its end, with a commit whose answer was lost."""

from collections.abc import Callable
from types import TracebackType

from gatepost.domain.refusals import Refusal
from gatepost.engine.port import Ask
from gatepost.storage.postgres import faults
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.pooled_connection import PooledConnection
from gatepost.storage.postgres.transaction import Doubt, Kind, PostgresTransaction


class TransactionScope:
    """A transaction on one workspace, which ends with the block. Rolls back what was not committed."""

    def __init__(
        self,
        pool: PostgresConnectionPool,
        workspace: str,
        kind: Kind,
        first: Ask | None = None,
        notify: Callable[[str, int], None] | None = None,
    ) -> None:
        self._borrowed = PooledConnection(pool)
        self._workspace = workspace
        self._kind = kind
        self._first = first
        self._notify = notify

    def __enter__(self) -> PostgresTransaction:
        self._transaction = self._borrowed.begun(self._start, patient=self._kind.comeback)
        return self._transaction

    def _start(self, connection: Connection) -> PostgresTransaction:
        transaction = PostgresTransaction(connection, self._workspace, self._borrowed.pool)
        transaction.begin(self._kind, self._first)
        return transaction

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._borrowed.end()
        self._borrowed.raise_for(error)
        if self._transaction.doubt is not None:
            self._settle(self._transaction.doubt)
        if self._notify is not None and self._transaction.grown:
            self._notify(self._workspace, self._transaction.head().seq)

    def _settle(self, doubt: Doubt) -> None:
        """Find out whether a commit took effect whose answer was lost. Raises if it did not, or cannot be known."""
        pool = self._borrowed.pool
        try:
            # Waits for the workspace's row, so for the end of the transaction that is in doubt.
            with TransactionScope(pool, self._workspace, Kind("write")) as transaction:
                kept = transaction.link(doubt.operation.operation)
        except Refusal as refusal:
            raise faults.CommitUnknown(pool.address) from refusal
        if kept != doubt.operation.hash:
            raise faults.ConnectionLost(pool.address) from doubt.lost
