"""A store that can be read but not written: a read-only or full disk, or missing permissions.

SQLite keeps its newest writes in a log next to the file (`-wal`) and needs shared memory (`-shm`) to read both.
Where it cannot create that, only the file is read, provided the log is empty.
"""

import os
from collections.abc import Callable
from typing import Final

import apsw

from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.sqlite import schema

_READ: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_SIDE_FILES: Final = ("-wal", "-journal")


class FixedFile(apsw.Connection):
    """A connection that assumes its file does not change. Others may still write it, so check before each use."""

    def __init__(self, path: str) -> None:
        from urllib.parse import quote

        self._path = path
        self._seen = _look(path)
        super().__init__(f"file:{quote(path)}?immutable=1", flags=_READ, statementcachesize=64)

    def has_changed(self) -> bool:
        """Whether the file has changed since it was opened."""
        return not self.in_transaction and _look(self._path) != self._seen


def can_be_written(path: str) -> bool:
    """Whether we may write the file and its folder."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK | os.X_OK)


def opened(path: str, check: Callable[[apsw.Connection], None] = schema.check_ours) -> apsw.Connection:
    """A read-only connection to a store that passes a check: by default, one of any version."""
    for side in _SIDE_FILES:
        if _size(path + side):
            beside = os.path.basename(path) + side
            raise StoreUnreachable(
                path,
                f"its newest writes are in {beside}, which cannot be read here",
                f"Copy it together with {beside} into a writable folder and use it there,"
                " or close every program that has the store open.",
            )
    connection = FixedFile(path)
    try:
        check(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _look(path: str) -> tuple[int, ...]:
    found = os.stat(path)
    return (
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        *(_size(path + side) for side in _SIDE_FILES),
    )


def _size(path: str) -> int:
    """A file's size; none if there is no file. A file that cannot be examined counts as not empty."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
    except OSError:
        return -1
