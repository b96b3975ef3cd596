"""Connections under threads and interrupts; and a file that comes to be only by a write."""

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.storage.sqlite.transaction import SqliteTransaction, Void
from tests.givens import WORKSPACE, World
from tests.storage.waiters import head

PATIENCE = 60


def open_files() -> int:
    """How many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_threads_that_have_ended_leave_no_connections_behind(tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db"), "NORMAL"))
    world.task()
    before = open_files()

    for _ in range(20):
        thread = threading.Thread(target=world.ok, args=("tasks_radar",))
        thread.start()
        thread.join(PATIENCE)

    assert open_files() < before + 12
    world.store.close()


def test_an_interrupt_while_a_transaction_begins_leaves_nothing_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db"), "NORMAL"))
    world.task()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteTransaction, "__init__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            world.ask("tasks_note", task="TASK-001", note="never")

    assert "changed" not in world.ok("tasks_note", task="TASK-001", note="now")
    world.store.close()


class _Interrupted(BaseException):
    """Like Ctrl-C."""


INTERRUPTED = """
import random, signal, sys
from gatepost.storage.sqlite.store import SqliteStore
store = SqliteStore(sys.argv[1], "NORMAL")

class Interrupt(BaseException):
    pass

def interrupt(*_):
    if armed:
        raise Interrupt

def head():
    with store.reading("w") as snapshot:
        return snapshot.head().seq

with store.writing("w"):
    pass
armed, interrupted, chance = False, 0, random.Random(1)
signal.signal(signal.SIGALRM, interrupt)
for _ in range(5_000):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-6, 100e-6))
        armed = True
        head()
        armed = False
    except Interrupt:
        armed = False
        interrupted += 1
signal.setitimer(signal.ITIMER_REAL, 0)
with store.writing("w") as transaction:
    pass
print(interrupted > 10, head())
"""


def test_an_interrupt_anywhere_in_a_call_leaves_the_next_one_its_way(tmp_path: Path) -> None:
    words = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "a.db")]

    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)

    assert (done.stdout, done.returncode) == ("True 0\n", 0), done.stderr


def test_a_close_that_is_interrupted_locks_nobody_out(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"), "NORMAL")
    World(store).task()
    stay, busy, idle, again = (threading.Event() for _ in range(4))
    seen: list[int] = []

    def hold() -> None:
        with store.reading(WORKSPACE):
            busy.set()
            stay.wait(PATIENCE)

    def work_on() -> None:
        seen.append(head(store))
        idle.set()
        again.wait(PATIENCE)
        seen.append(head(store))

    threads = [threading.Thread(target=work_on, daemon=True), threading.Thread(target=hold, daemon=True)]
    threads[0].start()
    assert idle.wait(PATIENCE)
    threads[1].start()
    assert busy.wait(PATIENCE)

    def interrupt(*_: object) -> None:
        store.close()  # by a handler, in the midst of another one
        raise _Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(_Interrupted):
            store.close()
    finally:
        signal.signal(signal.SIGALRM, before)
    stay.set()
    again.set()
    for thread in threads:
        thread.join(PATIENCE)

    assert seen == [1, 1]


def test_a_transaction_that_another_one_of_its_thread_took_the_place_of_writes_nothing(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"), "NORMAL")
    World(store).task()

    with store.writing(WORKSPACE) as outer:
        assert head(store) == 1
        with pytest.raises(Void):
            outer.commit()

    assert World(store).task() == "TASK-002"
    store.close()


@pytest.mark.requirement("call.refused.leaves-nothing", "call.workspace.read-unknown")
def test_neither_a_look_nor_a_refused_write_creates_a_store(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "yet"
    world = World(SqliteStore(str(folder / "a.db")))

    assert world.ok("tasks_context")["items"] == []
    assert world.ok("tasks_storage")["namespaces"] == []
    assert world.ask("tasks_done", task="TASK-001", path="s:0").refusal is not None
    assert not folder.exists()

    assert world.task() == "TASK-001"
    assert (folder / "a.db").exists()
    world.store.close()


def test_a_store_named_by_a_caller_is_seen_from_where_the_caller_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")

    with gatepost.connect("tasks.db") as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="here")

    assert (tmp_path / "sub" / "tasks.db").exists()


@pytest.mark.requirement("call.workspace.mismatch")
def test_following_is_refused_where_calls_would_be(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "a.db"), workspace=WORKSPACE) as gp:
        for workspace, after, code in (("other/x", 0, "WORKSPACE_MISMATCH"), (WORKSPACE, -1, "INVALID_INPUT")):
            with pytest.raises(gatepost.Refusal) as caught:
                gp.follow(workspace, after)
            assert caught.value.code == code
