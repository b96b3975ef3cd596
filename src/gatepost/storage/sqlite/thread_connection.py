"""A thread's connection, and how all of them come to rest before the process forks.

SQLite keeps in memory what it knows of a file's locks. A child that inherited it would take its parent's locks for
its own, and lose what it writes; and one that was forked while a thread was inside SQLite may wait for it for ever.
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
"""So long is waited for those who are at work, in seconds; who forks or closes goes on without them then."""


class Forked(StoreUnreachable):
    """This process was forked while its parent used the store, so it must not touch it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            path,
            "this process was forked while its parent was using the store",
            "Fork before the store is used, or start processes by 'spawn'.",
        )


class ThreadConnection:
    """A connection of one thread, open only for use. Whoever forks finds none in use, and closes them.

    An interrupt may come anywhere and leave a lock taken or a transaction open. Whoever comes next begins anew.
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
        """The connection, for a moment; also in the midst of a transaction."""
        self._used.acquire()
        try:
            return self._opened()
        except BaseException:
            self._give_back()
            raise

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def seize(self, user: object) -> apsw.Connection:
        """The connection, for a transaction of this user's. Whatever was under way here is void."""
        while self._is_ours():
            self._used.release()
        self._used.acquire()
        self._user = user
        connection = self._opened()
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return connection

    def is_current(self) -> bool:
        """Whether the file still has its name. What is written to one that was moved or replaced is lost to all."""
        return self._file == self._identify()

    def is_of(self, user: object) -> bool:
        """Whether a user's transaction is still the one that is under way."""
        return self._user is user

    def leave(self, user: object) -> None:
        """Undo what the user did not commit, and let others in."""
        if self._user is not user:  # void, or left to a parent
            return
        try:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        finally:
            self._user = None
            self._give_back()

    def rest(self, until: float) -> bool:
        """Keep everyone out until `go_on`; whether that could be had, and nothing is under way."""
        if self._user is not None and self.thread is threading.current_thread():
            return False
        return self._used.acquire(timeout=max(0.0, until - time.monotonic()))

    def go_on(self) -> None:
        """Let in again who was kept out. What is this thread's own work goes on as it is."""
        if self._user is None or self.thread is not threading.current_thread():
            self._give_back()

    def drop(self) -> None:
        """Close the connection after something went wrong with its file, unless somebody uses it."""
        if self._user is None and self._connection is not None and not self._connection.in_transaction:
            self.close()

    def close(self) -> None:
        """Close the connection; whoever comes next opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def orphan(self) -> bool:
        """In a child: leave what is open to the parent, for ever; whether there was something."""
        self._user = None
        if self._connection is None:
            return False
        import ctypes

        # Not even closed when this process ends: that would undo in the file what the parent does there.
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

    def _is_ours(self) -> bool:
        return self._used._is_owned()  # type: ignore[attr-defined, no-any-return]  # noqa: SLF001 - as Condition does

    def _give_back(self) -> None:
        if self._is_ours():
            self._used.release()


@contextmanager
def resting(lines: Iterable[ThreadConnection], until: float) -> Iterator[list[ThreadConnection]]:
    """Those of some lines that nobody uses, kept so for as long as the context lasts."""
    found: list[ThreadConnection] = []
    try:
        for line in lines:
            found.append(line)
            if not line.rest(until):
                found.remove(line)
        yield found
    finally:
        for line in found:
            line.go_on()
