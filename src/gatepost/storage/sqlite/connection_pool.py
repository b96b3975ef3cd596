"""One open connection per thread, or one for all to a database in memory. Each waits for other writers without
starving them.
"""

import os
import threading
import time
from _weakrefset import WeakSet  # weakref itself costs more to import
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Final

import apsw

from gatepost.domain.refusals import Busy
from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.sqlite import connection_settings, faults, read_only_file, schema
from gatepost.storage.sqlite.thread_connection import REST, Forked, ThreadConnection, resting

OLDEST_SAFE: Final = (3, 51, 3)
"""Before 3.51.3, several processes on one WAL file can lose acknowledged writes (the WAL-reset bug)."""

PATIENCE: Final = 15.0

MEMORY: Final = ":memory:"
"""The path of a database in memory."""

_IGNORED: Final = "*.db\n*.db-*\noutside/\n.gitignore\n"
"""The `.gitignore` of a new `.gatepost` folder. It ignores itself, so a new store adds nothing to commit."""
_PAUSE: Final = 0.002


class UnsafeSqlite(StoreUnreachable):
    """The linked SQLite would lose writes."""

    def __init__(self, version: str) -> None:
        super().__init__(
            "The store",
            f"SQLite {version} can lose acknowledged writes when several processes share a file"
            " (the WAL-reset bug, fixed in 3.51.3)",
            "Install apsw 3.51.3 or later.",
        )


class SqliteConnectionPool:
    """Hands each thread its own connection to one file. A database in memory has one connection for all threads."""

    def __init__(self, path: str, synchronous: str) -> None:
        if synchronous not in ("FULL", "NORMAL"):
            raise ValueError(f"synchronous is FULL or NORMAL, not {synchronous}")
        self.path = path
        self._synchronous = synchronous
        self._torn = False
        self._start()
        with _ENLISTING:
            _ALL.add(self)

    def _start(self) -> None:
        self._local = threading.local()
        self._connections: list[ThreadConnection] = []
        self._shared = self._enlist() if self.path == MEMORY else None

    def thread_connection(self) -> ThreadConnection:
        """This thread's connection."""
        connection: ThreadConnection | None = self._shared or getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._enlist()
        return connection

    def close(self) -> None:
        """Close all idle connections. Waits a limited time for those in use.

        A later call opens new ones.
        """
        with _ENLISTING, resting(self._connections, time.monotonic() + REST) as connections:
            for connection in connections:
                connection.close()

    def for_fork(self) -> list[ThreadConnection]:
        """The connections that must be idle before a fork."""
        return self._connections

    def reset_after_fork(self) -> None:
        """Start with no connections in a forked child. Those that are open belong to the parent.

        A database in memory was copied, and can be used unless another thread was in it.
        """
        if self._shared is not None and self._shared.is_ours():
            return
        orphaned = [connection for connection in self._connections if connection.orphan()]
        self._torn = self._torn or bool(orphaned)
        self._start()

    def _identity(self) -> object:
        return None if self.path == MEMORY else faults.identity(self.path)

    def _enlist(self) -> ThreadConnection:
        connection = ThreadConnection(self._open, self._identity, in_memory=self.path == MEMORY)
        with _ENLISTING:
            for left in self._connections:
                if not left.thread.is_alive():
                    left.close()
            self._connections = [kept for kept in self._connections if kept.thread.is_alive()]
            self._connections.append(connection)
        return connection

    def _open(self) -> apsw.Connection:
        check_version(apsw.sqlite_lib_version())
        if self._torn:
            raise Forked(self.path)
        if self.path == MEMORY:
            return _in_memory()
        with faults.answering(self.path):
            return self._opened()

    def _opened(self) -> apsw.Connection:
        _make_folder(os.path.dirname(self.path))
        _make_file(self.path)
        connection = apsw.Connection(self.path, statementcachesize=64)
        try:
            connection.set_busy_handler(Patience())
            connection_settings.harden(connection)
            self._prepare(connection)
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError):
            connection.close()
            if read_only_file.can_be_written(self.path) and faults.has_room(self.path):
                raise
            return read_only_file.opened(self.path, schema.check_readable)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        """Prepare a new connection. SQLite does not call the busy handler for a journal mode change, so wait here
        too.
        """
        patience = Patience()
        for tries in count():
            try:
                schema.check_ours(connection)
                if connection.readonly("main"):
                    schema.check_readable(connection)
                    return
                connection.pragma("journal_mode", "wal")
                connection.pragma("synchronous", self._synchronous)
                schema.migrate(connection)
            except apsw.BusyError as error:
                if not patience(tries):
                    raise Busy(PATIENCE) from error
            else:
                return


def _in_memory() -> apsw.Connection:
    """A new database in memory. Copied from an empty one: creating the tables takes fifty times as long."""
    connection = apsw.Connection(MEMORY, statementcachesize=64)
    with _ENLISTING, connection.backup("main", _empty(), "main") as copying:
        copying.step()
    connection_settings.harden(connection)
    return connection


@cache
def _empty() -> apsw.Connection:
    connection = apsw.Connection(MEMORY)
    schema.migrate(connection)
    return connection


def _make_folder(folder: str) -> None:
    if folder and not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.basename(folder) == ".gatepost":
            with open(os.path.join(folder, ".gitignore"), "w", encoding="ascii") as file:
                file.write(_IGNORED)


def _make_file(path: str) -> None:
    """Create a missing database file for its owner only. SQLite gives its side files the same mode."""
    if os.path.exists(path) or not os.path.isdir(os.path.dirname(path)):
        return
    # Closing a descriptor drops this process's locks on the file, so no other thread may open it meanwhile.
    with _ENLISTING:
        try:
            made = os.open(os.path.realpath(path), os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return
        try:
            os.fchmod(made, 0o600)
        finally:
            os.close(made)


class Patience:
    """Waits for a lock with short, random pauses: SQLite's own back-off starves latecomers."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._until = now + PATIENCE
        if now >= self._until:
            return False
        from random import random

        time.sleep(random() * _PAUSE)  # noqa: S311 - jitter, not a secret
        return True


def check_version(version: str) -> None:
    """Refuse an SQLite version that is known to lose writes."""
    if tuple(map(int, version.split("."))) < OLDEST_SAFE:
        raise UnsafeSqlite(version)


@contextmanager
def _at_rest() -> Iterator[None]:
    """Close the files of all stores and keep threads out of SQLite, as far as possible.

    In-memory stores stay open, since closing would lose them, but no thread may be inside SQLite there either.
    """
    with _ENLISTING:
        connections = [connection for pool in list(_ALL) for connection in pool.for_fork()]
        with resting(connections, time.monotonic() + REST) as found:
            for connection in found:
                connection.close()
            yield


def _before_fork() -> None:
    fork = _at_rest()
    _FORKS.now = [*getattr(_FORKS, "now", ()), fork]
    fork.__enter__()


def _in_parent() -> None:
    *_FORKS.now, fork = _FORKS.now
    fork.__exit__(None, None, None)


def _in_child() -> None:
    for pool in list(_ALL):
        pool.reset_after_fork()
    _in_parent()


_ENLISTING: Final = threading.RLock()
_FORKS: Final = threading.local()
"""The forks in progress of each thread: a signal handler may fork in the middle of another fork."""
_ALL: Final[WeakSet[SqliteConnectionPool]] = WeakSet()
os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
