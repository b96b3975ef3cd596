"""PostgreSQL that cannot be used: each reason in words, with what to do, and never with a password."""

import os
import re
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from gatepost.engine.rows import Changes, Head
from gatepost.storage.faults import NotAStore, StoreNewer, StoreReadOnly, StoreUnreachable
from gatepost.storage.postgres import faults
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore
from gatepost.storage.postgres.transaction import PostgresTransaction
from gatepost.wire.locations import shown
from tests import postgres

SECRET = "correct-horse-battery"  # noqa: S105 - nobody's


def put(store: PostgresStore) -> None:
    with store.writing("w") as transaction:
        transaction.apply(Changes(head=Head(transaction.head().seq + 1)))
        transaction.commit()


def test_an_address_that_leads_nowhere_says_why_and_never_shows_a_password(tmp_path: Path) -> None:
    server = postgres.server()
    wrong = {
        "no server answers there": f"postgresql://ann:{SECRET}@/x?host={tmp_path}",
        "no database nowhere": f"postgresql://gatepost:{SECRET}@/nowhere?host={server.folder}",
        "no role nobody_known": f"postgresql://nobody_known:{SECRET}@/postgres?host={server.folder}",
    }
    for says, url in wrong.items():
        with closing(PostgresStore(Address(url))) as store, pytest.raises(StoreUnreachable, match=says) as caught:
            store.workspaces()
        shown_to_people = f"{caught.value.message} {caught.value.recovery} {store.describe()} {shown(url)}"
        assert SECRET not in shown_to_people
        assert caught.value.code == "STORE_UNREACHABLE"


def test_an_address_that_cannot_be_read_is_refused_without_its_password() -> None:
    with pytest.raises(NotAStore) as caught:
        Address(f"postgresql://ann:{SECRET}@host/x?bogus")

    assert SECRET not in caught.value.message
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "password", [f"{SECRET}/x", f"{SECRET}?x", f"5432/{SECRET}", f"1?password={SECRET}", f"a@{SECRET}"]
)
def test_a_password_with_odd_characters_is_not_shown(password: str) -> None:
    url = f"postgresql://ann:{password}@host/x"

    with pytest.raises(NotAStore, match="%2F") as caught:
        Address(url)

    assert SECRET not in f"{shown(url)} {caught.value.message} {caught.value.recovery}"


_TO: str = 'connection to server at "10.0.0.1", port 5432 failed: '


@pytest.mark.parametrize(
    ("said", "says", "recovery"),
    [
        (f'{_TO}FATAL:  password authentication failed for user "ann"', "password of role gatepost", "~/.pgpass"),
        (f'{_TO}root certificate file "/root/.postgresql/root.crt" does not exist', "certificate", "sslrootcert="),
        (f'{_TO}server certificate for "a" does not match host name "b"', "no trusted connection", "the address"),
        (
            f"{_TO}FATAL:  Rolle »ann« darf sich nicht anmelden",
            "refused the connection .Rolle »ann«",
            "the address",
        ),
        ('connection is bad: invalid sslmode value: "bogus"', "address is wrong .invalid sslmode", "the address"),
        (f"{_TO}Connection refused\n\tIs the server running?", "no server answers there .Connection r", "host and"),
    ],
)
def test_a_connection_that_could_not_be_made_says_why(database: str, said: str, says: str, recovery: str) -> None:
    refusal = faults.on_connect(psycopg.OperationalError(said), Address(database))

    assert re.search(says, refusal.message)
    assert recovery in refusal.recovery
    assert "createdb" not in refusal.recovery


