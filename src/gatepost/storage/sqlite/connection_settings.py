"""Settings for every connection that limit the harm of a manipulated file."""

from typing import Final

import apsw

_SETTINGS: Final = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    # Gatepost has no triggers or views. The doctor reports those of others; they never run.
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)


def harden(connection: apsw.Connection) -> None:
    """Do not trust the schema or cell sizes, and run no triggers or views."""
    for setting, value in _SETTINGS:
        connection.config(setting, value)
    connection.pragma("cell_size_check", 1)
