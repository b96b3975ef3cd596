"""Turn errors of PostgreSQL into store faults, in words that say what to do and never hold a password."""

import re
from typing import Final

import psycopg
from psycopg import errors

from gatepost.domain.refusals import Busy, Refusal
from gatepost.storage.faults import StoreDamaged, StoreFull, StoreReadOnly, StoreUnreachable
from gatepost.storage.postgres.address import Address

PATIENCE: Final = 15.0
"""Seconds to wait for another writer."""

LOST: Final = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
    errors.IdleSessionTimeout,
    errors.ConnectionException,
    errors.ProtocolViolation,
)
_CONTENDED: Final = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
    errors.QueryCanceled,
)
_DAMAGED: Final = (errors.DataCorrupted, errors.IndexCorrupted)


class ConnectionLost(Busy):
    """The connection to the database was lost before anything was committed."""

    def __init__(self, address: Address) -> None:
        Refusal.__init__(
            self,
            f"The connection to {address} was lost.",
            "Nothing was changed. Send the same call again in a moment.",
            retry_after_ms=500,
        )


class NoFreeConnection(Busy):
    """Every connection is in use: those of this process, or all that the database allows."""

    def __init__(self, address: Address) -> None:
        Refusal.__init__(
            self,
            f"{address} has no free connection.",
            "Nothing was changed. Send the same call again in a moment. If this lasts, raise max_connections"
            " or put a pooler before the database.",
            retry_after_ms=1_000,
        )


class CommitUnknown(StoreUnreachable):
    """The connection was lost during a commit, and the database did not come back to say how it ended."""

    def __init__(self, address: Address) -> None:
        super().__init__(
            str(address),
            "the connection was lost while the change was being stored, so it is not known whether it was",
            "Check that the database runs. Then look before you send the call again, unless it has a `request_id`.",
        )


def is_lost(error: BaseException) -> bool:
    """Whether an error means that the connection is gone, rather than that a statement failed."""
    if isinstance(error, LOST):
        return True
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and error.sqlstate is None


def answer_to(error: BaseException, address: Address) -> Refusal | None:
    """The refusal for an error within a transaction, or none if the error is a bug of ours."""
    match error:
        case _ if isinstance(error, _CONTENDED):
            return Busy(PATIENCE)
        case errors.DiskFull():
            return StoreFull(str(address))
        case errors.ReadOnlySqlTransaction():
            return StoreReadOnly(
                str(address),
                "it is a replica, or the role may not write; use the primary server's address or another role",
            )
        case errors.InsufficientPrivilege():
            return StoreUnreachable(str(address), *_rights(error, address))
        case _ if isinstance(error, _DAMAGED):
            return StoreDamaged(str(address), _first_line(error))
        case errors.UndefinedTable() | errors.UndefinedColumn():
            return StoreDamaged(str(address), f"a part of its schema is missing ({_first_line(error)})")
        case errors.OutOfMemory() | errors.InsufficientResources() | errors.ConfigurationLimitExceeded():
            return StoreUnreachable(str(address), _first_line(error), "Give the server more room, then try again.")
    return ConnectionLost(address) if is_lost(error) else None


def on_connect(error: psycopg.Error, address: Address) -> Refusal:
    """The refusal for a connection that could not be made."""
    said = str(error)
    if any(words in said for words in _FULL_HOUSE):
        return NoFreeConnection(address)
    reason = _reason(said)
    for pattern, why, recovery in _CAUSES:
        if re.search(pattern, said):
            named = {"user": address.user, "database": address.database, "reason": reason}
            return StoreUnreachable(str(address), why.format(**named), recovery.format(**named))
    return StoreUnreachable(
        str(address), f"no server answers there ({reason})", f"Start the server, or {_LOCATION}"
    )


_FULL_HOUSE: Final = ("too many clients", "too many connections", "remaining connection slots")
_LOCATION: Final = "check the host and port in --store, GATEPOST_STORE or gatepost.toml."
_PASSWORD: Final = "Check the role and its password in the address, in PGPASSWORD or in ~/.pgpass."  # noqa: S105
_ADDRESS: Final = "Check the address in --store, GATEPOST_STORE or gatepost.toml."
_CAUSES: Final = (
    ("password authentication failed", "the password of role {user} is wrong", _PASSWORD),
    ("no password supplied|fe_sendauth", "the server asks role {user} for a password", _PASSWORD),
    (
        "root certificate file",
        "there is no certificate to check the server's against ({reason})",
        "Name one with sslrootcert= in the address; sslrootcert=system takes those of this machine.",
    ),
    (
        "FATAL: .* does not exist",
        "there is no database {database}, or no role {user}",
        "Create it: createdb {database}",
    ),
    ("no pg_hba.conf entry", "the server does not let role {user} in from here", "Add a line to its pg_hba.conf."),
    ("authentication failed", "the server does not let role {user} in", _PASSWORD),
    (
        "permission denied for database",
        "role {user} may not connect",
        "GRANT CONNECT ON DATABASE {database} TO {user};",
    ),
    ("the database system is", "the server is starting up or shutting down", "Try again in a moment."),
    ("FATAL: |server is ", "the server refused the connection ({reason})", _ADDRESS),
    ("certificate|SSL", "no trusted connection to the server could be made ({reason})", _ADDRESS),
    ("(^|: )(invalid |definition of service)", "its address is wrong ({reason})", _ADDRESS),
)
"""What a server or the driver says when there is no connection, before there is a code for it: a pattern."""


def _rights(error: psycopg.Error, address: Address) -> tuple[str, str]:
    return (
        f"role {address.user} has no right to do this ({_first_line(error)})",
        f"As the database's owner, run: {_grant(address)}",
    )


def no_room_for_schema(error: psycopg.Error, address: Address) -> StoreUnreachable:
    """The refusal for a role that may not create the store's schema, or not the tables in it."""
    missing = "for database" in str(error)
    statement = (
        f"CREATE SCHEMA {address.schema} AUTHORIZATION" if missing else f"ALTER SCHEMA {address.schema} OWNER TO"
    )
    return StoreUnreachable(
        str(address),
        f"role {address.user} may not create the store's tables ({_first_line(error)})",
        f"As the database's owner, run: {statement} {address.user}",
    )


def _grant(address: Address) -> str:
    return (
        f"GRANT USAGE ON SCHEMA {address.schema} TO {address.user};"
        f" GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {address.schema} TO {address.user}"
    )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__).strip()


def _reason(said: str) -> str:
    """The system's reason in a message of libpq, which goes on with advice."""
    line = next(iter(said.strip().splitlines()), "")
    return re.sub("^(.*failed: |connection is bad: )?(FATAL:)?", "", line).strip() or "no answer"
