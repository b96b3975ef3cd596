"""Back up a store while others write to it, and restore a backup.

Copying the file by other means loses what is still in its log (`-wal`). A backup is one file with one consistent
state.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final, NamedTuple

import apsw

from gatepost.domain.refusals import AlreadyExists, Busy, Refusal, StoreFault
from gatepost.engine.doctor import Checkup, check_store
from gatepost.storage.faults import NotAStore, StoreDamaged, StoreNewer, StoreUnreachable
from gatepost.storage.sqlite import faults, read_only_file
from gatepost.storage.sqlite.connection_pool import SqliteConnectionPool
from gatepost.storage.sqlite.store import SqliteStore

_SLICE: Final = 1_000
"""Pages copied between two progress reports."""
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")
_DAMAGED: Final = "DAMAGED"
_LOCKS, _LOCKED = 0x40000000, 512
"""Where SQLite keeps its locks in a file, and how many bytes they take."""

Tell = Callable[[int, int], None]
"""Receives the number of pages copied so far and the total."""


class StoreInUse(Busy):
    """Another process has the store open."""

    def __init__(self, path: str) -> None:
        Refusal.__init__(
            self,
            f"Another process has {path} open.",
            "Stop every `gatepost up`, `gatepost mcp` and `gatepost tui` on it, then restore again."
            " Nothing was changed.",
        )


class Restored(NamedTuple):
    """The restored store, and where the previous one is kept, if there was one."""

    checkup: Checkup
    kept: str | None


def back_up(path: str, target: str, tell: Tell, *, replace: bool = False) -> Checkup:
    """Copy the store as it is now into a new file, check the copy, then put it in place."""
    _check_target(path, target, replace=replace)
    with faults.answering(target), _temporary(target) as made:
        _copy(path, made, tell)
        checkup = _examined(made, path)
        _finish(made)
        _put(made, target, replace=replace)
    return checkup


def restore(backup: str, path: str, kept: str, tell: Tell, *, replace: bool, unsound: bool) -> Restored:
    """Check a backup and put it in place of the store. An existing store is kept under another name."""
    _check_backup(backup, path)
    if os.path.exists(path) and not replace:
        raise AlreadyExists(
            f"{path} already has a store.",
            "Add --replace to restore the backup over it; the current store is kept next to it.",
        )
    with faults.answering(path), _temporary(path) as made:
        _copy(backup, made, tell, fixed=True)
        checkup = _examined(made, backup)
        found = len(checkup.findings)
        if found and not unsound:
            problems = "1 problem" if found == 1 else f"{found} problems"
            raise StoreDamaged(backup, f"the doctor found {problems} in it; --unsound restores it anyway")
        _finish(made)
        if not os.path.exists(path):
            _remove_side_files(path)
            _put(made, path, replace=False)
            return Restored(checkup, None)
        _replace(made, path, kept)
    return Restored(checkup, kept)


def _replace(made: str, path: str, kept: str) -> None:
    _check_alone(path)
    _keep_log(path, kept)
    try:
        is_usable = _can_be_kept_open(path)
    except BaseException:
        _remove_side_files(kept)  # a refusal leaves nothing behind
        raise
    if is_usable:
        _remove_side_files(kept)
        _overwrite(made, path, kept)
    else:
        _put_aside(path, kept)
        _remove_side_files(path)
        _put(made, path, replace=True)


def _put_aside(path: str, kept: str) -> None:
    """Give a file a second name. It keeps the first one until it is replaced, so there is always a store."""
    try:
        os.link(path, kept)
    except OSError:  # a disk without hard links
        shutil.copy2(path, kept)


def _keep_log(path: str, kept: str) -> None:
    """Copy the log before anything opens the file: SQLite discards the log of a file that it cannot read."""
    if _holds_something(f"{path}-wal"):
        made = os.open(f"{kept}-wal", os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with open(made, "wb") as target, open(f"{path}-wal", "rb") as source:
            shutil.copyfileobj(source, target)


def _can_be_kept_open(path: str) -> bool:
    """Whether SQLite can work in the file. Raises if the file belongs to another program or cannot be reached."""
    try:
        with (
            closing(SqliteConnectionPool(path, "FULL")) as connections,
            connections.thread_connection() as connection,
        ):
            return bool(connection.pragma("integrity_check") == "ok")
    except apsw.CorruptError:
        return False
    except (StoreDamaged, StoreNewer):
        return False
    except NotAStore as fault:
        if fault.__cause__ is None:  # another program's database
            raise
        return False


def _overwrite(made: str, path: str, kept: str) -> None:
    """Write the backup into the store's own file, in one transaction that every open connection sees.

    The first step takes the writers' lock, so the copy kept aside includes every last write.
    """
    old, new = SqliteConnectionPool(path, "FULL"), apsw.Connection(made)
    with (
        closing(old),
        closing(new),
        old.thread_connection() as target,
        target.backup("main", new, "main") as backup,
    ):
        _step(backup, 1)
        with _temporary(kept) as aside:
            _copy_beside(path, aside)
            _put(aside, kept, replace=False)
        _step(backup, -1)


def _step(backup: apsw.Backup, pages: int) -> None:
    try:
        backup.step(pages)
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy(0.0) from error


def _copy_beside(path: str, target: str) -> None:
    with closing(apsw.Connection(path)) as source:
        _copy_pages(source, target, lambda _done, _all: None)


def _copy(path: str, target: str, tell: Tell, *, fixed: bool = False) -> None:
    if fixed:
        with faults.answering(path), closing(read_only_file.opened(path)) as source:
            _copy_pages(source, target, tell)
        return
    with closing(SqliteConnectionPool(path, "FULL")) as connections, connections.thread_connection() as source:
        _copy_pages(source, target, tell)


def _copy_pages(source: apsw.Connection, target: str, tell: Tell) -> None:
    """Copy a consistent state of a database, some pages at a time. Writers can go on."""
    with closing(apsw.Connection(target)) as copied:
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # fixes the state that is copied
            with copied.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_SLICE)
                    tell(backup.page_count - backup.remaining, backup.page_count)
        finally:
            source.execute("ROLLBACK")
        copied.pragma("journal_mode", "delete")


def _examined(made: str, source: str) -> Checkup:
    """The doctor's report on a copy. Raises if SQLite itself finds the copy damaged."""
    try:
        with closing(SqliteStore(made)) as store:
            store.workspaces()  # raises if this is not a store; the doctor would only report it
            checkup = check_store(store)
    except StoreFault as fault:
        raise _about(fault, made, source) from fault
    for finding in checkup.store:
        if finding.code.startswith(_DAMAGED):
            raise StoreDamaged(source, finding.says)
    return checkup


