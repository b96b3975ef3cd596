"""A database as the doctor sees it: one moment of all workspaces, read only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from gatepost.engine.port import Defect, StoreMeasures, UnreadableTable
from gatepost.engine.rows import Head, Table
from gatepost.storage.postgres import schema
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.pooled_connection import SQL, Working
from gatepost.storage.postgres.transaction import PostgresTransaction


@contextmanager
def inspecting(pool: PostgresConnectionPool) -> Iterator["PostgresInspection"]:
    """A consistent view of the database. Changes nothing."""
    with Working(pool, "begin_inspection") as connection:
        yield PostgresInspection(connection, pool)


class PostgresInspection:
    """A consistent view of one database. What cannot be read becomes a defect or `UnreadableTable`."""

    def __init__(self, connection: Connection, pool: PostgresConnectionPool) -> None:
        self._connection = connection
        self._pool = pool

    def measures(self) -> StoreMeasures:
        """The size of the schema's tables and indexes, and the schema's number."""
        address = self._pool.address
        rows: Any = self._connection.execute(SQL["size"], (address.schema,)).fetchall()
        server = self._connection.info.parameter_status("server_version")
        return StoreMeasures(f"PostgreSQL {server}", schema.version(self._connection, address), int(rows[0][0]))

    def defects(self) -> Iterator[Defect]:
        """What the schema has too much or too little, and rows of unknown workspaces."""
        own, name = schema.tables(), self._pool.address.schema
        rows: Any = self._connection.execute(SQL["tables"], (name,)).fetchall()
        held = {table for (table,) in rows}
        for table in sorted(held - own):
            yield Defect("FOREIGN_TABLE", table, "is not Gatepost's", foreign=True)
        for table in sorted(own - held):
            yield Defect("ALTERED_SCHEMA", f"table {table}", "is missing")
        if own <= held:
            orphans: Any = self._connection.execute(SQL["orphans"]).fetchall()
            for table, workspace, count in orphans:
                says = f"{count} rows of workspace {workspace}, which does not exist"
                yield Defect("ORPHANED_ROWS", table, says)

    def workspaces(self) -> list[str]:
        """The workspaces."""
        return [str(name) for (name,) in self._connection.execute(SQL["workspaces"])]

    def tables(self, workspace: str) -> "PostgresTables":
        """One workspace."""
        return PostgresTables(self._connection, workspace, self._pool)


class PostgresTables:
    """The tables of one workspace."""

    def __init__(self, connection: Connection, workspace: str, pool: PostgresConnectionPool) -> None:
        row: Any = connection.execute(SQL["head"], (workspace,)).fetchone()
        self._connection, self._workspace = connection, workspace
        self._rows = PostgresTransaction(connection, workspace, pool)
        self._rows.enter(row)

    def head(self) -> Head:
        """The counters."""
        return self._rows.head()

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id."""
        row: Any = self._connection.execute(SQL["place_of_name"], (self._workspace, name)).fetchone()
        return None if row is None else row[0]

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Every row of a table."""
        try:
            yield from self._rows.rows(table)
        except psycopg.Error as error:
            raise UnreadableTable(str(error)) from error
