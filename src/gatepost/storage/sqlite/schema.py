"""Schema and statements, read from their `.sql` files; migrations go forward only."""

import os
from contextlib import suppress
from importlib import import_module
from typing import Final

import apsw

from gatepost.storage.faults import NotAStore, StoreNewer, StoreReadOnly

_HERE: Final = os.path.dirname(__file__)


APPLICATION: Final = 0x47505354
"""Marks a file as ours: "GPST"."""

_OTHER_HALVES: Final = {
    "002_log_chain.sql": "chain_migration",
    "003_search.sql": "search_migration",
    "005_counts.sql": "count_migration",
}
"""What a script cannot do: the other halves of migrations, for stores that hold something already."""


def statements() -> dict[str, str]:
    """The named statements of `queries.sql`."""
    found: dict[str, str] = {}
    for block in _read("queries.sql").split("\n-- "):
        head, _, body = block.removeprefix("-- ").partition("\n")
        found[head.partition(":")[0]] = body.strip().rstrip(";")
    return found


def migrations() -> list[str]:
    """The scripts that make the schema, in order."""
    return [_read(os.path.join("migrations", name)) for name in _names()]


def _names() -> list[str]:
    return sorted(name for name in os.listdir(os.path.join(_HERE, "migrations")) if name.endswith(".sql"))


def check_ours(connection: apsw.Connection) -> None:
    """Refuse another program's database before anything is changed in it."""
    # In this order: another process may make the tables, and the mark with them, between the two looks.
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    mark = connection.pragma("application_id")
    if mark != APPLICATION and (tables or mark):
        raise NotAStore(connection.filename, "it holds another program's tables")


def migrate(connection: apsw.Connection) -> None:
    """Bring a file to the present schema; safe when several processes open a new file at once."""
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
        # Statements know the present schema only, so the tables are filled once all of them are there.
        for name in names[version:] if version else ():
            if name in _OTHER_HALVES:
                _complete(connection, name)
        connection.pragma("application_id", APPLICATION)
        connection.pragma("user_version", len(names))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def upgrade_damaged(connection: apsw.Connection) -> None:
    """Bring a copy of a damaged store to the present schema as far as that can be done, one statement at a time.

    Operations are sealed only if they never were: a broken chain must not look whole.
    """
    names = _names()
    unsealed = "hash" not in [column for _, column, *_ in connection.execute("PRAGMA table_info(operations)")]
    for name in names[connection.pragma("user_version") :]:
        for statement in _read(os.path.join("migrations", name)).split(";\n"):
            with suppress(apsw.Error):
                connection.execute(statement)
    if unsealed:
        _complete(connection, names[1])


def _complete(connection: apsw.Connection, name: str) -> None:
    """Run the half of a migration that needs the engine's rules; only a store from before has need of it."""
    import_module(f"gatepost.storage.sqlite.{_OTHER_HALVES[name]}").run(connection, statements())


def check_readable(connection: apsw.Connection) -> None:
    """Refuse a schema that this version cannot read without changing it first."""
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