def test_a_database_without_a_free_connection_answers_busy(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    role = f"crowd_{os.getpid()}"
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN CONNECTION LIMIT 0").format(sql.Identifier(role)))
    try:
        address = Address(database.replace("gatepost@", f"{role}@"))
        with closing(PostgresStore(address)) as store, pytest.raises(faults.NoFreeConnection) as caught:
            store.workspaces()
        assert caught.value.code == "BUSY"
    finally:
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_a_role_that_may_not_create_the_schema_is_told_what_its_owner_must_run(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    role = f"reader_{os.getpid()}"
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    try:
        url = database.replace("gatepost@", f"{role}@")
        with closing(PostgresStore(Address(url))) as store, pytest.raises(StoreUnreachable) as caught:
            store.writing("w")
        assert f"CREATE SCHEMA gatepost AUTHORIZATION {role}" in caught.value.recovery

        with closing(PostgresStore(Address(database))) as owner:
            put(owner)
        with psycopg.connect(database, autocommit=True) as looking:
            looking.execute("UPDATE gatepost.schema_version SET version = 1")
            looking.execute(sql.SQL("GRANT USAGE ON SCHEMA gatepost TO {}").format(sql.Identifier(role)))
            looking.execute(sql.SQL("GRANT SELECT ON gatepost.schema_version TO {}").format(sql.Identifier(role)))
        with closing(PostgresStore(Address(url))) as store, pytest.raises(StoreReadOnly, match="gatepost migrate"):
            store.workspaces()
    finally:
        with psycopg.connect(database, autocommit=True) as looking:
            looking.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(role)))
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_a_role_that_owns_the_schema_creates_the_tables_without_a_right_to_the_database(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    role = f"owner_{os.getpid()}"
    name = sql.Identifier(role)
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
    try:
        address = Address(database.replace("gatepost@", f"{role}@"))
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute("CREATE SCHEMA gatepost")
            for right in ("-- none", "GRANT USAGE ON SCHEMA gatepost TO {}"):
                owner.execute(sql.SQL(right).format(name))
                with closing(PostgresStore(address)) as store, pytest.raises(StoreUnreachable) as caught:
                    put(store)
                assert f"ALTER SCHEMA gatepost OWNER TO {role}" in caught.value.recovery

            owner.execute(sql.SQL("ALTER SCHEMA gatepost OWNER TO {}").format(name))
        with closing(PostgresStore(address)) as store:
            put(store)
            assert store.workspaces() == ["w"]
    finally:
        with psycopg.connect(database, autocommit=True) as looking:
            looking.execute(sql.SQL("DROP OWNED BY {}").format(name))
        admin.execute(sql.SQL("DROP ROLE {}").format(name))


def test_a_role_without_rights_to_the_schema_is_told_what_to_grant(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    role = f"stranger_{os.getpid()}"
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    try:
        with closing(PostgresStore(Address(database))) as owner:
            put(owner)
        address = Address(database.replace("gatepost@", f"{role}@"))
        for call in (PostgresStore.workspaces, put, PostgresStore.try_write):
            with closing(PostgresStore(address)) as store, pytest.raises(StoreUnreachable) as caught:
                call(store)
            assert f"GRANT USAGE ON SCHEMA gatepost TO {role};" in caught.value.recovery
    finally:
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_a_read_only_server_without_a_store_says_so_to_writers(database: str) -> None:
    readers = f"{database}&options=-c%20default_transaction_read_only%3Don"

    with closing(PostgresStore(Address(readers))) as store:
        assert store.workspaces() == []
        with pytest.raises(StoreReadOnly, match="is a replica"):
            put(store)


def test_a_schema_that_becomes_newer_is_noticed_by_those_who_run(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store:
        put(store)
        with psycopg.connect(database, autocommit=True) as newer:
            newer.execute("UPDATE gatepost.schema_version SET version = version + 1")

        with pytest.raises(StoreNewer):
            put(store)
        with pytest.raises(StoreNewer), store.reading("w"):
            pass


@pytest.mark.parametrize(
    ("server", "expected"),
    [("remote_apply", "remote_apply"), ("off", "on"), ("local", "on"), ("on", "on")],
)
def test_a_commit_is_at_least_as_durable_as_the_server_wants(database: str, server: str, expected: str) -> None:
    with closing(PostgresStore(Address(f"{database}&options=-c%20synchronous_commit%3D{server}"))) as store:
        store.migrate()
        with store.writing("w") as transaction:
            assert isinstance(transaction, PostgresTransaction)
            found = transaction._connection.execute("SHOW synchronous_commit").fetchone()

    assert found == (expected,)


def test_a_read_only_server_can_be_read_and_says_so_to_writers(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store:
        put(store)
    readers = f"{database}&options=-c%20default_transaction_read_only%3Don"

    with closing(PostgresStore(Address(readers))) as store:
        with store.reading("w") as snapshot:
            assert snapshot.head() == Head(1)
        with pytest.raises(StoreReadOnly, match="is a replica, or the role may not write"):
            put(store)
