"""The second migration's other half: hashes for the operations that a store holds already."""

from collections.abc import Mapping
from typing import Any

import apsw

from gatepost.engine import chain
from gatepost.engine.port import LOG


def run(connection: apsw.Connection, sql: Mapping[str, str]) -> None:
    """Compute the chain of every workspace, as commits would have done."""
    workspaces: Any = connection.execute(sql["all_workspaces"]).fetchall()
    for workspace, name in workspaces:
        log = chain.Log(*(connection.execute(sql[f"all_{table}"], (workspace,)) for table in LOG))
        links: list[tuple[int, int, str]] = []
        end = ""
        for record in chain.records(log):
            end = chain.hashed(name, end, record)
            links.append((workspace, record.operation.operation, end))
        connection.executemany(sql["seal_operation"], links)
        connection.execute(sql["seal_workspace"], (workspace, end))
