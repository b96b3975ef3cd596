"""Givens of waking: a database, who waits for it, here and in processes of their own, and who writes."""

import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from gatepost.storage.sqlite.notifier import PollIntervals
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import WORKSPACE, World

WRITERS = Path(__file__).with_name("writers.py")
LISTENERS = Path(__file__).with_name("listeners.py")
PATIENCE = 30
HOUR = 3_600.0
NO_GLANCE = PollIntervals(glance=HOUR, quick=HOUR)
"""Whoever is woken at this pace was told."""
NO_DATAGRAMS = PollIntervals(glance=HOUR)
"""Whoever is woken at this pace, by somebody who tells nobody, knew that datagrams cannot be had."""


class Waiting:
    """A wait in a thread of its own."""

    def __init__(self, store: SqliteStore, after: int, workspace: str = WORKSPACE) -> None:
        self._ended: list[bool] = []
        self._thread = threading.Thread(
            target=lambda: self._ended.append(store.wait(workspace, after, HOUR)), daemon=True
        )
        self._thread.start()

    def result(self) -> bool:
        """Whether it ended with news; it must end."""
        self._thread.join(PATIENCE)
        assert self._ended, "the wait goes on"
        return self._ended[0]

    def goes_on(self) -> bool:
        return self._thread.is_alive()

    def asleep(self) -> bool:
        """Whether it has looked, and sleeps."""
        gc.disable()  # Python 3.11 deadlocks if it collects garbage while it lists the frames
        try:
            frame = sys._current_frames().get(self._thread.ident or 0)
        finally:
            gc.enable()
        return frame is not None and (frame.f_code.co_filename, frame.f_code.co_name) == (
            threading.__file__,
            "wait",
        )


@contextmanager
def opened(path: Path, pace: PollIntervals) -> Iterator[SqliteStore]:
    store = SqliteStore(str(path), "NORMAL", pace)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def listener(path: Path, after: int, *how: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that listens."""
    known = len(sockets(path))
    command = [sys.executable, str(LISTENERS), str(path), str(after), *how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if not how:
                until(lambda: len(sockets(path)) > known)
            yield process
        finally:
            process.kill()


def write_elsewhere(path: Path) -> None:
    """A process writes, and ends."""
    command = [sys.executable, str(WRITERS), str(path), "elsewhere", "1"]
    subprocess.run(command, input="go\n", text=True, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)


def write_untold(path: Path) -> None:
    """A commit of which nobody is told."""
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE workspaces SET seq = seq + 1")
    connection.close()


def folder(path: Path) -> Path:
    return Path(f"{path}-wake")


def sockets(path: Path) -> list[Path]:
    return [item for item in folder(path).glob("*") if item.is_socket()]


def head(store: SqliteStore) -> int:
    with store.reading(WORKSPACE) as snapshot:
        return snapshot.head().seq


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so, but not for ever."""
    pause = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it never came to be")


def watchers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "notifier"]


def new_database(path: Path) -> Path:
    """A database in which something was written."""
    store = SqliteStore(str(path), "NORMAL")
    World(store).task()
    store.close()
    return path
