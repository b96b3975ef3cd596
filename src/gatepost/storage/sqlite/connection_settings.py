"""What every connection is set to, so that a file which others wrote to can do little harm."""

from typing import Final

import apsw

_SETTINGS: Final = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    # We have none of either. Those that others put there are reported by the doctor, and do not run.
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
)


def harden(connection: apsw.Connection) -> None:
    """Trust neither the schema nor the size of a cell; run nobody's triggers and views."""
    for setting, value in _SETTINGS:
        connection.config(setting, value)
    connection.pragma("cell_size_check", 1)
