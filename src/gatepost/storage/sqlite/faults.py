"""Turn errors of SQLite and the system into store faults."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw
import msgspec

from gatepost.domain.refusals import Refusal, StoreFault
from gatepost.storage.faults import NotAStore, StoreDamaged, StoreFull, StoreReadOnly, StoreUnreachable

_REPORTED: Final = (apsw.Error, OSError)
"""Errors that may be store faults while a file is opened."""
POSSIBLE_FAULTS: Final = (apsw.Error, UnicodeDecodeError, msgspec.MsgspecError)
"""Errors that may be store faults within a transaction. Only stored data is decoded there."""

_ROOM: Final = 16_384
"""SQLite cannot write to a disk with fewer free bytes than this."""
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_SPOILED: Final = (apsw.SQLITE_IOERR_CORRUPTFS, apsw.SQLITE_IOERR_DATA)
_NO_SUCH: Final = (
    "no such table",
    "no such column",
    "no such index",
    "malformed database schema",
    "unsupported file format",
    "duplicate column name",
    "table ",
    "index ",
)
"""How SQLite's messages start when the schema does not match the file."""


@contextmanager
def answering(path: str) -> Iterator[None]:
    """Raise store faults in place of the errors of SQLite and the system."""
    try:
        yield
    except _REPORTED as error:
        answer = answer_to(error, path)
        if answer is None:
            raise
        raise answer from error


def answer_to(error: BaseException, path: str) -> StoreFault | None:
    """The store fault for an error, or none if the error is a bug of ours."""
    if isinstance(error, Refusal):
        return None
    if isinstance(error, OSError) and not isinstance(error, apsw.Error):
        return _of_system(error, path)
    if isinstance(error, UnicodeDecodeError | msgspec.MsgspecError):
        return StoreDamaged(path, f"a stored text cannot be decoded ({error})")
    return _of_sqlite(error, path)


def _of_sqlite(error: BaseException, path: str) -> StoreFault | None:
    match error:
        case apsw.NotADBError():
            return NotAStore(path, "it is not an SQLite database")
        case apsw.FullError():
            return StoreFull(path)
        case apsw.CorruptError() | apsw.FormatError():
            return StoreDamaged(path, str(error))
        case apsw.SQLError() if str(error).startswith(_NO_SUCH):
            return StoreDamaged(path, str(error))
        case apsw.IOError() if _detail(error) in _SPOILED:
            return StoreDamaged(path, str(error))
        case apsw.ReadOnlyError():
            return _of_read_only(error, path)
        case apsw.CantOpenError() | apsw.PermissionsError() | apsw.IOError() | apsw.ProtocolError():
            return _by_looking(error, path)
    return None


def _of_system(error: OSError, path: str) -> StoreFault:
    if error.errno in _FULL:
        return StoreFull(path)
    if error.errno == errno.EROFS:
        return StoreReadOnly(path)
    return StoreUnreachable(path, (error.strerror or str(error)).lower() + _where(error, path))


def _where(error: OSError, path: str) -> str:
    return f" ({error.filename})" if error.filename not in (None, path) else ""


def _of_read_only(error: apsw.ReadOnlyError, path: str) -> StoreFault:
    if _detail(error) == apsw.SQLITE_READONLY_DBMOVED:
        return StoreUnreachable(path, "the file was moved or replaced while it was open", "Restart Gatepost.")
    # On a full disk a store opens read-only, since there is no room for SQLite's shared memory.
    return StoreReadOnly(path) if has_room(path) else StoreFull(path)


def _detail(error: apsw.Error) -> int:
    """SQLite's extended code; an error raised by apsw itself has none."""
    return int(getattr(error, "extendedresult", 0))


def _by_looking(error: apsw.Error, path: str) -> StoreFault:
    """Find out from the file and its disk why SQLite failed."""
    if os.path.isdir(path):
        return NotAStore(path, "it is a folder")
    if not has_room(path):
        return StoreFull(path)
    if os.path.exists(path) and not os.access(path, os.R_OK):
        return StoreUnreachable(path, "you do not have permission to read it")
    folder = os.path.dirname(path)
    if not os.path.exists(path) and not os.access(folder, os.W_OK):
        return _of_folder(folder, path)
    return StoreUnreachable(path, str(error))


def _of_folder(folder: str, path: str) -> StoreFault:
    if os.path.isdir(folder) and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return StoreReadOnly(path, "its disk is read-only, and there is no store yet")
    return StoreUnreachable(
        path, f"there is no store yet, and you do not have permission to create one in {folder}"
    )


def identity(path: str) -> tuple[int, int] | None:
    """A file's identity, independent of its name; none if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def has_room(path: str) -> bool:
    """Whether the disk has room for another page."""
    try:
        disk = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= _ROOM and not (disk.f_files and not disk.f_favail)


def check_folder(path: str) -> None:
    """Refuse a folder where no store can be created. Creates nothing."""
    folder = os.path.dirname(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise _of_folder(folder, path)
    if not has_room(os.path.join(folder, "")):
        raise StoreFull(path)
