"""The address of a PostgreSQL store: how to connect, and what may be said of it. A password is never shown."""

from copy import copy
from typing import Any, Final

from psycopg import ProgrammingError, conninfo

from gatepost.storage.faults import NotAStore

_SCHEMA: Final = "gatepost"
_DEFAULTS: Final = {
    "application_name": "gatepost",
    "connect_timeout": "10",
    # A peer that vanished is noticed within a minute, so that neither side holds what it lost.
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "40000",
}


class Address:
    """Where a database is, how to connect to it, and the schema that holds the store."""

    def __init__(self, url: str, schema: str = _SCHEMA) -> None:
        before, at, after = url.partition("://")[2].partition("@")
        if at and ("@" in after or "/" in before or "?" in before):
            # A part of the password would be read as the host or the database's name, and shown.
            raise NotAStore(
                f"{url.partition('://')[0]}://…",
                "a password in the address has an @, / or ?; write these as %40, %2F and %3F",
            )
        try:
            given = conninfo.conninfo_to_dict(url)
        except ProgrammingError as error:
            # The error could repeat a part of the address, and a password with it.
            raise NotAStore(
                f"{url.partition('://')[0]}://…",
                "the address cannot be read; write postgresql://user@host:5432/database",
            ) from error
        self.parameters: dict[str, Any] = {**_DEFAULTS, **{name: value for name, value in given.items() if value}}
        self.schema = schema
        self.channel = schema

    def in_schema(self, schema: str) -> "Address":
        """The same database, and another schema."""
        other = copy(self)
        other.schema = other.channel = schema
        return other

    @property
    def host(self) -> str:
        """The server's host, or the folder of its socket."""
        return str(self.parameters.get("host") or self.parameters.get("hostaddr") or "localhost")

    @property
    def port(self) -> str:
        """The server's port."""
        return str(self.parameters.get("port") or "5432")

    @property
    def user(self) -> str:
        """The role that connects."""
        return str(self.parameters.get("user") or "the default role")

    @property
    def database(self) -> str:
        """The database's name."""
        return str(self.parameters.get("dbname") or self.parameters.get("user") or "postgres")

    def __str__(self) -> str:
        return f"postgresql://{self.host}:{self.port}/{self.database}"
