"""Write a store again from everything readable in it. The old schema is kept beside the new one."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from gatepost.engine.port import Rebuild, Store
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.connection_pool import ConnectionPool
from gatepost.storage.postgres.inspection import inspecting
from gatepost.storage.postgres.pooled_connection import SQL, Working


@contextmanager
def rebuilding(pool: ConnectionPool, make: Callable[[Address], Store]) -> Iterator[Rebuild]:
    """Lock a store until its rebuild has ended. `make` creates the new one in a schema of its own."""
    address = pool.address
    kept = f"{address.schema}_before_{time.strftime('%Y%m%d_%H%M%S', time.gmtime())}"
    new = address.in_schema(f"{address.schema}_new")
    store = make(new)
    with Working(pool) as cleaner:
        _drop(cleaner, new.schema)
        cleaner.execute("COMMIT")
    with Working(pool) as holder, inspecting(pool) as old:
        holder.execute(SQL["lock_store"])  # readers go on; writers wait, then get BUSY

        def finish() -> str:
            store.close()
            for was, name in ((address.schema, kept), (new.schema, address.schema)):
                holder.execute(
                    psycopg.sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(
                        *map(psycopg.sql.Identifier, (was, name))
                    )
                )
            holder.execute("COMMIT")
            return f"schema {kept} of {address}"

        try:
            yield Rebuild(old, store, finish)
        finally:
            store.close()


def _drop(connection: psycopg.Connection[tuple[object, ...]], schema: str) -> None:
    """Remove what an interrupted rebuild left."""
    connection.execute(psycopg.sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(psycopg.sql.Identifier(schema)))
