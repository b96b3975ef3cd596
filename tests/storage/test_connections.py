"""Connections under threads and interrupts; and a file that comes to be only by a write."""

import threading
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.storage.sqlite import store as sqlite_store
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import WORKSPACE, World

PATIENCE = 20


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
        patched.setattr(sqlite_store._SqliteTransaction, "__init__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            world.ask("tasks_note", task="TASK-001", note="never")

    assert world.ok("tasks_note", task="TASK-001", note="now")["changed"]
    world.store.close()


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
