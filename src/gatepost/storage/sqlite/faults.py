"""What SQLite and the system report of a store's file, as the store faults that every surface can render."""

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
"""What may be a store fault when a file is opened."""
MET: Final = (apsw.Error, UnicodeDecodeError, msgspec.MsgspecError)
"""What may be a store fault within a transaction. What is decoded there was stored: arguments come decoded."""

_ROOM: Final = 16_384
"""A disk with fewer free bytes than this takes no write of SQLite's."""
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
"""How SQLite begins to say that the schema, or the version that the header names, is not what the file holds."""


@contextmanager
def answering(path: str) -> Iterator[None]:
    """Raise what a file's faults are called, in place of what SQLite and the system call them."""
    try:
        yield
    except _REPORTED as error:
        answer = answer_to(error, path)
        if answer is None:
            raise
        raise answer from error


def answer_to(error: BaseException, path: str) -> StoreFault | None:
    """The store fault that an error reports; none where it reports a fault of ours."""
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
        return StoreUnreachable(path, "the file was moved or replaced while it was open", "Start Gatepost again.")
    # On a full disk a store is opened for reading alone, since there is no room for SQLite's shared memory.
    return StoreReadOnly(path) if has_room(path) else StoreFull(path)


def _detail(error: apsw.Error) -> int:
    """SQLite's extended code; an error that apsw raised by itself has none."""
    return int(getattr(error, "extendedresult", 0))


def _by_looking(error: apsw.Error, path: str) -> StoreFault:
    """SQLite says only that it failed; the file and its disk say why."""
    if os.path.isdir(path):
        return NotAStore(path, "it is a folder")
    if not has_room(path):
        return StoreFull(path)
    if os.path.exists(path) and not os.access(path, os.R_OK):
        return StoreUnreachable(path, "you may not read it")
    folder = os.path.dirname(path)
    if not os.path.exists(path) and not os.access(folder, os.W_OK):
        return _of_folder(folder, path)
    return StoreUnreachable(path, str(error))


def _of_folder(folder: str, path: str) -> StoreFault:
    if os.path.isdir(folder) and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return StoreReadOnly(path, "its disk is read-only, and there is no store yet")
    return StoreUnreachable(path, f"there is no store yet, and you may not make one in {folder}")


def identity(path: str) -> tuple[int, int] | None:
    """What a file is known by, whatever its name; none where there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def has_room(path: str) -> bool:
    """Whether the disk that holds a path takes one more page."""
    try:
        disk = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= _ROOM and not (disk.f_files and not disk.f_favail)


def check_folder(path: str) -> None:
    """Refuse a place where no store can be made: there is none yet, and looking makes none."""
    folder = os.path.dirname(path)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise _of_folder(folder, path)
    if not has_room(os.path.join(folder, "")):
        raise StoreFull(path)
