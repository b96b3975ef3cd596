"""Finds hard links to closed files: they are as closed as the package itself."""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from gatepost.domain.protected_names import closed
from gatepost.files import guard, no_follow, protected

_CLOCK_STEP: Final = 50_000_000
"""Nanoseconds by which the time on disk may lag behind the clock."""

Identity = tuple[int, int]


class HardLinks:
    """The closed files below a root that have several names.

    Walks the root only when asked about a file with several names. A new link changes the file's ctime, so one walk
    serves all files that have not changed since. Packages outside the root are not seen.
    """

    def __init__(self, opened_root: Callable[[], int]) -> None:
        """`opened_root` opens the root for a walk."""
        self._opened_root = opened_root
        self._seen: tuple[int, frozenset[Identity]] = (0, frozenset())

    def judge(self, info: os.stat_result, path: str) -> None:
        """Refuse an open file with this status if it is part of something closed."""
        if self._is_closed(info):
            raise guard.forbidden(path)

    def judge_name(self, directory: int, name: str, path: str) -> None:
        """The same by a name in a directory. Ignores anything but regular files."""
        if self.knows(directory, name):
            raise guard.forbidden(path)

    def knows(self, directory: int, name: str) -> bool:
        """Whether a name in a directory is a hard link to a file in something closed."""
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            return stat.S_ISREG(found.st_mode) and self._is_closed(found)
        return False

    def _is_closed(self, info: os.stat_result) -> bool:
        if info.st_nlink < 2:
            return False
        looked, files = self._seen
        if info.st_ctime_ns >= looked - _CLOCK_STEP:
            begun = time.time_ns()
            with no_follow.closing(self._opened_root()) as root:
                files = _closed_files(root)
            self._seen = begun, files
        return (info.st_dev, info.st_ino) in files


def _closed_files(root: int) -> frozenset[Identity]:
    """The files with several names in everything closed below a directory."""
    found = set[Identity]()

    def visit(directory: int, _: no_follow.Path, within: bool) -> Iterator[tuple[str, bool]]:  # noqa: FBT001 - the walk's way
        within = within or protected.is_package(directory)
        with os.scandir(directory) as entries:
            for entry in entries:
                inside = within or closed(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name, inside
                elif inside and (info := entry.stat(follow_symlinks=False)).st_nlink > 1:
                    found.add((info.st_dev, info.st_ino))

    no_follow.walk(root, False, visit)  # noqa: FBT003 - the state of a walk: whether it is in something closed
    return frozenset(found)
