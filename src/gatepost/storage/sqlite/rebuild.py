"""Write a file again from everything readable in it, with exclusive access. The old file is kept next to it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final

import apsw

from gatepost.domain.refusals import Busy
from gatepost.engine.port import Rebuild, Store
from gatepost.storage.sqlite import connection_settings, recovery_copy
from gatepost.storage.sqlite.inspection import inspecting

_PATIENCE: Final = 1.0
_SIDE_FILES: Final = ("-wal", "-shm")


@contextmanager
def rebuilding(path: str, make: Callable[[str], Store]) -> Iterator[Rebuild]:
    """Lock a file until its rebuild has ended. `make` creates the new store next to it."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    kept = _free(f"{path}.before-repair-{stamp}")
    work, new = f"{kept}.work", f"{kept}.new"
    finished = False
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)

    def finish() -> str:
        nonlocal finished
        store.close()
        if not (held and _copy_over(new, connection)):
            connection.close()
            _replace_file(new, path)
        finished = True
        return kept

    try:
        held = _hold(connection)
        if held:
            page_size = _keep(connection, path, kept)
        else:
            page_size = recovery_copy.DEFAULT_PAGE_SIZE
            recovery_copy.copy_as_it_is(path, kept)
        recovery_copy.copy(kept, work)
        _prepare(new, page_size)
        store = make(new)
        with inspecting(work) as old, closing(store):
            yield Rebuild(old, store, finish)
    finally:
        connection.close()
        for made in (work, new) if finished else (work, new, kept):
            _remove(made)


def _copy_over(new: str, connection: apsw.Connection) -> bool:
    """Put the new content into the old file, where waiting programs find it. Returns whether SQLite can do that."""
    source = apsw.Connection(new)
    try:
        _copy(source, connection)
    except (apsw.CorruptError, apsw.NotADBError, apsw.ReadOnlyError):
        return False
    finally:
        source.close()
    return True


def _replace_file(new: str, path: str) -> None:
    """Put the new file in place of one that SQLite cannot write. Nobody else can use that one either."""
    for side in _SIDE_FILES:
        with suppress(FileNotFoundError):
            os.remove(path + side)
    os.replace(new, path)


def _hold(connection: apsw.Connection) -> bool:
    """Lock all others out until the connection closes. Returns whether the file allows it."""
    connection.set_busy_timeout(int(_PATIENCE * 1_000))
    connection_settings.harden(connection)
    connection.pragma("locking_mode", "exclusive")
    try:
        connection.execute("BEGIN IMMEDIATE; COMMIT")
    except apsw.BusyError as error:
        raise Busy(_PATIENCE) from error
    except apsw.Error:
        return False
    return True


def _keep(connection: apsw.Connection, path: str, kept: str) -> int:
    """Copy the old file page by page, including its write-ahead log. Returns its page size.

    Opening and closing the file directly would end the lock.
    """
    _make(kept, os.stat(path).st_mode & 0o777)
    copy = apsw.Connection(kept)
    try:
        _copy(connection, copy)
    finally:
        copy.close()
    size: int = connection.pragma("page_size")
    return size


def _copy(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as backup:
        backup.step()


def _prepare(path: str, page_size: int) -> None:
    """An empty file with the old file's page size, as required to copy the new content into the old file."""
    _make(path, 0o600)
    connection = apsw.Connection(path)
    try:
        connection.pragma("page_size", page_size)
        connection.pragma("journal_mode", "wal")
    finally:
        connection.close()


def _make(path: str, mode: int) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, mode))


def _free(path: str) -> str:
    """An unused name."""
    number, free = 1, path
    while os.path.exists(free):
        number += 1
        free = f"{path}-{number}"
    return free


def _remove(path: str) -> None:
    for side in ("", *_SIDE_FILES):
        with suppress(FileNotFoundError):
            os.remove(path + side)
