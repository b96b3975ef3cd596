"""Backups of a store that others go on writing to, and putting one back.

Copying the file by other means loses what is still in the log beside it. A backup is one file, of one moment.
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
from gatepost.storage.sqlite.connection_pool import ConnectionPool
from gatepost.storage.sqlite.store import SqliteStore

_SLICE: Final = 1_000
"""Pages copied between two words of progress."""
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")
_DAMAGED: Final = "DAMAGED"
_LOCKS, _LOCKED = 0x40000000, 512
"""Where SQLite keeps its locks on a file, and how many bytes that is."""

Tell = Callable[[int, int], None]
"""Hears how many pages of how many are copied."""


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
    """What is in place now, and where the store that was there before is kept, if there was one."""

    checkup: Checkup
    kept: str | None


def back_up(path: str, target: str, tell: Tell, *, replace: bool = False) -> Checkup:
    """Copy the store as it is now into a file of its own, check the copy, and only then put it in place."""
    _check_target(path, target, replace=replace)
    with faults.answering(target), _temporary(target) as made:
        _copy(path, made, tell)
        checkup = _examined(made, path)
        _finish(made)
        _put(made, target, replace=replace)
    return checkup


def restore(backup: str, path: str, kept: str, tell: Tell, *, replace: bool, unsound: bool) -> Restored:
    """Put a backup in place of the store, after checking it. A store that was there is kept under another name."""
    _check_backup(backup, path)
    if os.path.exists(path) and not replace:
        raise AlreadyExists(
            f"There is a store at {path}.",
            "Add --replace to put the backup in its place; the store that is there now is kept beside it.",
        )
    with faults.answering(path), _temporary(path) as made:
        _copy(backup, made, tell, fixed=True)
        checkup = _examined(made, backup)
        found = len(checkup.findings)
        if found and not unsound:
            problems = "1 problem" if found == 1 else f"{found} problems"
            raise StoreDamaged(backup, f"the doctor found {problems} in it; --unsound restores it all the same")
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
        _remove_side_files(kept)  # what is refused leaves nothing
        raise
    if is_usable:
        _remove_side_files(kept)
        _overwrite(made, path, kept)
    else:
        _put_aside(path, kept)
        _remove_side_files(path)
        _put(made, path, replace=True)


def _put_aside(path: str, kept: str) -> None:
    """Give a file a second name. It keeps the first until another takes its place: no moment is without a store."""
    try:
        os.link(path, kept)
    except OSError:  # a disk without links
        shutil.copy2(path, kept)


def _keep_log(path: str, kept: str) -> None:
    """Copy the log before anything opens the file: SQLite throws away the log of a file that it cannot read."""
    if _holds_something(f"{path}-wal"):
        made = os.open(f"{kept}-wal", os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with open(made, "wb") as target, open(f"{path}-wal", "rb") as source:
            shutil.copyfileobj(source, target)


def _can_be_kept_open(path: str) -> bool:
    """Whether SQLite can work in the file. What is not ours, or out of reach, is no file to replace."""
    try:
        with closing(ConnectionPool(path, "FULL")) as connections, connections.line() as connection:
            return bool(connection.pragma("integrity_check") == "ok")
    except apsw.CorruptError:
        return False
    except (StoreDamaged, StoreNewer):
        return False
    except NotAStore as fault:
        if fault.__cause__ is None:  # a database of another program's
            raise
        return False


def _overwrite(made: str, path: str, kept: str) -> None:
    """Write the backup into the store's own file, as one transaction that every open connection sees.

    The first step takes the writers' lock: what is then copied to the side is the last that anybody wrote.
    """
    old, new = ConnectionPool(path, "FULL"), apsw.Connection(made)
    with closing(old), closing(new), old.line() as target, target.backup("main", new, "main") as backup:
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
    with closing(ConnectionPool(path, "FULL")) as connections, connections.line() as source:
        _copy_pages(source, target, tell)


def _copy_pages(source: apsw.Connection, target: str, tell: Tell) -> None:
    """Copy one moment of a database, some pages at a time. Writers go on meanwhile."""
    with closing(apsw.Connection(target)) as copied:
        source.execute("BEGIN")
        try:
            source.execute("SELECT count(*) FROM sqlite_schema").fetchall()  # from here on the moment is fixed
            with copied.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_SLICE)
                    tell(backup.page_count - backup.remaining, backup.page_count)
        finally:
            source.execute("ROLLBACK")
        copied.pragma("journal_mode", "delete")


def _examined(made: str, source: str) -> Checkup:
    """What the doctor says of a copy. One that SQLite itself finds damaged is none."""
    try:
        with closing(SqliteStore(made)) as store:
            store.workspaces()  # refused if it is no store of ours; the doctor would only say so
            checkup = check_store(store)
    except StoreFault as fault:
        raise _about(fault, made, source) from fault
    for finding in checkup.store:
        if finding.code.startswith(_DAMAGED):
            raise StoreDamaged(source, finding.says)
    return checkup


def _about(fault: StoreFault, made: str, source: str) -> StoreFault:
    """The same fault, told of the file that the copy is of."""
    fault.message = fault.message.replace(made, source)
    fault.args = (fault.message,)
    return fault


def _finish(made: str) -> None:
    """Leave one file that needs no log beside it, on the disk."""
    with closing(apsw.Connection(made)) as connection:
        connection.pragma("journal_mode", "delete")
    descriptor = os.open(made, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_target(path: str, target: str, *, replace: bool) -> None:
    if not os.path.exists(path):
        raise StoreUnreachable(path, "there is no such file", "Check --store and GATEPOST_STORE.")
    if os.path.isdir(target):
        raise AlreadyExists(f"{target} is a folder.", "Name a file in it.")
    if not os.path.isdir(os.path.dirname(target)):
        raise StoreUnreachable(target, "its folder does not exist", "Make the folder, or name another file.")
    if os.path.exists(target) and (not replace or os.path.samefile(path, target)):
        raise AlreadyExists(f"{target} exists already.", "Name another file, or add --force to replace it.")
    if any(_holds_something(target + side) for side in _SIDE_FILES):
        raise AlreadyExists(f"{target} is in use: there is a log beside it.", "Name another file.")


def _check_backup(backup: str, path: str) -> None:
    if not os.path.exists(backup):
        raise StoreUnreachable(backup, "there is no such file", "Name a file that `gatepost backup` made.")
    if os.path.isdir(backup):
        raise NotAStore(backup, "it is a folder")
    if os.path.exists(path) and os.path.samefile(backup, path):
        raise AlreadyExists(f"{backup} is the store itself.", "Name a file that `gatepost backup` made.")
    if _holds_something(f"{backup}-wal"):
        raise StoreUnreachable(
            backup,
            "there is a log beside it, so it is a store in use and no backup",
            f"Make a backup of it first: `gatepost backup FILE --store {backup}`.",
        )


@contextmanager
def _temporary(beside: str) -> Iterator[str]:
    """An empty file for its owner alone, beside another; gone afterwards with all that SQLite put beside it."""
    path = f"{beside}-{os.urandom(4).hex()}.tmp"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    try:
        yield path
    finally:
        for name in (path, *(path + side for side in _SIDE_FILES)):
            if os.path.lexists(name):
                os.unlink(name)


def _put(made: str, target: str, *, replace: bool) -> None:
    """Give a finished file its name, at once; never over another unless that is wanted."""
    if replace:
        os.replace(made, target)
    else:
        try:
            os.link(made, target)
        except FileExistsError:
            raise AlreadyExists(f"{target} exists already.", "Name another file.") from None
        except OSError:  # a disk without links
            os.rename(made, target)
    folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove_side_files(path: str) -> None:
    """A log that was left without its file would be read into the next one."""
    for side in _SIDE_FILES:
        if os.path.exists(path + side):
            os.unlink(path + side)


def _check_alone(path: str) -> None:
    """Refuse while another process has the file open: SQLite keeps a lock for as long as it has.

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
