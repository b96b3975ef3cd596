"""The Python half of migration 002: hashes for the operations that a store already has."""

from collections.abc import Mapping

import apsw

from gatepost.engine import chain
from gatepost.engine.rows import LOG
from gatepost.storage.sqlite.inspection import readable


def run(connection: apsw.Connection, sql: Mapping[str, str]) -> None:
    """Compute the chain of every workspace as commits would have done."""
    for workspace, tables in readable(connection):
        log = chain.Log(*(tables.rows(table) for table in LOG))
        links: list[tuple[int, int, str]] = []
        end = ""
        for record in chain.records(log):
            end = chain.hashed(tables.workspace, end, record)
            links.append((workspace, record.operation.operation, end))
        connection.executemany(sql["seal_operation"], links)
        connection.execute(sql["seal_workspace"], (workspace, end))
