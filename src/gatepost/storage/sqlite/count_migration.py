"""The Python half of `005_counts.sql` and those after it that count or index existing stores again."""

from collections.abc import Mapping

import apsw
from msgspec.structs import astuple

from gatepost.engine import derived_rows
from gatepost.storage.sqlite.inspection import readable


def run(connection: apsw.Connection, sql: Mapping[str, str]) -> None:
    """Correct the tallies and terms of every workspace from its documents."""
    for workspace, tables in readable(connection):
        wrong = derived_rows.corrections(tables)
        tallies = [(workspace, place, *astuple(tally)) for place, tally in wrong.tallies]
        connection.executemany(sql["put_tally"], tallies)
        connection.executemany(sql["drop_term"], [(workspace, *row) for row in wrong.terms_gone])
        connection.executemany(sql["put_term"], [(workspace, *row) for row in wrong.terms_new])
