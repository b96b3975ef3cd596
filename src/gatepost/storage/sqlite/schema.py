"""Schema and statements, read from their `.sql` files; migrations go forward only."""

import os
from typing import Final

import apsw

from gatepost.storage.faults import NotAStore, StoreNewer, StoreReadOnly

_HERE: Final = os.path.dirname(__file__)


APPLICATION: Final = 0x47505354
"""Marks a file as ours: "GPST"."""


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
            _FILLS.get(name, _leave)(connection)
        connection.pragma("application_id", APPLICATION)
        connection.pragma("user_version", len(names))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _chain_the_log(connection: apsw.Connection) -> None:
    from gatepost.storage.sqlite import chain_migration

    chain_migration.run(connection, statements())


def check_readable(connection: apsw.Connection) -> None:
    """Refuse a schema that this version cannot read without changing it first."""
    version, known = connection.pragma("user_version"), len(migrations())
    if version > known:
        raise StoreNewer(connection.filename, version, known)
    if version < known:
        raise StoreReadOnly(
            connection.filename, f"it has the older schema {version}, which must be upgraded to {known} before use"
        )


def _index_words(connection: apsw.Connection) -> None:
    from gatepost.storage.sqlite import search_migration

    search_migration.run(connection, statements())


def _leave(_connection: apsw.Connection) -> None:
    """What most migrations do beside their script: nothing."""


_FILLS: Final = {"002_log_chain.sql": _chain_the_log, "003_search.sql": _index_words}
"""What a script cannot do: the other halves of migrations, for stores that hold something already."""


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read()