def _about(fault: StoreFault, made: str, source: str) -> StoreFault:
    """The same fault, naming the file that was copied."""
    fault.message = fault.message.replace(made, source)
    fault.args = (fault.message,)
    return fault


def _finish(made: str) -> None:
    """Make it one file without a log, flushed to disk."""
    with closing(apsw.Connection(made)) as connection:
        connection.pragma("journal_mode", "delete")
    descriptor = os.open(made, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_target(path: str, target: str, *, replace: bool) -> None:
    if not os.path.exists(path):
        raise StoreUnreachable(path, "the file does not exist", "Check --store and GATEPOST_STORE.")
    if os.path.isdir(target):
        raise AlreadyExists(f"{target} is a folder.", "Name a file in it.")
    if not os.path.isdir(os.path.dirname(target)):
        raise StoreUnreachable(target, "its folder does not exist", "Create the folder, or choose another file.")
    if os.path.exists(target) and (not replace or os.path.samefile(path, target)):
        raise AlreadyExists(f"{target} already exists.", "Choose another file, or add --force to replace it.")
    if any(_holds_something(target + side) for side in _SIDE_FILES):
        raise AlreadyExists(f"{target} is in use: it has a log next to it.", "Choose another file.")


def _check_backup(backup: str, path: str) -> None:
    if not os.path.exists(backup):
        raise StoreUnreachable(backup, "the file does not exist", "Name a file created by `gatepost backup`.")
    if os.path.isdir(backup):
        raise NotAStore(backup, "it is a folder")
    if os.path.exists(path) and os.path.samefile(backup, path):
        raise AlreadyExists(f"{backup} is the store itself.", "Name a file created by `gatepost backup`.")
    if _holds_something(f"{backup}-wal"):
        raise StoreUnreachable(
            backup,
            "it has a log next to it, so it is a store in use, not a backup",
            f"Back it up first: `gatepost backup FILE --store {backup}`.",
        )


@contextmanager
def _temporary(beside: str) -> Iterator[str]:
    """An empty file next to another one, for its owner only. Removed afterwards with all its side files."""
    path = f"{beside}-{os.urandom(4).hex()}.tmp"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        yield path
    finally:
        for name in (path, *(path + side for side in _SIDE_FILES)):
            if os.path.lexists(name):
                os.unlink(name)


def _put(made: str, target: str, *, replace: bool) -> None:
    """Rename a finished file into place atomically; replace another file only if asked to."""
    if replace:
        os.replace(made, target)
    else:
        try:
            os.link(made, target)
        except FileExistsError:
            raise AlreadyExists(f"{target} already exists.", "Name another file.") from None
        except OSError:  # a disk without hard links
            os.rename(made, target)
    folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove_side_files(path: str) -> None:
    """Remove side files: SQLite would read a leftover log into the next file of that name."""
    for side in _SIDE_FILES:
        if os.path.exists(path + side):
            os.unlink(path + side)


def _check_alone(path: str) -> None:
    """Refuse while another process has the file open: SQLite keeps a lock for that long.

    This process must have no connection to it: closing the descriptor drops its locks.
    """
    if os.path.isdir(path):
        raise NotAStore(path, "it is a folder")
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCKED, _LOCKS)
    except (BlockingIOError, PermissionError):
        raise StoreInUse(path) from None
    finally:
        os.close(descriptor)


def _holds_something(path: str) -> bool:
    return os.path.exists(path) and os.path.getsize(path) > 0
