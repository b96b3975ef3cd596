"""The third migration's other half: an index of the words that a store holds already."""

from collections.abc import Mapping
from typing import Any

import apsw

from gatepost.engine import search


def run(connection: apsw.Connection, sql: Mapping[str, str]) -> None:
    """Index every workspace, as its history wrote it."""
    from gatepost.storage.sqlite.store import SqliteTransaction

    workspaces: Any = connection.execute(sql["all_workspaces"]).fetchall()
    for _, name in workspaces:
        search.refill(SqliteTransaction(connection, name, lambda: None))
