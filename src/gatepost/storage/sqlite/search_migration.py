"""The third migration's other half: an index of the words that a store holds already."""

from collections.abc import Mapping

import apsw

from gatepost.engine import search
from gatepost.storage.sqlite.inspection import readable


def run(connection: apsw.Connection, _sql: Mapping[str, str]) -> None:
    """Index every workspace, as its history wrote it."""
    from gatepost.storage.sqlite.store import SqliteTransaction

    for _, tables in readable(connection):
        search.refill(SqliteTransaction(connection, tables.workspace, lambda: None), tables)
