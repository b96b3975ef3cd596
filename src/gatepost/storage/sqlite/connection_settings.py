"""Settings for every connection: they limit the harm of a manipulated file, and keep a statement's plan."""

from typing import Final

import apsw

_SETTINGS: Final = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    # Gatepost has no triggers or views. The doctor reports those of others; they never run.
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    # Otherwise SQLite prepares a statement again whenever a range or a limit is bound to other values: the values
    # could suit another plan, by statistics that no store of ours has. That took most of the time of a short read.
    (apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1),
)


def harden(connection: apsw.Connection) -> None:
    """Do not trust the schema or cell sizes, run no triggers or views, and plan each statement once."""
    for setting, value in _SETTINGS:
        connection.config(setting, value)
    connection.pragma("cell_size_check", 1)
