"""A repair while others use the database: no acknowledged write is lost, and no reader sees an empty store."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from psycopg import sql

from gatepost.domain.refusals import Busy
from gatepost.engine import doctor
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore
from tests.givens import World


@contextmanager
def repeated(*calls: Callable[[], None]) -> Iterator[list[BaseException]]:
    """Make each call again and again, beside the block. What they raised."""
    raised: list[BaseException] = []
    ended = threading.Event()

    def loop(call: Callable[[], None]) -> None:
        while not ended.is_set():
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - shown by the test
                raised.append(error)
                return

    threads = [threading.Thread(target=loop, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    try:
        yield raised
    finally:
        ended.set()
        for thread in threads:
            thread.join(60)


def break_something(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("DELETE FROM gatepost.names")


@pytest.mark.requirement("call.transaction.all-or-nothing")
def test_a_repair_loses_nothing_that_others_write_meanwhile(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store, closing(PostgresStore(Address(database))) as theirs:
        worlds = [World(theirs, workspace=name) for name in ("zz/one", "aa/two")]
        tasks = {world.workspace: world.task("one", "two") for world in worlds}
        acknowledged = {world.workspace: 0 for world in worlds}
        seen = dict(acknowledged)

        def write(world: World) -> None:
            number = acknowledged[world.workspace] + 1
            answered = world.ask("tasks_note", task=tasks[world.workspace], note=f"note {number}")
            if not isinstance(
                answered.refusal, Busy
            ):  # on a slow machine, a repair takes longer than a writer waits
                assert answered.refusal is None
                acknowledged[world.workspace] = number

        def read(world: World) -> None:
            with theirs.reading(world.workspace) as snapshot:
                head = snapshot.head().seq
            assert head >= seen[world.workspace]
            seen[world.workspace] = head

        calls = [lambda world=world, call=call: call(world) for world in worlds for call in (write, read)]
        with repeated(*calls) as raised:
            for _ in range(3):
                break_something(database)
                assert doctor.repair(store).kept is not None

        assert raised == []
        assert all(acknowledged.values())
        for world in worlds:
            with store.reading(world.workspace) as snapshot:
                notes = [row.body for row in snapshot.events(0, 10_000, None) if '"note ' in row.body]
            assert len(notes) == acknowledged[world.workspace]
        assert not doctor.check_store(store).findings


def test_a_repair_waits_for_a_write_that_has_begun_and_keeps_it(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store, closing(PostgresStore(Address(database))) as theirs:
        world = World(theirs)
        task = world.task("one")
        break_something(database)
        repaired: list[str | None] = []
        repair = threading.Thread(target=lambda: repaired.append(doctor.repair(store).kept))

        with theirs.writing(world.workspace) as transaction:  # only its workspace's row is locked
            repair.start()
            repair.join(1.0)
            assert repair.is_alive()
            transaction.head()
        repair.join(60)

        assert repaired[0] is not None
        world.ok("tasks_note", task=task, note="after")
        assert not doctor.check_store(store).findings


def test_a_repair_keeps_the_rights_of_other_roles(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    role = f"worker_{os.getpid()}"
    name = sql.Identifier(role)
    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
    try:
        with closing(PostgresStore(Address(database))) as store:
            task = World(store).task("one")
            with psycopg.connect(database, autocommit=True) as owner:
                owner.execute(sql.SQL("GRANT USAGE ON SCHEMA gatepost TO {}").format(name))
                rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA gatepost TO {}"
                owner.execute(sql.SQL(rights).format(name))
            break_something(database)
            assert doctor.repair(store).kept is not None

        with closing(PostgresStore(Address(database.replace("gatepost@", f"{role}@")))) as theirs:
            World(theirs).ok("tasks_note", task=task, note="still allowed")
    finally:
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute(sql.SQL("DROP OWNED BY {}").format(name))
        admin.execute(sql.SQL("DROP ROLE {}").format(name))
