"""Setting up a store on PostgreSQL: the driver, passwords, upgrades, readiness and backups."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from psycopg import sql

from gatepost import wiring
from gatepost.engine.rows import Changes, Head
from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.postgres import schema
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests import postgres
from tests.storage.database_proxy import DatabaseProxy
from tests.storage.waiters import until

PASSWORD = "correct-horse-battery"  # noqa: S105 - nobody's


def put(store: PostgresStore) -> None:
    with store.writing("w") as transaction:
        transaction.apply(Changes(head=Head(transaction.head().seq + 1)))
        transaction.commit()


def run(*words: str, blocked: str = "") -> "subprocess.CompletedProcess[str]":
    """The command line in a process of its own, where a module may be missing."""
    script = (
        f"import runpy, sys; sys.modules[{blocked!r}] = None; runpy.run_module('gatepost', run_name='__main__')"
    )
    return subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)


def test_without_the_driver_a_sentence_says_what_to_install() -> None:
    said = run("ls", "--store", f"postgresql://ann:{PASSWORD}@db/x", "--workspace", "w", blocked="psycopg")

    assert said.returncode != 0
    assert "the PostgreSQL driver is not installed" in said.stderr
    assert "pip install 'gatepost[postgres]'" in said.stderr
    assert PASSWORD not in said.stderr
    assert "Traceback" not in said.stderr


@contextmanager
def guarded_role(admin: "psycopg.Connection[tuple[object, ...]]") -> Iterator[str]:
    """A role that must give its password, as on a real server."""
    role, rules = f"guarded_{os.getpid()}", postgres.server().folder / "data" / "pg_hba.conf"
    before = rules.read_text(encoding="utf-8")
    create = sql.SQL("CREATE ROLE {} LOGIN SUPERUSER PASSWORD {}")
    admin.execute(create.format(sql.Identifier(role), sql.Literal(PASSWORD)))
    rules.write_text(f"local all {role} scram-sha-256\n{before}", encoding="utf-8")
    admin.execute("SELECT pg_reload_conf()")
    try:
        yield role
    finally:
        rules.write_text(before, encoding="utf-8")
        admin.execute("SELECT pg_reload_conf()")
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def test_a_password_is_checked_by_the_server_and_can_come_from_the_environment(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]", monkeypatch: pytest.MonkeyPatch
) -> None:
    with guarded_role(admin) as role:
        named = database.replace("gatepost@", f"{role}@")
        wrong = database.replace("gatepost@", f"{role}:{PASSWORD}x@")
        right = database.replace("gatepost@", f"{role}:{PASSWORD}@")
        until(lambda: _refused(wrong) is not None)  # the server reads its rules in its own time

        assert "is wrong" in str(_refused(wrong))
        assert PASSWORD not in str(_refused(wrong))
        assert "for a password" in str(_refused(named))
        assert _refused(right) is None
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        assert _refused(named) is None


def _refused(url: str) -> str | None:
    with closing(PostgresStore(Address(url))) as store:
        try:
            store.workspaces()
        except StoreUnreachable as error:
            return f"{error.message} {error.recovery}"
    return None


def test_an_older_schema_is_upgraded_once_by_whoever_comes_first(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresStore(Address(database))) as store:
        put(store)
    first = Path(schema.__file__).with_name("migrations") / f"{schema.known():03}_first.sql"
    (tmp_path / first.name).write_text(first.read_text(encoding="utf-8"), encoding="utf-8")
    newer = "ALTER TABLE events ADD COLUMN more text;\nCREATE TABLE news (workspace bigint PRIMARY KEY);"
    (tmp_path / f"{schema.known() + 1:03}_more.sql").write_text(newer, encoding="utf-8")
    monkeypatch.setattr(schema, "_FOLDER", str(tmp_path))
    schema.known.cache_clear()

    try:
        stores = [PostgresStore(Address(database)) for _ in range(8)]
        with ThreadPoolExecutor(len(stores)) as pool:
            list(pool.map(put, stores))
        for store in stores:
            store.close()
        with psycopg.connect(database) as looking:
            assert looking.execute("SELECT version FROM gatepost.schema_version").fetchall() == [(schema.known(),)]
            assert looking.execute(
                "SELECT seq, (SELECT count(more) FROM gatepost.events) FROM gatepost.workspaces"
            ).fetchall() == [(9, 0)]
    finally:
        monkeypatch.undo()
        schema.known.cache_clear()


def test_a_server_without_its_database_says_so_and_heals(proxy: DatabaseProxy, database: str) -> None:
    away = proxy.server.with_name("away")
    url = database.replace(str(postgres.server().folder), str(proxy.folder))
    there, proxy.server = proxy.server, away
    server = Server(wiring.engine(url), ServerSettings(), 0, log=lambda _row: None)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as client:
            unready = client.get("/readyz")
            assert (unready.status_code, unready.json()["code"]) == (503, "STORE_UNREACHABLE")
            assert client.get("/healthz").json() == {"status": "alive"}

            proxy.server = there

            until(lambda: client.get("/readyz").json() == {"status": "ready"})
    finally:
        server.stop()


def test_a_backup_of_a_database_names_the_tools_that_make_one() -> None:
    said = run("backup", "x.db", "--store", "postgresql://db/x")

    assert said.returncode != 0
    assert all(word in said.stderr for word in ("pg_dump", "continuous archiving", "gatepost export"))


def test_the_driver_does_not_write_to_the_terminal() -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("psycopg").handlers)
