"""The PostgreSQL store: what only a server can do to it, on a real one."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from gatepost.domain.refusals import Busy, Refusal
from gatepost.engine import doctor
from gatepost.engine.rows import Changes, EventRow, Head, OperationRow
from gatepost.storage.faults import NotAStore, StoreNewer
from gatepost.storage.postgres import connection_pool, faults, schema
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore
from tests import postgres
from tests.givens import PROVEN, World
from tests.storage.database_proxy import CutOnce, DatabaseProxy


def at(proxy: DatabaseProxy) -> Address:
    return Address(f"postgresql://gatepost@/postgres?host={proxy.folder}")


def put(store: PostgresStore, seq: int) -> None:
    """Write one operation with one event."""
    with store.writing("w") as transaction:
        head = transaction.head()
        assert head.seq == seq - 1
        stamp = ("2026-01-01T00:00:00.000Z", "tester")
        transaction.apply(
            Changes(
                head=Head(seq, hash=f"link {seq}"),
                events=[EventRow(seq, seq, *stamp, None, None, None, "{}")],
                operation=OperationRow(seq, seq, "tasks_note", *stamp, hash=f"link {seq}"),
            )
        )
        transaction.commit()


def log(store: PostgresStore) -> list[int]:
    with store.reading("w") as snapshot:
        return [row.seq for row in snapshot.events(0, 1_000, None)]


def test_reading_a_database_without_a_store_creates_nothing(
    database: str, admin: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    with closing(PostgresStore(Address(database))) as store:
        with store.reading("w") as snapshot:
            assert snapshot.head() == Head()
        assert store.workspaces() == []
        assert not doctor.check_store(store, None).findings

    with psycopg.connect(database) as looking:
        assert looking.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'gatepost'").fetchone() == (0,)


def test_a_refused_first_write_creates_nothing(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store:
        World(store).ask("tasks_note", task="TASK-001", note="x")

        with psycopg.connect(database) as looking:
            assert looking.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'gatepost'").fetchone() == (
                0,
            )


def test_ten_processes_that_start_at_once_create_one_schema(database: str) -> None:
    words = [sys.executable, "-m", "gatepost", "migrate", "--store", database, "--json"]
    running = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(10)
    ]
    ended = [process.communicate(timeout=120) for process in running]

    assert [process.returncode for process in running] == [0] * 10, ended
    created = [out for out, _ in ended if '"before":0' in out]
    assert len(created) == 1
    with psycopg.connect(database) as looking:
        assert looking.execute("SELECT version FROM gatepost.schema_version").fetchall() == [(schema.known(),)]


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ("UPDATE gatepost.schema_version SET version = 9999", StoreNewer, "it has schema 9999"),
        ("DELETE FROM gatepost.schema_version", NotAStore, "is empty"),
        ("ALTER TABLE gatepost.schema_version RENAME TO theirs", NotAStore, "another program's tables"),
    ],
)
def test_a_schema_that_is_not_for_this_version_is_refused(
    database: str, change: str, error: type[Refusal], says: str
) -> None:
    with closing(PostgresStore(Address(database))) as store:
        put(store, 1)
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(change.encode())

    with closing(PostgresStore(Address(database))) as store, pytest.raises(error, match=says):
        store.writing("w")


def test_a_writer_that_waits_too_long_gets_busy_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(postgres.fresh_store()) as store:
        put(store, 1)
        with store.writing("w"), ThreadPoolExecutor(1) as other:

            def write() -> None:
                with store.writing("w", patient=False):
                    pass

            with pytest.raises(Busy):
                other.submit(write).result(30)
        assert log(store) == [1]


def test_writers_of_other_workspaces_are_not_held_up() -> None:
    with closing(postgres.fresh_store()) as store:
        put(store, 1)
        with store.writing("w"), ThreadPoolExecutor(1) as other:

            def write() -> str:
                with store.writing("v", patient=False) as transaction:
                    transaction.apply(Changes(head=Head(1), documents=[("ta1", "{}")]))
                    transaction.commit()
                return "done"

            assert other.submit(write).result(30) == "done"


def test_a_pool_that_is_used_up_answers_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PATIENCE", 0.05)
    with closing(postgres.fresh_store()) as other:
        put(other, 1)
    with closing(PostgresStore(Address(postgres.server().url()), connections=1)) as store:
        store.migrate()
        with store.reading("w"), ThreadPoolExecutor(1) as thread, pytest.raises(Busy):
            thread.submit(log, store).result(30)
        assert log(store) == [1]


@pytest.mark.requirement("call.transaction.all-or-nothing")
def test_a_commit_whose_answer_was_lost_is_known_to_be_done(proxy: DatabaseProxy) -> None:
    with closing(postgres.fresh_store()) as direct, closing(PostgresStore(at(proxy))) as store:
        put(store, 1)
        proxy.cuts = CutOnce()

        put(store, 2)

        assert proxy.cut == 1
        assert log(direct) == [1, 2]


def test_a_commit_in_doubt_is_settled_though_the_pool_has_one_connection(proxy: DatabaseProxy) -> None:
    with closing(postgres.fresh_store()) as direct, closing(PostgresStore(at(proxy), connections=1)) as store:
        put(store, 1)
        proxy.cuts = CutOnce()

        put(store, 2)

        assert proxy.cut == 1
        assert log(direct) == [1, 2]


@pytest.mark.requirement("call.transaction.all-or-nothing")
def test_a_commit_that_never_reached_the_server_is_refused_and_left_nothing(proxy: DatabaseProxy) -> None:
    with closing(postgres.fresh_store()) as direct, closing(PostgresStore(at(proxy))) as store:
        put(store, 1)
        proxy.cuts, proxy.before = CutOnce(), True

        with pytest.raises(faults.ConnectionLost, match="was lost"):
            put(store, 2)

        assert proxy.cut == 1
        assert log(direct) == [1]
        put(store, 2)
        assert log(direct) == [1, 2]


def test_a_commit_in_doubt_that_nobody_can_settle_says_that_it_is_unknown(
    proxy: DatabaseProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "_COMEBACK", 0.1)
    with closing(postgres.fresh_store()), closing(PostgresStore(at(proxy))) as store:
        put(store, 1)
        cut = CutOnce()

        def cuts(sent: bytes) -> bool:
            if cut(sent):
                proxy.close()
                return True
            return False

        proxy.cuts = cuts
        with pytest.raises(faults.CommitUnknown, match="not known"):
            put(store, 2)


def test_connections_that_the_server_closed_are_replaced(admin: "psycopg.Connection[tuple[object, ...]]") -> None:
    with closing(postgres.fresh_store()) as store:
        put(store, 1)
        for seq in (2, 3):
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatepost'"
            )
            put(store, seq)
        assert log(store) == [1, 2, 3]


def test_a_forked_child_opens_connections_of_its_own() -> None:
    with closing(postgres.fresh_store()) as store:
        put(store, 1)
        child = os.fork()
        if child == 0:
            try:
                put(store, 2)
            finally:
                os._exit(0 if log(store) == [1, 2] else 1)
        assert os.waitpid(child, 0)[1] == 0

        put(store, 3)
        assert log(store) == [1, 2, 3]


def test_a_child_that_is_forked_in_a_transaction_leaves_it_to_its_parent() -> None:
    with closing(postgres.fresh_store()) as store:
        put(store, 1)
        with store.writing("w") as transaction:
            child = os.fork()
            if child == 0:
                transaction.head()
            else:
                assert os.waitpid(child, 0)[1] == 0
                transaction.apply(Changes(head=Head(1), documents=[("ta1", "{}")]))
                transaction.commit()
        if child == 0:
            os._exit(0)
        with store.reading("w") as snapshot:
            assert snapshot.texts(["ta1"]) == {"ta1": "{}"}


def test_a_commit_of_another_process_wakes_who_waits() -> None:
    with closing(postgres.fresh_store()) as here, closing(PostgresStore(Address(postgres.server().url()))) as there:
        put(there, 1)
        woken: list[bool] = []
        waiter = threading.Thread(target=lambda: woken.append(here.wait("w", 1, 60.0)))
        waiter.start()

        put(there, 2)

        waiter.join(30)
        assert woken == [True]


def test_a_notification_of_others_does_not_deafen_the_listener(
    admin: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    with closing(postgres.fresh_store()) as here, closing(PostgresStore(Address(postgres.server().url()))) as there:
        put(there, 1)
        woken: list[bool] = []
        waiter = threading.Thread(target=lambda: woken.append(here.wait("w", 1, 60.0)))
        waiter.start()
        while not admin.execute("SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%'").fetchall():
            time.sleep(0.01)
        admin.execute("NOTIFY gatepost, 'hello'")
        admin.execute("NOTIFY gatepost")
        time.sleep(0.3)

        put(there, 2)

        waiter.join(30)
        assert woken == [True]


def test_connections_in_use_when_a_store_is_closed_are_closed_after_it(
    admin: "psycopg.Connection[tuple[object, ...]]", database: str
) -> None:
    store = PostgresStore(Address(database))
    put(store, 1)
    with store.reading("w"):
        store.close()
    left = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1"
    for _ in range(100):
        if admin.execute(left.replace("$1", "%s"), (database.rpartition("/")[2].partition("?")[0],)).fetchone() == (
            0,
        ):
            return
        time.sleep(0.05)
    raise AssertionError("a connection is still open")


def test_who_waits_hears_of_commits_after_the_listener_lost_its_connection(
    admin: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    with closing(postgres.fresh_store()) as here, closing(PostgresStore(Address(postgres.server().url()))) as there:
        put(there, 1)
        assert here.wait("w", 0, 10.0)
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        woken: list[bool] = []

        def follow() -> None:
            while not (woken and log(here)[-1] == 2):
                woken.append(here.wait("w", 1, 10.0))

        waiter = threading.Thread(target=follow)
        waiter.start()
        put(there, 2)

        waiter.join(30)
        assert not waiter.is_alive()


def test_the_clock_is_the_databases_from_the_first_call_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(postgres.fresh_store()) as store:
        monkeypatch.setattr(time, "time", lambda: 0.0)  # a machine whose clock is wrong

        before = store.clock.now()
        put(store, 1)

        with psycopg.connect(postgres.server().url()) as looking:
            row = looking.execute("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD')").fetchone()
        assert row is not None
        assert {before[:10], store.clock.now()[:10]} == {str(row[0])}


def test_odd_texts_come_back_as_they_are_and_a_nul_finds_nothing() -> None:
    with closing(postgres.fresh_store()) as store:
        world = World(store)
        task = world.task("one", tags=["a"])

        with store.reading(world.workspace) as snapshot:
            assert snapshot.find("STEP-\0") is None
        noted = 'a\\b "c" {d,NULL} \x01\x7f \ud7ff \U0001f331 %s $1'
        world.ok("tasks_note", task=task, path="s:0", note=noted)
        assert world.ok("tasks_resume", task=task, path="s:0")["notes"][0]["note"] == noted


def test_the_doctor_finds_what_was_changed_from_outside_and_repairs_it(database: str) -> None:
    with closing(PostgresStore(Address(database))) as store:
        world = World(store)
        task = world.task("one", "two")
        world.ok("tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)
        before = world.everything()
        assert not doctor.check_store(store, None).findings

        with psycopg.connect(database, autocommit=True) as other:
            other.execute("DELETE FROM gatepost.terms")
            other.execute("UPDATE gatepost.tallies SET done = 7")
            other.execute("CREATE TABLE gatepost.theirs (x int)")
        found = {finding.code for finding in doctor.check_store(store, None).findings}
        assert "FOREIGN_TABLE" in found
        assert len(found) > 1

        repaired = doctor.repair(store, remove_foreign=True)

        assert not repaired.after.findings
        assert repaired.kept is not None
        assert "gatepost_before_" in repaired.kept
        assert world.everything() == before
        world.ok("tasks_close_step", task=task, path="s:1", checkpoints=PROVEN)
