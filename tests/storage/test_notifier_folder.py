"""The folder of the listeners' sockets: what is put into it, who removes it, and what others may have put there."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepost.storage.sqlite.notifier import PollIntervals
from tests.givens import WORKSPACE
from tests.storage.waiters import (
    HOUR,
    NO_DATAGRAMS,
    NO_GLANCE,
    PATIENCE,
    Waiting,
    folder,
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


@pytest.mark.requirement("storage.files.no-daemon-no-locks")
def test_a_killed_listener_leaves_a_socket_and_the_next_writer_sweeps_it(path: Path) -> None:
    with listener(path, 1) as killed:
        killed.kill()
        killed.wait(PATIENCE)
        left = sockets(path)

        write_elsewhere(path)

    assert len(left) == 1
    assert not folder(path).exists()


def test_the_living_keep_their_sockets_when_the_dead_are_swept(path: Path) -> None:
    with opened(path, NO_GLANCE) as store:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        mine = sockets(path)
        with listener(path, 1) as killed:
            killed.kill()
            killed.wait(PATIENCE)

        write_elsewhere(path)

        assert waiting.result()
        assert sockets(path) == mine


def test_what_is_no_listener_is_neither_told_nor_removed(path: Path, tmp_path: Path) -> None:
    with opened(path, NO_GLANCE) as store, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outside:
        outside.bind(str(tmp_path / "outside"))
        outside.setblocking(False)
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        mine = folder(path)
        (mine / ("f" * 16)).write_text("a file")
        (mine / ("d" * 16)).mkdir()
        (mine / ("1" * 16)).symlink_to(tmp_path / "outside")
        (mine / ("2" * 16)).symlink_to(tmp_path / "nowhere")
        os.mkfifo(mine / ("p" * 16))
        (mine / "README").write_text("not ours")
        before = sorted(item.name for item in mine.iterdir())

        write_elsewhere(path)

        assert waiting.result()
        assert sorted(item.name for item in mine.iterdir()) == before
        with pytest.raises(BlockingIOError):
            outside.recv(1)


def a_file(where: Path) -> None:
    where.write_text("in the way")


def a_link(where: Path) -> None:
    where.with_name("target").mkdir(mode=0o700)
    where.symlink_to(where.with_name("target"))


def open_to_all(where: Path) -> None:
    where.mkdir()
    where.chmod(0o777)


def somebody_else_s(where: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    where.mkdir(mode=0o700)
    os.chown(where, 12_345, 12_345)


@pytest.mark.parametrize("put", [a_file, a_link, open_to_all, somebody_else_s])
def test_where_no_socket_can_be_had_the_glance_is_quick(path: Path, put: Callable[[Path], None]) -> None:
    put(folder(path))

    with opened(path, NO_DATAGRAMS) as store:
        for _ in range(2):
            waiting = Waiting(store, head(store))
            write_untold(path)
            assert waiting.result()
        write_elsewhere(path)
        assert folder(path).is_file() or list(folder(path).iterdir()) == []

    assert folder(path).exists(), "it is not ours to remove"


def test_a_socket_that_somebody_removed_is_made_anew(path: Path) -> None:
    with opened(path, PollIntervals(glance=0.02, quick=HOUR)) as store:
        waiting = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        first = sockets(path)

        shutil.rmtree(folder(path))

        until(lambda: len(sockets(path)) == 1)
        assert sockets(path) != first
        assert waiting.goes_on()


@pytest.mark.requirement("storage.files.no-daemon-no-locks")
def test_closing_ends_every_wait_and_leaves_nothing_behind(path: Path) -> None:
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    before = watchers()
    with opened(path, NO_GLANCE) as store:
        waiting = [Waiting(store, head(store)), Waiting(store, head(store)), Waiting(store, 0, "other/repo")]
        until(lambda: len(sockets(path)) == 1 and all(one.asleep() for one in waiting))

    assert [one.result() for one in waiting] == [False] * 3
    assert watchers() == before
    assert [item.name for item in path.parent.iterdir()] == [path.name]
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_closed_store_can_be_waited_on_again(path: Path) -> None:
    with opened(path, NO_GLANCE) as store:
        first = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        store.close()
        assert not first.result()

        second = Waiting(store, head(store))
        until(lambda: len(sockets(path)) == 1)
        write_elsewhere(path)

        assert second.result()


def test_who_waits_no_more_stops_listening_after_a_while(path: Path) -> None:
    before = watchers()
    with opened(path, PollIntervals(glance=0.02, linger=0.0)) as store:
        assert not store.wait(WORKSPACE, head(store), 0.1)

        until(lambda: watchers() == before)
        assert not folder(path).exists()

        waiting = Waiting(store, head(store))
        write_elsewhere(path)
        assert waiting.result()


@pytest.mark.requirement("storage.files.no-daemon-no-locks")
def test_a_process_may_end_in_the_midst_of_a_wait_and_leaves_nothing_behind(path: Path) -> None:
    with listener(path, 1, "leave") as leaving:
        assert leaving.wait(PATIENCE) == 0

    assert not folder(path).exists()
