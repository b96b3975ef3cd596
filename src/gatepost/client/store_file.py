"""Whether a store's file is still the one that was opened. SQLite keeps using a file that was moved or deleted, and
nobody else would see what is written there."""

from __future__ import annotations

import os

from gatepost.domain.refusals import StoreFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Identity = tuple[int, int]

_IN_MEMORY = ":memory:"


class StoreMoved(StoreFault):
    """The store's file was moved, deleted or replaced while it was in use.

    `brief` is the message in a few words. `another`: a different store is at its path now, and can be opened.
    """

    code = "STORE_MOVED"

    def __init__(self, brief: str, message: str, recovery: str, *, another: bool = False) -> None:
        super().__init__(message, recovery)
        self.brief = brief
        self.another = another


def another_log(place: str, seq: int) -> StoreMoved:
    """Raised where a log no longer has an event that was read from it."""
    return StoreMoved(
        "the log was replaced",
        f"{place} has another log now: its event {seq} is not the one that was received.",
        "Discard what you have read, and follow again from the start.",
        another=True,
    )


class StoreFile:
    """A store's file, recognised by its inode: a look costs two system calls."""

    def __init__(self, described: dict[str, Any]) -> None:
        path = described.get("path")
        self._path: str | None = None if path == _IN_MEMORY else path
        self._file: Identity | None = None
        self._log: Identity | None = None
        self.look()

    def look(self) -> StoreMoved | None:
        """What is wrong, if anything. A store that does not exist yet may still be created."""
        path = self._path
        if path is None:
            return None
        found, log = _identity(path), _identity(f"{path}-wal", filled=True)
        if self._file is None:
            self._file = found
        if found == self._file:
            self._log = log
            return None
        if found is None:
            return StoreMoved(
                "its file was removed: put it back",
                f"The store was moved or deleted: there is no {path}.",
                "Put it back, or start again with --store and the path where it is now.",
            )
        if log is not None and log == self._log:
            # Opening them together would write the old store's pages into the new one.
            name = os.path.basename(path)
            return StoreMoved(
                "replaced beside an old -wal: stop",
                f"{name} was replaced, but {name}-wal still belongs to the old store; together they would be"
                " damaged.",
                f"Stop, and move {name}-wal and {name}-shm away before anyone opens {path}.",
            )
        return StoreMoved(
            "its file was replaced: reading it",
            f"{path} was replaced by another store.",
            "Read what the new store holds before you change anything in it.",
            another=True,
        )

    def accept(self) -> None:
        """Use the file that is there now."""
        self._file = None
        self.look()


def _identity(path: str, *, filled: bool = False) -> Identity | None:
    """A file's device and inode; nothing where there is none, or with `filled` an empty one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size or not filled else None
