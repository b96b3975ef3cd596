"""A process that forks while it works: neither it nor the child is held up, and neither loses a write."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import gatepost
from gatepost.storage.sqlite.connections import Forked
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import WORKSPACE, World
from tests.storage.forking import FORKS, PATIENCE, in_a_child
from tests.storage.waking import head

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

    assert head(store) == (23 if path == "a.db" else 1)
    store.close()


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
        with pytest.raises(Forked, match="spawn"):
            head(world.store)  # type: ignore[arg-type]

    with world.store.writing(WORKSPACE) as transaction:
        before = transaction.head()
        in_a_child(is_refused)
        assert transaction.head() == before

    assert world.task() == "TASK-002"
