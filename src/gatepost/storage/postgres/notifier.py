"""The notifier: one connection listens for commits of all processes and wakes those who wait here.

A notification is a hint; the log decides. Below it lies a slow poll, for notifications that a pooler or a lost
connection swallowed.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Final

import psycopg

from gatepost.domain.refusals import Refusal
from gatepost.storage.postgres.arrays import array
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.pooled_connection import SQL, Working
from gatepost.storage.wait_list import WaitList

_POLL: Final = 1.0
_LINGER: Final = 10.0
"""Seconds to keep listening after the last wait."""
_SLICE: Final = 0.25
"""How long the listener is deaf to being closed."""
_PATIENCE: Final = 2.0


class PostgresNotifier:
    """Waits for the workspaces of one database. Connects and starts nothing before the first wait."""

    def __init__(self, pool: PostgresConnectionPool) -> None:
        self._pool = pool
        self._start_afresh()
        _ALL.add(self)

    def _start_afresh(self) -> None:
        self._waiting = WaitList()
        self._lock = threading.Lock()
        self._listener: _Listener | None = None

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Whether a workspace's log passed `after` in time. Returns false early when the notifier is closed."""
        waiter = self._waiting.add(workspace, after)
        try:
            self._ensure_listener()
            # A commit after this look is notified, or found by the listener when it begins to listen.
            if heads(self._pool, (workspace,)).get(workspace, 0) > after:
                return True
            return waiter.wait(seconds)
        finally:
            self._waiting.remove(workspace, waiter)

    def tell(self, workspace: str, seq: int) -> None:
        """Wake the waiters of this process after a commit. The commit itself notified the others."""
        self._waiting.wake(workspace, seq)

    def release(self, workspace: str) -> None:
        """End all waits for a workspace, without news."""
        self._waiting.release(workspace)

    def close(self) -> None:
        """End all waits and the connection. A later wait starts again."""
        with self._lock:
            listener, self._listener = self._listener, None
        self._waiting.wake_all(news=False)
        if listener is not None:
            listener.stop()

    def leave_to_parent(self) -> None:
        """In a forked child: thread, waiters and connection belong to the parent."""
        if self._listener is not None:
            _LEFT.append(self._listener)
        self._start_afresh()

    def _ensure_listener(self) -> None:
        with self._lock:
            if self._listener is None or not self._listener.is_alive():
                self._listener = _Listener(self._pool, self._waiting, self._retire)
                self._listener.start()

    def _retire(self, listener: "_Listener") -> bool:
        """Whether a listener may end. Decided under the lock: a wait that begins now finds it at work, or gone."""
        with self._lock:
            if listener.is_needed():
                return False
            if self._listener is listener:
                self._listener = None
            return True


def heads(pool: PostgresConnectionPool, workspaces: Sequence[str]) -> dict[str, int]:
    """How far the logs of some workspaces are."""
    with Working(pool) as connection:
        rows: Any = connection.execute(SQL["heads"], (array(workspaces),)).fetchall()
    return dict(rows)


class _Listener(threading.Thread):
    """The thread that listens, and polls now and then."""

    def __init__(
        self, pool: PostgresConnectionPool, waiting: WaitList, retire: Callable[["_Listener"], bool]
    ) -> None:
        super().__init__(name="gatepost-listener", daemon=True)
        self._pool = pool
        self._waiting = waiting
        self._retire = retire
        self._stopping = False
        self._needed = time.monotonic()

    def stop(self) -> None:
        """Stop soon."""
        self._stopping = True
        self.join(_PATIENCE)

    def run(self) -> None:
        """Listen as long as somebody waits, over as many connections as it takes."""
        while not self._retire(self):
            try:
                with closing(self._pool.connect()) as connection:
                    self._listen(connection)
            except (psycopg.Error, Refusal):
                self._waiting.wake_all(news=True)  # they see for themselves what is wrong
                time.sleep(_SLICE)

    def is_needed(self) -> bool:
        """Whether somebody waits, or did a moment ago."""
        now = time.monotonic()
        if self._waiting.waited_for():
            self._needed = now
        return not self._stopping and now - self._needed < _LINGER

    def _listen(self, connection: Connection) -> None:
        connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(self._pool.address.channel)))
        next_look = 0.0
        while self.is_needed():
            if time.monotonic() >= next_look:
                self._look()
                next_look = time.monotonic() + _POLL
            for notice in connection.notifies(timeout=_SLICE, stop_after=1):
                seq, _, workspace = notice.payload.partition(" ")
                if seq.isdecimal():  # anybody who may connect may notify this channel of anything
                    self._waiting.wake(workspace, int(seq))

    def _look(self) -> None:
        for workspace, seq in heads(self._pool, self._waiting.waited_for()).items():
            self._waiting.wake(workspace, seq)


def _leave_all_to_parent() -> None:
    for notifier in list(_ALL):
        notifier.leave_to_parent()


_ALL: Final[weakref.WeakSet[PostgresNotifier]] = weakref.WeakSet()
_LEFT: Final[list[_Listener]] = []
"""Threads of a parent process, kept so that nothing touches their connections."""
os.register_at_fork(after_in_child=_leave_all_to_parent)
