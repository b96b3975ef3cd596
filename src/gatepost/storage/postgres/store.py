"""The PostgreSQL store: one database, any number of machines, one writer at a time in each workspace."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, Final

from gatepost.engine.port import Ask, Inspection, Rebuild, Store, StoreSnapshot, StoreTransaction
from gatepost.storage.postgres import faults, schema
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.clock import DatabaseClock
from gatepost.storage.postgres.connection_pool import MOST, PostgresConnectionPool
from gatepost.storage.postgres.notifier import PostgresNotifier
from gatepost.storage.postgres.pooled_connection import SQL, Working
from gatepost.storage.postgres.transaction import Kind
from gatepost.storage.postgres.transaction_scope import TransactionScope

_AT_ONCE: Final = 0.05
"""Seconds that a writer without patience waits for another one."""
_DURABILITY: Final = {"FULL": "on", "NORMAL": "off"}


class PostgresStore:
    """Workspaces in one schema of a database. Connects on the first use."""

    def __init__(self, address: Address, synchronous: str = "FULL", connections: int = MOST) -> None:
        self._pool = PostgresConnectionPool(address, connections)
        self._notifier = PostgresNotifier(self._pool)
        self._durability = _DURABILITY[synchronous]
        self._synchronous = synchronous
        self._ready = False
        self._pool.clock.ask = self._time

    @property
    def clock(self) -> DatabaseClock:
        """The database's time: all machines go by the same."""
        return self._pool.clock

    def reading(self, workspace: str, first: Ask | None = None) -> AbstractContextManager[StoreSnapshot]:
        """A consistent view of one workspace. Reading does not create a schema."""
        if self._missing():
            return self._nothing.reading(workspace)
        return TransactionScope(self._pool, workspace, Kind(), first)

    def writing(
        self, workspace: str, first: Ask | None = None, *, patient: bool = True
    ) -> AbstractContextManager[StoreTransaction]:
        """Exclusive access to the workspace. Nothing changes without a commit."""
        self.migrate()
        kind = Kind("write", faults.PATIENCE if patient else _AT_ONCE, self._durability)
        return TransactionScope(self._pool, workspace, kind, first, self._notifier.tell)

    def blank(self) -> AbstractContextManager[StoreTransaction] | None:
        """An empty workspace to try a first write on while there is no schema."""
        return self._nothing.writing("") if self._missing() else None

    def migrate(self) -> tuple[int, int]:
        """Bring the schema up to date. Its number before and after."""
        if self._ready:
            return schema.known(), schema.known()
        with schema.connected(self._pool) as connection:
            found = schema.migrate(connection, self._pool.address)
        self._ready = True
        return found

    def try_write(self) -> None:
        """Write a little and roll it back. Raises what prevents a write, without waiting for it to pass."""
        self.migrate()
        with TransactionScope(self._pool, "", Kind("write", comeback=False)) as transaction:
            transaction.rehearse()

    def workspaces(self) -> list[str]:
        """The names of the workspaces that have been written to."""
        if self._missing():
            return []
        with Working(self._pool) as connection:
            return [str(name) for (name,) in connection.execute(SQL["workspaces"])]

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Return when the log passes `after`, when the time is up, or when the store is closed."""
        return self._notifier.wait(workspace, after, seconds)

    def release(self, workspace: str) -> None:
        """End all waits for a workspace, without news."""
        self._notifier.release(workspace)

    def inspecting(self) -> AbstractContextManager[Inspection]:
        """The database, for the doctor. Nothing is changed."""
        from gatepost.storage.postgres.inspection import inspecting

        return self._nothing.inspecting() if self._missing() else inspecting(self._pool)

    def rebuilding(self) -> AbstractContextManager[Rebuild]:
        """Exclusive access to the store, to write it again from what is readable."""
        return self._rebuilding()

    @contextmanager
    def _rebuilding(self) -> Iterator[Rebuild]:
        from gatepost.storage.postgres.rebuild import rebuilding

        self._notifier.close()
        with rebuilding(self._pool, PostgresStore) as rebuild:
            yield rebuild

    def describe(self) -> dict[str, Any]:
        """What kind of store this is, and where. Never with a password."""
        address = self._pool.address
        return {
            "kind": "postgresql",
            "address": str(address),
            "schema": address.schema,
            "synchronous": self._synchronous,
        }

    def close(self) -> None:
        """Close the connections that are not in use, and end all waits."""
        self._notifier.close()
        self._pool.close()

    def _time(self) -> float:
        with Working(self._pool) as connection:
            row: Any = connection.execute(SQL["now"]).fetchone()
        found: float = row[0]
        return found

    @cached_property
    def _nothing(self) -> Store:
        """An empty store, in place of one that does not exist."""
        from gatepost.storage.sqlite.store import SqliteStore

        return SqliteStore(":memory:")

    def _missing(self) -> bool:
        """Whether the database has no store yet. An older schema is brought up to date."""
        if not self._ready:
            with schema.connected(self._pool) as connection:
                if schema.version(connection, self._pool.address) is None:
                    return True
                schema.migrate(connection, self._pool.address)
            self._ready = True
        return False
