"""Connections: one for each thread, kept open, and patient with other writers without starving them."""

import os
import random
import threading
import time
from itertools import count
from typing import Final

import apsw

from gatepost.domain.refusals import Busy
from gatepost.storage.sqlite import schema

OLDEST_SAFE: Final = 3051003
"""Before 3.51.3, several processes on one WAL file can lose acknowledged writes (the WAL-reset bug)."""

PATIENCE: Final = 15.0
_PAUSE: Final = 0.002


class UnsafeSqlite(Exception):
    """The linked SQLite would lose writes."""


class Connections:
    """Hands each thread its own connection to one file."""

    def __init__(self, path: str, synchronous: str) -> None:
        check_version(apsw.sqlite_lib_version())
        if synchronous not in ("FULL", "NORMAL"):
            raise ValueError(f"synchronous is FULL or NORMAL, not {synchronous}")
        self.path = path
        self._synchronous = synchronous
        self._inherited: list[apsw.Connection] = []
        self._start()

    def _start(self) -> None:
        self._local = threading.local()
        self._all: list[tuple[threading.Thread, apsw.Connection]] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def get(self) -> apsw.Connection:
        """This thread's connection."""
        if self._process != os.getpid():
            self._leave_to_parent()
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
        return connection

    def close(self) -> None:
        """Close every connection; a later call opens new ones."""
        if self._process == os.getpid():
            with self._lock:
                for _, connection in self._all:
                    connection.close()
        self._leave_to_parent()

    def _leave_to_parent(self) -> None:
        """After a fork, a connection is the parent's: using it, or even closing it, would break its locks."""
        self._inherited += [connection for _, connection in self._all]
        self._start()

    def _open(self) -> apsw.Connection:
        _make_folder(os.path.dirname(self.path))
        connection = apsw.Connection(self.path, statementcachesize=64)
        connection.set_busy_handler(_Patience())
        self._prepare(connection)
        with self._lock:
            for thread, left in self._all:
                if not thread.is_alive():
                    left.close()
            self._all = [(thread, kept) for thread, kept in self._all if thread.is_alive()]
            self._all.append((threading.current_thread(), connection))
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
