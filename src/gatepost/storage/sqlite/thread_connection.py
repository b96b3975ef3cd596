"""A connection for one thread at a time, and how all connections become idle before the process forks.

SQLite keeps its knowledge of a file's locks in memory. A forked child would take its parent's locks for its own and
lose writes; a child forked while a thread was inside SQLite may wait forever.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.sqlite.read_only_file import FixedFile

REST: Final = 5.0
"""Seconds to wait for connections in use before a fork or close goes on without them."""


class Forked(StoreUnreachable):
    """This process was forked while its parent used the store, so it must not touch it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            path,
            "this process was forked while its parent was using the store",
            "Fork before the store is used, or use the 'spawn' start method.",
        )


class ThreadConnection:
    """A connection for one thread at a time, opened on use. A fork waits until it is idle and closes it.

    A file has one connection per thread. A database in memory has one for all threads, which take turns, and stays
    open.

    An interrupt may come anywhere and leave a lock or a transaction behind. The next user starts clean.
    """

    def __init__(
        self, open_one: Callable[[], apsw.Connection], identify: Callable[[], object], *, in_memory: bool = False
    ) -> None:
        self.thread: Final = threading.current_thread()
        self.in_memory: Final = in_memory
        self.openings = 0
        self._open = open_one
        self._identify = identify
        self._file: object = None
        self._used: Final = threading.RLock()
        self._connection: apsw.Connection | None = None
        self._user: object = None

    def __enter__(self) -> apsw.Connection:
        """The connection for a short use, also in the middle of a transaction."""
        self._used.acquire()
        try:
            return self._opened()
        except BaseException:
            self._give_back()
            raise

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def seize(self, user: object) -> apsw.Connection:
        """The connection for a user's transaction. Cancels any transaction in progress."""
        if self.is_ours():
            self._user = None
        while self.is_ours():
            self._used.release()
        self._used.acquire()
        self._user = user
        connection = self._opened()
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return connection

    def is_current(self) -> bool:
        """Whether the file still has its name. Writes to a moved or replaced file would be lost."""
        return self._file == self._identify()

    def is_of(self, user: object) -> bool:
        """Whether this user's transaction is still the current one."""
        return self._user is user

    def leave(self, user: object) -> None:
        """Roll back what the user did not commit, and let others in."""
        if self._user is not user:  # cancelled, or left to a parent
            return
        try:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        finally:
            self._user = None
            self._give_back()

    def rest(self, until: float) -> bool:
        """Keep all users out until `go_on`. Returns false if the connection stays in use."""
        if self._user is not None and self.is_ours():
            return False
        return self._used.acquire(timeout=max(0.0, until - time.monotonic()))

    def go_on(self) -> None:
        """Let users in again. This thread's own transaction goes on."""
        if self._user is None or not self.is_ours():
            self._give_back()

    def drop(self) -> None:
        """Close the connection after a fault of its file, unless it is in use."""
        if self._user is None and self._connection is not None and not self._connection.in_transaction:
            self.close()

    def close(self) -> None:
        """Close the connection, unless its database is in memory. The next use opens another one."""
        if self._connection is not None and not self.in_memory:
            self._connection.close()
            self._connection = None

    def orphan(self) -> bool:
        """In a forked child: leave the open connection to the parent. Returns whether there was one."""
        self._user = None
        if self._connection is None:
            return False
        import ctypes

        # Not even closed when this process ends: that would undo the parent's work in the file.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))
        self._connection = None
        return True

    def _opened(self) -> apsw.Connection:
        if isinstance(self._connection, FixedFile) and self._connection.has_changed():
            self.close()
        if self._connection is None:
            self._connection = self._open()
            self._file = self._identify()
            self.openings += 1
        return self._connection

    def is_ours(self) -> bool:
        """Whether this thread has it."""
        return self._used._is_owned()  # type: ignore[attr-defined, no-any-return]  # noqa: SLF001 - as Condition does

    def _give_back(self) -> None:
        if self.is_ours():
            self._used.release()


@contextmanager
def resting(connections: Iterable[ThreadConnection], until: float) -> Iterator[list[ThreadConnection]]:
    """The idle ones of some connections, kept idle while the context lasts."""
    found: list[ThreadConnection] = []
    try:
        for connection in connections:
            found.append(connection)
            if not connection.rest(until):
                found.remove(connection)
        yield found
    finally:
        for connection in found:
            connection.go_on()
