"""The Python half of migration 003: index the words that a store already has."""

from collections.abc import Mapping

import apsw

from gatepost.engine import search
from gatepost.storage.sqlite.inspection import readable
from gatepost.storage.sqlite.transaction import SqliteTransaction


def run(connection: apsw.Connection, _sql: Mapping[str, str]) -> None:
    """Index every workspace in the order of its history."""
    for _, tables in readable(connection):
        search.refill(SqliteTransaction(connection, tables.workspace, lambda: None), tables)
