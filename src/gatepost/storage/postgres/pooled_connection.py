"""A connection from the pool, in a transaction that ends with a block."""

import os
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Literal, TypeVar

import psycopg
from psycopg import errors

from gatepost.storage.postgres import connection_pool, faults
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.statements import named_statements

R = TypeVar("R")

SQL: Final = named_statements(__file__)
_ATTEMPTS: Final = 4


class PooledConnection:
    """A connection from the pool, in a transaction that ends with the block."""

    def __init__(self, pool: PostgresConnectionPool) -> None:
        self.pool: Final = pool

    def begun(self, start: Callable[[Connection], R], *, patient: bool = True) -> R:
        """What beginning a transaction gives. A connection that the server has closed is replaced."""
        for attempt in range(_ATTEMPTS):
            self.connection = self.pool.take(patient=patient)
            self._process = os.getpid()
            try:
                return start(self.connection)
            except psycopg.Error as error:
                self.end()
                lost = faults.is_lost(error)
                if attempt == _ATTEMPTS - 1 or not (lost or isinstance(error, errors.SerializationFailure)):
                    raise faults.answer_to(error, self.pool.address) or error from error
                if lost:
                    self.pool.close()  # the others were open, too, when the server went away
            except BaseException:
                self.end()
                raise
        raise faults.ConnectionLost(self.pool.address)

    def end(self) -> None:
        """Roll back what is open, and give the connection back."""
        connection = self.connection
        if self._process != os.getpid():  # forked meanwhile: it is the parent's, who goes on with it
            connection_pool.leave(connection)
            return
        try:
            if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")
        finally:
            self.pool.give_back(connection)

    def raise_for(self, error: BaseException | None) -> None:
        """Raise the refusal that an error of the database stands for."""
        answer = faults.answer_to(error, self.pool.address) if isinstance(error, psycopg.Error) else None
        if answer is not None:
            raise answer from error


class Working:
    """A transaction for statements that are not about one workspace."""

    def __init__(
        self, pool: PostgresConnectionPool, begin: Literal["begin_work", "begin_inspection"] = "begin_work"
    ) -> None:
        self._borrowed = PooledConnection(pool)
        self._begin = begin

    def __enter__(self) -> Connection:
        def start(connection: Connection) -> Connection:
            given = {"schema": self._borrowed.pool.address.schema, "patience": f"{int(faults.PATIENCE)}s"}
            psycopg.ClientCursor(connection).execute(SQL[self._begin], given)
            return connection

        return self._borrowed.begun(start)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._borrowed.end()
        self._borrowed.raise_for(error)
