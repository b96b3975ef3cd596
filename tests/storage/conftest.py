"""Fixtures of the PostgreSQL store: a database of its own, and a proxy before the server."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests import postgres
from tests.storage.database_proxy import DatabaseProxy, socket_folder


@pytest.fixture
def admin() -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    with psycopg.connect(postgres.server().url(), autocommit=True) as connection:
        yield connection


@pytest.fixture
def database(admin: "psycopg.Connection[tuple[object, ...]]", request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database of its own, without a store."""
    name = f"own_{os.getpid()}_{abs(hash(request.node.name)) % 10**8}"
    admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield postgres.server().url(name)
    admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def proxy() -> Iterator[DatabaseProxy]:
    folder = socket_folder()
    made = DatabaseProxy(folder, postgres.server().folder)
    yield made
    made.close()
    (folder / ".s.PGSQL.5432").unlink()
    folder.rmdir()
