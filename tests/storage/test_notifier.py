"""Waking across processes: told by datagram; and where no datagram comes, a glance finds it all the same."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gatepost.storage.sqlite.notifier import PollIntervals
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import WORKSPACE, World
from tests.storage.forks import FORKS, in_a_child
from tests.storage.waiters import (
    HOUR,
    NO_GLANCE,
    PATIENCE,
    Waiting,
    head,
    listener,
    new_database,
    opened,
    sockets,
    until,
    watchers,
    write_elsewhere,
    write_untold,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_database(tmp_path / "a.db")


def check_told(path: Path, written: Path | None = None) -> None:
    """Commits of another process wake who waits without ever looking; twice, for the first look is at the start."""
    with opened(path, NO_GLANCE) as store:
        for _ in range(2):
            waiting = Waiting(store, head(store))
            until(lambda: len(sockets(path)) == 1)
            write_elsewhere(written or path)
            assert waiting.result()


def test_a_commit_of_another_process_is_told_to_who_waits(path: Path) -> None:
    check_told(path)


def test_who_waits_for_something_else_sleeps_on(path: Path) -> None:
    with opened(path, NO_GLANCE) as store:
        others = [Waiting(store, 0, "other/repo"), Waiting(store, 0, "another/repo")]
        until(lambda: all(other.asleep() for other in others))
        for _ in range(2):
            here = Waiting(store, head(store))
            until(lambda: len(sockets(path)) == 1)
            write_elsewhere(path)
            assert here.result()
        assert all(other.goes_on() for other in others)

        store.close()
        assert not any(other.result() for other in others)


def test_what_nobody_told_of_is_found_by_a_glance(path: Path) -> None:
    with opened(path, PollIntervals(glance=0.02, quick=HOUR)) as store:
        for _ in range(2):
            waiting = Waiting(store, head(store))
            until(lambda: len(sockets(path)) == 1)
            write_untold(path)
            assert waiting.result()


def test_two_listeners_are_both_told(path: Path) -> None:
    with opened(path, NO_GLANCE) as store, listener(path, head(store)) as other:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 2)

        write_elsewhere(path)

        assert waiting.result()
        assert other.communicate(timeout=PATIENCE)[0] == "True\n"


def test_a_database_so_deep_that_no_socket_s_address_could_name_it_is_told_of(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-long-name-for-a-folder"] * 6)
    deep.mkdir(parents=True)
    new_database(deep / "a.db")

    assert len(str(deep)) > 108
    check_told(deep / "a.db")
    assert [item.name for item in deep.iterdir()] == ["a.db"]


def test_all_names_of_a_database_lead_to_the_same_listeners(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    linked = tmp_path / "elsewhere" / "linked.db"
    linked.symlink_to(path)

    check_told(path, written=linked)

    assert [item.name for item in linked.parent.iterdir()] == ["linked.db"]


def test_a_listener_stays_beside_its_database_wherever_the_process_goes(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(path.parent)
    with opened(Path(path.name), NO_GLANCE) as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        waiting = Waiting(store, 1)
        until(lambda: len(sockets(path)) == 1)
        write_elsewhere(path)
        assert waiting.result()
        assert head(store) > 1

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_listener_that_is_stopped_holds_nobody_up(path: Path) -> None:
    with opened(path, NO_GLANCE) as store, listener(path, 10_000) as stopped:
        stopped.send_signal(signal.SIGSTOP)
        other = World(SqliteStore(str(path), "NORMAL"))
        for number in range(600):
            other.ok("tasks_note", task="TASK-001", note=f"Note {number}.")
        for number in range(2):
            waiting = Waiting(store, head(store))
            until(lambda: len(sockets(path)) == 2)
            other.ok("tasks_note", task="TASK-001", note=f"Again {number}.")
            assert waiting.result()

        assert len(sockets(path)) == 2
        other.store.close()


@FORKS
def test_a_child_tells_its_parent_of_commits(path: Path) -> None:
    with opened(path, NO_GLANCE) as store:
        for _ in range(2):
            waiting = Waiting(store, head(store))
            until(lambda: len(sockets(path)) == 1)
            in_a_child(World(store).task)
            assert waiting.result()


@FORKS
def test_a_child_that_waits_and_closes_leaves_its_parent_s_socket_alone(path: Path) -> None:
    def wait_and_close() -> None:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 2)
        store.close()
        assert not waiting.result()

    with opened(path, NO_GLANCE) as store:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)

        in_a_child(wait_and_close)

        assert len(sockets(path)) == 1
        assert waiting.goes_on()


@pytest.mark.requirement("call.workspace.read-unknown")
def test_waiting_creates_no_store_and_sees_the_one_that_another_process_makes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, PollIntervals(glance=HOUR)) as store:
        waiting = Waiting(store, 0)
        assert not store.wait(WORKSPACE, 0, 0.1)
        assert list(tmp_path.iterdir()) == []

        write_elsewhere(path)

        assert waiting.result()


def test_a_store_in_memory_wakes_its_own_process_and_touches_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = watchers()
    with opened(Path(":memory:"), NO_GLANCE) as store:
        waiting = Waiting(store, 0)
        until(lambda: bool(store._notifier.waited_for()))

        World(store).task()

        assert waiting.result()
        assert set(watchers()) <= set(before)  # those of earlier tests may end meanwhile
    assert list(tmp_path.iterdir()) == []


def test_who_never_waits_has_no_thread_and_loads_no_sockets(path: Path) -> None:
    program = f"""
import sys, threading
import gatepost
with gatepost.connect({str(path)!r}) as gp:
    gp.call("tasks_note", workspace={WORKSPACE!r}, task="TASK-001", note="Told to somebody.")
print(threading.active_count(), sorted({{"socket", "selectors"}} & set(sys.modules)))
"""

    with opened(path, NO_GLANCE) as store:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
        told = waiting.result()

    assert (done.stdout, done.stderr) == ("1 []\n", "")
    assert told
