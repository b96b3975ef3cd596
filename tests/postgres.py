"""A real PostgreSQL for tests: started once a process, on a socket of its own, and ended with it.

Its programs are those on PATH, those of Debian's package, or those of the wheel `pgserver`. It does not run as
root: started by root, it belongs to another user.
"""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import closing
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from gatepost.engine.port import Store
from gatepost.storage.postgres import schema
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore

_SETTINGS = (
    "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=120 -c shared_buffers=64MB "
    "-c autovacuum=off -c max_wal_size=2GB"
)
"""Tests do not need the power-cut safety."""
OTHER_USERS = ("postgres", "nobody")


class Server:
    """A PostgreSQL server of our own."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="gp-pg-"))  # a socket's path must be short
        self.user = next(name for name in OTHER_USERS if _exists(name)) if os.geteuid() == 0 else None
        if self.user is not None:
            shutil.chown(self.folder, self.user)
        self.port = 5432
        self.run(
            "initdb", "-D", f"{self.folder}/data", "-U", "gatepost", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
        )
        self.start()

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs."""
        subprocess.run(
            [self.programs / program, *arguments],
            user=self.user,
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        )

    def start(self, more: str = "") -> None:
        """Start it, and wait until it answers."""
        settings = f"{_SETTINGS} -c listen_addresses='' -k {self.folder} {more}"
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", settings, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is a crash."""
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", mode, "stop")

    def url(self, database: str = "postgres") -> str:
        """The address of one of its databases."""
        return f"postgresql://gatepost@/{database}?host={self.folder}"

    def end(self) -> None:
        """Stop it for good."""
        subprocess.run(
            [self.programs / "pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop"],
            user=self.user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        shutil.rmtree(self.folder, ignore_errors=True)


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, if this machine has them."""
    places = [Path(found).resolve().parent] if (found := shutil.which("pg_ctl")) else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = find_spec("pgserver")
    if wheel is not None and wheel.origin is not None:
        places.append(Path(wheel.origin).parent / "pginstall" / "bin")
    return next((place for place in places if (place / "initdb").exists()), None)


def new_server() -> Server:
    """Another server. Where there is no PostgreSQL, the test is skipped, and the run says so at its end."""
    found = programs()
    if found is None:
        pytest.skip("no PostgreSQL: install Debian's postgresql, put pg_ctl on PATH, or pip install pgserver")
    return Server(found)


@cache
def server() -> Server:
    """The server of this process."""
    made = new_server()
    atexit.register(made.end)
    return made


@cache
def _address() -> Address:
    return Address(server().url())


@cache
def _cleaner() -> psycopg.Connection[tuple[object, ...]]:
    made = psycopg.connect(server().url(), autocommit=True)
    atexit.register(made.close)
    return made


def fresh_store() -> PostgresStore:
    """A store with nothing in it. All tests of a process share one schema, emptied before each use."""
    _empty_tables(_address().schema)
    return PostgresStore(_address(), "NORMAL")


def shared_store() -> PostgresStore:
    """An empty store whose connections stay open for later tests: opening one costs more than most tests.

    Each store that is in use at a time has a schema of its own.
    """
    free = next((store for store in _SHARED if not store.used), None)
    if free is None:
        free = _SharedStore(_address().in_schema(f"shared_{len(_SHARED)}"), "NORMAL")
        _SHARED.append(free)
    free.used = True
    _empty_tables(free.describe()["schema"])
    return free


def reopened(store: Store) -> PostgresStore:
    """The same schema, with connections of its own."""
    return PostgresStore(_address().in_schema(store.describe()["schema"]), "NORMAL")


class _SharedStore(PostgresStore):
    """Stays open until the process ends. Closing it lets others use it."""

    used = False

    def close(self) -> None:
        """End all waits."""
        self._notifier.close()
        self.used = False


_SHARED: list[_SharedStore] = []


@atexit.register
def _close_shared() -> None:
    for store in _SHARED:
        PostgresStore.close(store)


@cache
def _emptying(name: str) -> sql.Composed:
    with closing(PostgresStore(_address().in_schema(name))) as store:
        store.migrate()
    tables = sorted(schema.tables() - {"schema_version"})
    return sql.SQL("; ").join(sql.SQL("DELETE FROM {}").format(sql.Identifier(name, table)) for table in tables)


def _empty_tables(name: str) -> None:
    _cleaner().execute(_emptying(name))


def _exists(user: str) -> bool:
    try:
        return bool(pwd.getpwnam(user))
    except KeyError:
        return False
