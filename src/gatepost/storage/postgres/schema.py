"""The schema and its migrations: numbered as on every store, forward only, one process at a time."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Final

import psycopg
from psycopg import errors

from gatepost.storage.faults import NotAStore, StoreNewer, StoreReadOnly
from gatepost.storage.postgres import faults
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.pooled_connection import SQL

_FOLDER: Final = os.path.join(os.path.dirname(__file__), "migrations")
OLDEST: Final = 140_000
"""PostgreSQL 14."""


@cache
def known() -> int:
    """The number of the newest migration."""
    return _number(_names()[-1])


def tables() -> set[str]:
    """The tables of the schema."""
    return {"schema_version"}.union(*(re.findall("CREATE TABLE ([a-z_]+)", _read(name)) for name in _names()))


@contextmanager
def connected(pool: PostgresConnectionPool) -> Iterator[Connection]:
    """A connection to look at the schema or to change it."""
    with closing(pool.connect()) as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise faults.answer_to(error, pool.address) or error from error


def check_current(row: Sequence[Any] | None, address: Address) -> None:
    """Refuse the schema of a newer version, which another process can bring at any time."""
    if row is None:
        # A repair has put a new schema in the old one's place, and this transaction began before that.
        raise errors.SerializationFailure("the schema is newer than the transaction")
    if row[0] > known():
        raise StoreNewer(str(address), row[0], known())


def version(connection: Connection, address: Address) -> int | None:
    """The schema's number, or none if the database has no store yet. Refuses other programs' tables."""
    row: Any = connection.execute(SQL["has_schema"], (address.schema,)).fetchone()
    ours, tables = row
    if not ours:
        if tables:
            raise NotAStore(str(address), f"its schema {address.schema} has another program's tables")
        return None
    query = psycopg.sql.SQL("SELECT version FROM {}.schema_version").format(psycopg.sql.Identifier(address.schema))
    found: Any = connection.execute(query).fetchone()
    if found is None:
        raise NotAStore(str(address), f"{address.schema}.schema_version is empty")
    number: int = found[0]
    if number > known():
        raise StoreNewer(str(address), number, known())
    return number


def migrate(connection: Connection, address: Address) -> tuple[int, int]:
    """Bring a database to the current schema, also if many processes begin at once. Its number before and after."""
    try:
        return _migrated(connection, address)
    except (errors.InsufficientPrivilege, errors.InvalidSchemaName) as error:
        found = version(connection, address)
        if found is None:
            raise faults.no_room_for_schema(error, address) from error
        raise StoreReadOnly(
            str(address),
            f"it has the older schema {found}, which must be upgraded to {known()} before use,"
            f" and role {address.user} may not do that; run `gatepost migrate` as the role that owns it",
        ) from error


def _migrated(connection: Connection, address: Address) -> tuple[int, int]:
    if connection.info.server_version < OLDEST:
        raise NotAStore(str(address), "the server is older than PostgreSQL 14")
    found = version(connection, address)
    if found == known():
        return found, found
    connection.execute("BEGIN")
    try:
        connection.execute(SQL["lock_schema"])
        found = version(connection, address)  # another process may have been quicker
        before = found or 0
        name = psycopg.sql.Identifier(address.schema)
        if found is None and not _has_namespace(connection, address):
            connection.execute(psycopg.sql.SQL("CREATE SCHEMA {}").format(name))
        connection.execute(psycopg.sql.SQL("SET LOCAL search_path = {}").format(name))
        if found is None:
            connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
            connection.execute("INSERT INTO schema_version VALUES (0)")
        for script in (each for each in _names() if _number(each) > before):
            connection.execute(_read(script).encode())
        connection.execute("UPDATE schema_version SET version = $1", (known(),))
        connection.execute("COMMIT")
    finally:
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.execute("ROLLBACK")
    return before, known()


def _has_namespace(connection: Connection, address: Address) -> bool:
    """Whether the schema is there. `CREATE SCHEMA IF NOT EXISTS` would need the right to create one either way."""
    row: Any = connection.execute(SQL["has_namespace"], (address.schema,)).fetchone()
    return bool(row[0])


def _names() -> list[str]:
    return sorted(name for name in os.listdir(_FOLDER) if name.endswith(".sql"))


def _number(name: str) -> int:
    return int(name.partition("_")[0])


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()
