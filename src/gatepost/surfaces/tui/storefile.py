"""Whether a store's file is still the one that was opened. SQLite goes on in a file that was moved or deleted, and
nobody else would ever see what is written there."""

import os
from typing import Any, Final, NamedTuple

from gatepost.surfaces.tui.source import Refused

_IN_MEMORY: Final = ":memory:"
_CODE: Final = "STORE_MOVED"

Name = tuple[int, int]


class Trouble(NamedTuple):
    """What is wrong with a file: in a few words for the top line, and as a refusal for whoever asks.

    `another` says that there is another store in its place, which can be opened.
    """

    brief: str
    message: str
    recovery: str
    another: bool = False

    def refusal(self) -> Refused:
        """For whoever asks meanwhile."""
        return Refused(_CODE, self.message, self.recovery)


class StoreFile:
    """The file of a store as `describe` names it. It is known by its inode, which costs little to look at."""

    def __init__(self, described: dict[str, Any]) -> None:
        path = described.get("path")
        self._path: Final[str | None] = None if path == _IN_MEMORY else path
        self._file: Name | None = None
        self._log: Name | None = None
        self.look()

    def look(self) -> Trouble | None:
        """What is wrong, if anything. A store that was not there yet may come to be."""
        path = self._path
        if path is None:
            return None
        found, log = _name(path), _name(f"{path}-wal", filled=True)
        if self._file is None:
            self._file = found
        if found == self._file:
            self._log = log
            return None
        if found is None:
            return Trouble(
                "its file is gone: put it back",
                f"The store was moved or deleted: there is no {path}.",
                "Put it back; or leave with q, and start again with --store and where it is now.",
            )
        if log is not None and log == self._log:
            # To open them together would write the old store's pages into the new one.
            name = os.path.basename(path)
            return Trouble(
                "replaced beside an old -wal: press q",
                f"{name} was replaced, but {name}-wal is still the old one's: together they would be damaged.",
                f"Leave with q, and move {name}-wal and {name}-shm away before anybody opens {path}.",
            )
        return Trouble(
            "its file was replaced: reading it",
            f"{path} was replaced by another store.",
            "Look at what that one has; it is shown in a moment.",
            another=True,
        )

    def take(self) -> None:
        """Go by the file that is there now."""
        self._file = None
        self.look()


def _name(path: str, *, filled: bool = False) -> Name | None:
    """What a file is known by, whatever it is called; nothing where there is none, or an empty one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_size or not filled else None
