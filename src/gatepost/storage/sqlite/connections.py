"""Connections: one for each thread, kept open, and patient with other writers without starving them."""

import os
import random
import threading
import time
import weakref
from collections.abc import Callable
from itertools import count
from typing import Final

import apsw

from gatepost.domain.refusals import Busy
from gatepost.storage.sqlite import schema

OLDEST_SAFE: Final = 3051003
"""Before 3.51.3, several processes on one WAL file can lose acknowledged writes (the WAL-reset bug)."""

PATIENCE: Final = 15.0
_PAUSE: Final = 0.002
_REST: Final = 5.0


class UnsafeSqlite(Exception):
    """The linked SQLite would lose writes."""


class Forked(Exception):
    """A process came to be while its parent was in the midst of a transaction: it must not touch the file."""


class Line:
    """A thread's connection to the file, open only for use between entering and leaving.

    Whoever forks waits until nobody uses one, and closes them: SQLite keeps what it knows of locks in memory, and a
    child that inherited it would take locks for its own that it does not have, and lose what it writes.
    """

    def __init__(self, open_one: Callable[[], apsw.Connection]) -> None:
        self.thread = threading.current_thread()
        self.openings = 0
        self._open = open_one
        self._used = threading.RLock()
        self._connection: apsw.Connection | None = None

    def __enter__(self) -> apsw.Connection:
        self._used.acquire()
        if self._connection is None:
            try:
                self._connection = self._open()
            except BaseException:
                self._used.release()
                raise
            self.openings += 1
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._used.release()

    def close(self) -> None:
        """Close the connection; whoever enters next opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def rest(self, until: float) -> bool:
        """Keep everyone out until `go_on`; whether that could be had in time, and nothing is under way."""
        resting = self._used.acquire(timeout=max(0.0, until - time.monotonic()))
        if resting and self._connection is not None and self._connection.in_transaction:  # the caller's own
            self._used.release()
            return False
        return resting

    def go_on(self) -> None:
        """Let in again who was kept out."""
        self._used.release()


class Connections:
    """Hands each thread its own connection to one file."""

    def __init__(self, path: str, synchronous: str) -> None:
        check_version(apsw.sqlite_lib_version())
        if synchronous not in ("FULL", "NORMAL"):
            raise ValueError(f"synchronous is FULL or NORMAL, not {synchronous}")
        self.path = path
        self._synchronous = synchronous
        self._inherited: list[Line] = []
        self._torn = False
        self._start()
        with _ENLISTING:
            _ALL.add(self)

    def _start(self) -> None:
        self._local = threading.local()
        self._lines: list[Line] = []
        self._resting: list[Line] = []

    def line(self) -> Line:
        """This thread's connection, to be entered."""
        line: Line | None = getattr(self._local, "line", None)
        if line is None:
            line = self._local.line = self._enlist()
        return line

    def close(self) -> None:
        """Close every connection, as soon as nobody uses it; a later call opens new ones."""
        with _ENLISTING:
            self.rest(time.monotonic() + _REST)
            self.shut()
            self.go_on()

    def rest(self, until: float) -> None:
        """Have nobody at work until `go_on`; whoever does not end in time is left alone."""
        self._resting = [line for line in self._lines if line.rest(until)]

    def shut(self) -> None:
        """Close what rests."""
        for line in self._resting:
            line.close()

    def go_on(self) -> None:
        """Let everyone work again."""
        for line in self._resting:
            line.go_on()
        self._resting = []

    def begin(self) -> None:
        """In a child, begin anew. What is still open is the parent's, and is not even closed."""
        self._torn = self._torn or (self.path != ":memory:" and len(self._resting) < len(self._lines))
        self._inherited += self._lines
        self._start()

    def _enlist(self) -> Line:
        line = Line(self._open)
        with _ENLISTING:
            for left in self._lines:
                if not left.thread.is_alive():
                    left.close()
            self._lines = [kept for kept in self._lines if kept.thread.is_alive()]
            self._lines.append(line)
        return line

    def _open(self) -> apsw.Connection:
        if self._torn:
            raise Forked(
                "this process was forked while its parent was writing, and must not use the parent's store."
                " Fork before the store is used, or start processes by 'spawn'."
            )
        _make_folder(os.path.dirname(self.path))
        connection = apsw.Connection(self.path, statementcachesize=64)
        connection.set_busy_handler(_Patience())
        self._prepare(connection)
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        """Make a file ready. SQLite does not ask the busy handler when the journal mode changes: wait here too."""
        patience = _Patience()
        for tries in count():
            try:
                schema.check_ours(connection)
                connection.pragma("journal_mode", "wal")
                connection.pragma("synchronous", self._synchronous)
                schema.migrate(connection)
            except apsw.BusyError as error:
                if not patience(tries):
                    raise Busy(PATIENCE) from error
            else:
                return


def _make_folder(folder: str) -> None:
    if folder and not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.basename(folder) == ".gatepost":
            with open(os.path.join(folder, ".gitignore"), "w", encoding="ascii") as file:
                file.write("*.db\n*.db-*\n")


class _Patience:
    """Waits for a lock with short, jittered pauses: SQLite's own back-off lets late comers starve."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._until = now + PATIENCE
        if now >= self._until:
            return False
        time.sleep(random.random() * _PAUSE)  # noqa: S311 - jitter, not a secret
        return True


def check_version(version: int | str) -> None:
    """Refuse an SQLite that is known to lose writes."""
    number = version if isinstance(version, int) else _number(version)
    if number < OLDEST_SAFE:
        raise UnsafeSqlite(
            f"SQLite {version} can lose acknowledged writes when several processes share a file"
            " (the WAL-reset bug, fixed in 3.51.3). Install apsw 3.51.3 or later."
        )


def _number(version: str) -> int:
    major, minor, patch = (int(part) for part in version.split(".")[:3])
    return major * 1_000_000 + minor * 1_000 + patch


def _before_fork() -> None:
    _ENLISTING.acquire()
    until = time.monotonic() + _REST
    for connections in list(_ALL):
        connections.rest(until)
        if connections.path != ":memory:":  # nothing of that would be left
            connections.shut()


def _in_parent() -> None:
    for connections in list(_ALL):
        connections.go_on()
    _ENLISTING.release()


def _in_child() -> None:
    for connections in list(_ALL):
        connections.begin()
    _ENLISTING.release()


_ENLISTING: Final = threading.Lock()
_ALL: Final[weakref.WeakSet[Connections]] = weakref.WeakSet()
os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
