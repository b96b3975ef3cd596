"""The other half of `005_counts.sql`: existing stores are counted and indexed again."""

from collections.abc import Iterator, Mapping
from typing import Any

import apsw
from msgspec.structs import astuple

from gatepost.engine import recount
from gatepost.engine.port import Table


def run(connection: apsw.Connection, sql: Mapping[str, str]) -> None:
    """Bring the tallies and terms of every workspace in line with its documents."""
    for workspace, _ in connection.execute(sql["all_workspaces"]).fetchall():
        wrong = recount.mending(_Tables(connection, sql, workspace))
        tallies = [(workspace, place, *astuple(tally)) for place, tally in wrong.tallies]
        connection.executemany(sql["put_tally"], tallies)
        connection.executemany(sql["drop_term"], [(workspace, *row) for row in wrong.terms_gone])
        connection.executemany(sql["put_term"], [(workspace, *row) for row in wrong.terms_new])


class _Tables:
    def __init__(self, connection: apsw.Connection, sql: Mapping[str, str], workspace: Any) -> None:
        self._connection = connection
        self._sql = sql
        self._workspace = workspace

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        return self._connection.execute(self._sql[f"all_{table}"], (self._workspace,))
