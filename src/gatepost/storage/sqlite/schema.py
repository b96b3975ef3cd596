"""Schema and statements, read from their `.sql` files; migrations go forward only."""

import os
from contextlib import closing, suppress
from importlib import import_module
from typing import Any, Final

import apsw

from gatepost.storage.faults import NotAStore, StoreNewer, StoreReadOnly
from gatepost.storage.statements import named_statements

_HERE: Final = os.path.dirname(__file__)


APPLICATION: Final = 0x47505354
"""The application id of our files: "GPST"."""

_PYTHON_MIGRATIONS: Final = {
    "002_log_chain.sql": "chain_migration",
    "003_search.sql": "search_migration",
    "005_counts.sql": "count_migration",
    "008_asserted.sql": "count_migration",
    "012_queue.sql": "count_migration",
}
"""The modules that do the rest of a migration, for stores that already have data."""


def statements() -> dict[str, str]:
    """The named statements of `queries.sql`."""
    return named_statements(__file__)


def migrations() -> list[str]:
    """The scripts that create the schema, in order."""
    return [_read(os.path.join("migrations", name)) for name in _names()]


def as_created(version: int = 0) -> list[tuple[Any, ...]]:
    """Type, name, table and definition of everything in the schema of a version; of the current one, if unknown."""
    scripts = migrations()
    with closing(apsw.Connection(":memory:")) as connection:
        for script in scripts[:version] if 0 < version <= len(scripts) else scripts:
            connection.execute(script)
        return list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"))


def _names() -> list[str]:
    return sorted(name for name in os.listdir(os.path.join(_HERE, "migrations")) if name.endswith(".sql"))


def version(path: str) -> int:
    """The number of a file's schema, as it is."""
    with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        found: int = connection.pragma("user_version")
        return found


def check_ours(connection: apsw.Connection) -> None:
    """Refuse another program's database before changing anything."""
    # In this order: another process may create the tables and the id between the two reads.
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    mark = connection.pragma("application_id")
    if mark != APPLICATION and (tables or mark):
        raise NotAStore(connection.filename, "it has another program's tables")


def migrate(connection: apsw.Connection) -> None:
    """Bring a file to the current schema. Safe when several processes open a new file at once."""
    names = _names()
    if connection.pragma("user_version") == len(names):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.pragma("user_version")
        if version > len(names):
            raise StoreNewer(connection.filename, version, len(names))
        for name in names[version:]:
            connection.execute(_read(os.path.join("migrations", name)))
        # Statements know only the current schema, so tables are filled once all of them exist.
        modules = [_PYTHON_MIGRATIONS[name] for name in names[version:] if version and name in _PYTHON_MIGRATIONS]
        for module in dict.fromkeys(modules):
            _complete(connection, module)
        connection.pragma("application_id", APPLICATION)
        connection.pragma("user_version", len(names))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def upgrade_damaged(connection: apsw.Connection) -> None:
    """Bring a copy of a damaged store to the current schema as far as possible, one statement at a time.

    Operations get hashes only if they never had any: a broken chain must not look whole.
    """
    names = _names()
    unsealed = "hash" not in [column for _, column, *_ in connection.execute("PRAGMA table_info(operations)")]
    for name in names[connection.pragma("user_version") :]:
        for statement in _read(os.path.join("migrations", name)).split(";\n"):
            with suppress(apsw.Error):
                connection.execute(statement)
    if unsealed:
        _complete(connection, _PYTHON_MIGRATIONS[names[1]])


def _complete(connection: apsw.Connection, module: str) -> None:
    """Do the rest of a migration, which only existing stores need."""
    import_module(f"gatepost.storage.sqlite.{module}").run(connection, statements())


def check_readable(connection: apsw.Connection) -> None:
    """Refuse another program's database, and a schema that this version can only read after an upgrade."""
    check_ours(connection)
    version, known = connection.pragma("user_version"), len(migrations())
    if version > known:
        raise StoreNewer(connection.filename, version, known)
    if version < known:
        raise StoreReadOnly(
            connection.filename, f"it has the older schema {version}, which must be upgraded to {known} before use"
        )


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read()
