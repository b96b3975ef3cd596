"""Stores as the first version made them."""

from pathlib import Path

import apsw

from gatepost.storage.sqlite import schema


def make_older(path: Path) -> None:
    """Let a store that is closed be as the first version would have made it: its schema, and no more columns."""
    new = path.with_suffix(".first")
    with apsw.Connection(str(new)) as first:
        first.execute(schema.migrations()[0])
        first.pragma("application_id", schema.APPLICATION)
        first.pragma("user_version", 1)
        first.execute("ATTACH ? AS present", (str(path),))
        for (table,) in first.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'").fetchall():
            columns = ", ".join(
                str(name) for _, name, *_ in first.execute(f"PRAGMA main.table_info({table})").fetchall()
            )
            first.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM present.{table}")  # noqa: S608 - names of our own tables
    first.close()
    new.replace(path)
