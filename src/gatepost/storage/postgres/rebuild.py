"""Write a store again from everything readable in it. The old schema is kept beside the new one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

from psycopg import sql

from gatepost.engine.port import Rebuild, Store
from gatepost.storage.postgres import schema
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.arrays import array
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.inspection import inspecting
from gatepost.storage.postgres.pooled_connection import SQL, Working


@contextmanager
def rebuilding(pool: PostgresConnectionPool, make: Callable[[Address], Store]) -> Iterator[Rebuild]:
    """Lock a store until its rebuild has ended. `make` creates the new one in a schema of its own."""
    address = pool.address
    new = address.in_schema(f"{address.schema}_new")
    with Working(pool) as holder, ExitStack() as reading:
        # Before anything is read: a write that was acknowledged first must be in what is read. Readers continue.
        # Writers wait, and so does a second repair.
        holder.execute(SQL["lock_store"])
        with Working(pool) as cleaner:
            _drop(cleaner, new.schema)
            cleaner.execute("COMMIT")
        old = reading.enter_context(inspecting(pool))
        store = reading.enter_context(_open(make(new)))

        def finish() -> str:
            reading.close()
            # A reader in the middle of a transaction would see the new tables as they were before: empty.
            holder.execute(SQL["lock_readers_out"])
            _grant(holder, address.schema, new.schema)
            # Under the lock and to the microsecond: no two repairs keep the old schema under the same name.
            kept = f"{address.schema}_before_{datetime.now(UTC):%Y%m%d_%H%M%S_%f}"
            _rename(holder, address.schema, kept)
            _rename(holder, new.schema, address.schema)
            holder.execute("COMMIT")
            return f"schema {kept} of {address}"

        yield Rebuild(old, store, finish)


@contextmanager
def _open(store: Store) -> Iterator[Store]:
    try:
        yield store
    finally:
        store.close()


def _drop(connection: Connection, name: str) -> None:
    """Remove what an interrupted rebuild left."""
    connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def _rename(connection: Connection, name: str, to: str) -> None:
    connection.execute(sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(to)))


def _grant(connection: Connection, source: str, target: str) -> None:
    """Give other roles the rights that they had."""
    rows: Any = connection.execute(SQL["grants"], (source, target, array(sorted(schema.tables())))).fetchall()
    for (statement,) in rows:
        connection.execute(statement)
