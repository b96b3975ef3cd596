"""Connections to one database: opened on use, bounded in number, kept for later calls, not shared with a fork."""

import logging
import os
import threading
import time
import weakref
from typing import Final

import psycopg
from psycopg import errors
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from gatepost.domain.refusals import Refusal
from gatepost.storage.postgres import faults
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.clock import DatabaseClock

MOST: Final = 16
_COMEBACK: Final = 6.0
"""Seconds to wait for a server that answered before: it may be restarting."""
_PAUSE: Final = 0.1

# The driver warns of each connection that ends in the middle of a call. Callers get that as a refusal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

Connection = psycopg.Connection[tuple[object, ...]]


class PostgresConnectionPool:
    """Lends connections to transactions. A broken one is closed, not given to anybody again."""

    def __init__(self, address: Address, most: int = MOST) -> None:
        self.address: Final = address
        self.clock: Final = DatabaseClock()
        self.workspace_ids: Final[dict[str, int]] = {}
        """The numbers of workspaces, as last seen. Each transaction compares."""
        self._most: Final = most
        self._start_afresh()
        _ALL.add(self)

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._lent: dict[Connection, int] = {}
        """The connections in use, each with the round it was lent in. The pool's closing ends a round."""
        self._round = 0
        self._room = threading.BoundedSemaphore(self._most)
        self._answered = False

    def take(self, *, patient: bool = True) -> Connection:
        """A connection that nobody else has. Raises `NoFreeConnection` if all are in use for too long."""
        if not self._room.acquire(timeout=faults.PATIENCE):
            raise faults.NoFreeConnection(self.address)
        try:
            connection = self._kept() or self._opened(_COMEBACK if patient else 0.0)
        except BaseException:
            self._room.release()
            raise
        self._lent[connection] = self._round
        return connection

    def give_back(self, connection: Connection) -> None:
        """Take a connection back, at rest or broken."""
        status = connection.pgconn.transaction_status
        with self._lock:
            current = self._lent.pop(connection) == self._round
            kept = current and status == psycopg.pq.TransactionStatus.IDLE
            if kept:
                self._idle.append(connection)
        if not kept:
            connection.close()
        self._room.release()

    def connect(self) -> Connection:
        """A new connection, for somebody who keeps it."""
        try:
            made = psycopg.connect(
                **self.address.parameters, autocommit=True, prepare_threshold=3, cursor_factory=psycopg.RawCursor
            )
        except psycopg.Error as error:
            raise faults.on_connect(error, self.address) from error
        made.adapters.register_dumper(int, Int8Dumper)  # one plan for a statement, whatever its numbers
        made.adapters.register_dumper(str, StrDumper)  # so that lists of texts have a type
        self._answered = True
        return made

    def close(self) -> None:
        """Close the connections: those in use when they are given back. The next use opens another one."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._round += 1
        for connection in idle:
            connection.close()

    def leave_to_parent(self) -> None:
        """In a forked child: the connections are the parent's, and closing them would end them there."""
        _LEFT.extend((*self._idle, *self._lent))
        self._start_afresh()

    def _kept(self) -> Connection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _opened(self, comeback: float) -> Connection:
        until = time.monotonic() + (comeback if self._answered else 0.0)
        while True:
            try:
                return self.connect()
            except Refusal as refusal:
                starting = isinstance(refusal.__cause__, errors.CannotConnectNow) or "is starting up" in str(
                    refusal.__cause__
                )
                if time.monotonic() >= until + (comeback if starting else 0.0):
                    raise
            time.sleep(_PAUSE)


def leave(connection: Connection) -> None:
    """In a forked child: keep a connection of the parent from being closed here, which would end it there, too."""
    _LEFT.append(connection)


def _leave_all_to_parent() -> None:
    for pool in list(_ALL):
        pool.leave_to_parent()


_ALL: Final[weakref.WeakSet[PostgresConnectionPool]] = weakref.WeakSet()
_LEFT: Final[list[Connection]] = []
"""Connections of a parent process, kept so that no destructor touches them."""
os.register_at_fork(after_in_child=_leave_all_to_parent)
