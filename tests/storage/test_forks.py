"""A process that forks while it works: neither it nor the child is held up, and neither loses a write."""

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import gatepost
from gatepost.storage.sqlite import connection_pool
from gatepost.storage.sqlite.notifier import PollIntervals
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.storage.sqlite.thread_connection import Forked
from tests.givens import WORKSPACE, World, memory_store
from tests.storage.forks import FORKS, PATIENCE, in_a_child
from tests.storage.waiters import head

pytestmark = FORKS


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file, in which something was written."""
    store = SqliteStore(str(tmp_path / "a.db"), "NORMAL")
    found = World(store)
    found.task()
    yield found
    store.close()


def test_a_child_that_closes_what_it_inherited_leaves_the_parent_its_own(tmp_path: Path) -> None:
    gp = gatepost.connect(str(tmp_path / "a.db"))
    gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="before")

    in_a_child(gp.close)

    assert gp.call("tasks_note", workspace=WORKSPACE, task="TASK-001", note="after")["revision"] == 2
    gp.close()


@pytest.mark.parametrize("path", ["a.db", ":memory:"])
def test_a_child_is_not_held_up_by_what_other_threads_did_at_the_fork(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(path, "NORMAL")
    world = World(store)
    world.task()
    ended = threading.Event()

    def look() -> None:
        World(store).task()
        while not ended.is_set():
            head(store)

    lookers = [threading.Thread(target=look, daemon=True) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(20):
            in_a_child(world.task)
    finally:
        ended.set()
        for looker in lookers:
            looker.join(PATIENCE)

    assert head(store) == (23 if path == "a.db" else 3)  # what is in memory, each child has a copy of
    store.close()


def test_a_child_goes_on_with_a_copy_of_what_is_in_memory() -> None:
    world = World(memory_store())
    world.task(title="before")

    def has_a_copy() -> None:
        assert world.task(title="of the child") == "TASK-002"

    in_a_child(has_a_copy)

    assert head(world.store) == 1  # type: ignore[arg-type]


def test_a_child_does_not_enter_what_another_thread_had_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_pool, "REST", 0.05)
    world = World(memory_store())
    world.task()
    inside, ended = threading.Event(), threading.Event()

    def stay_inside() -> None:
        with world.store.reading(WORKSPACE):
            inside.set()
            ended.wait(PATIENCE)

    def is_refused() -> None:
        with pytest.raises(Forked, match="was forked"):
            head(world.store)  # type: ignore[arg-type]

    reader = threading.Thread(target=stay_inside)
    reader.start()
    inside.wait(PATIENCE)
    in_a_child(is_refused)
    ended.set()
    reader.join(PATIENCE)

    assert world.task() == "TASK-002"


def test_what_a_child_writes_after_its_parent_has_left_is_not_lost(world: World, tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()

    def write_before_and_after() -> None:
        world.task(title="before")
        there.send("written")
        there.recv()
        world.task(title="after")
        there.send("written")
        os._exit(0)  # as if killed: it tidies nothing up

    child = context.Process(target=write_before_and_after)
    child.start()
    assert here.poll(PATIENCE)
    world.store.close()
    here.send("go on")
    assert here.poll(PATIENCE)
    child.join(PATIENCE)

    again = SqliteStore(str(tmp_path / "a.db"), "NORMAL")
    assert head(again) == 3
    again.close()


def test_a_fork_in_the_midst_of_a_transaction_leaves_it_to_the_parent_alone(world: World) -> None:
    def is_refused() -> None:
        with pytest.raises(Forked, match="was forked"):
            head(world.store)  # type: ignore[arg-type]

    with world.store.writing(WORKSPACE) as transaction:
        before = transaction.head()
        in_a_child(is_refused)
        assert transaction.head() == before

    assert world.task() == "TASK-002"


SPILLS = """
import os, sys
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.storage.sqlite import connection_pool
from gatepost.storage.sqlite.notifier import PollIntervals
store = SqliteStore(sys.argv[1], "NORMAL")
with store.writing("w"):
    pass
with store._connections.thread_connection() as connection:
    connection.execute("CREATE TABLE big (id INTEGER PRIMARY KEY, x BLOB)")
    connection.pragma("cache_size", 10)
with store.writing("w") as transaction:
    for _ in range(1000):
        transaction._run("INSERT INTO big (x) VALUES (zeroblob(3000))")
    child = os.fork()
    if not child:
        sys.exit(0)
    os.waitpid(child, 0)
    transaction.commit()
with store._connections.thread_connection() as connection:
    print(connection.execute("SELECT count(*) FROM big").get, connection.pragma("integrity_check"))
"""


def test_a_child_that_unwinds_its_parent_s_transaction_takes_nothing_back_in_the_file(tmp_path: Path) -> None:
    words = [sys.executable, "-W", "ignore", "-c", SPILLS, str(tmp_path / "a.db")]

    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)

    assert (done.stdout, done.stderr) == ("1000 ok\n", "")


def test_a_child_is_not_held_up_by_who_just_began_to_wait(world: World) -> None:
    path = world.store.describe()["path"]
    current = [SqliteStore(path, "NORMAL")]
    ended = threading.Event()

    def write_and_tell() -> None:
        with current[0].writing(WORKSPACE):
            current[0]._notifier.tell(WORKSPACE, 1)

    def wait() -> None:
        while not ended.is_set():
            current[0].wait(WORKSPACE, 10**9, 0.0005)

    waiters = [threading.Thread(target=wait, daemon=True) for _ in range(3)]
    for waiter in waiters:
        waiter.start()
    try:
        for _ in range(60):
            before, current[0] = current[0], SqliteStore(path, "NORMAL", PollIntervals(linger=0.0))
            in_a_child(write_and_tell)
            before.close()
    finally:
        ended.set()
        for waiter in waiters:
            waiter.join(PATIENCE)
        current[0].close()
