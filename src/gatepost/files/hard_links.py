"""Second names of closed files: a hard link to a file of a package is as closed as the package."""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from gatepost.files import guard, no_follow, protected

_CLOCK_STEP: Final = 50_000_000
"""Nanoseconds by which the time that a disk notes may lag behind the clock."""

Identity = tuple[int, int]


class HardLinks:
    """Knows the closed files below a root that have further names.

    Only a file with several names makes it look through the root. A new link changes the time of a file's last
    change of status, so one look serves all files that have not changed since. A name outside the root is not seen.
    """

    def __init__(self, opened_root: Callable[[], int]) -> None:
        """`opened_root` opens the root; the one who asks closes it."""
        self._opened_root = opened_root
        self._seen: tuple[int, frozenset[Identity]] = (0, frozenset())

    def judge(self, info: os.stat_result, path: str) -> None:
        """Refuse an open file that is part of something closed; `info` is what it says of itself."""
        if self._is_closed(info):
            raise guard.forbidden(path)

    def judge_name(self, directory: int, name: str, path: str) -> None:
        """The same by a name in a directory; what is no file is passed over."""
        if self.knows(directory, name):
            raise guard.forbidden(path)

    def knows(self, directory: int, name: str) -> bool:
        """Whether a name in a directory is one more for a file that is part of something closed."""
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            return stat.S_ISREG(found.st_mode) and self._is_closed(found)
        return False

    def _is_closed(self, info: os.stat_result) -> bool:
        if info.st_nlink < 2:
            return False
        looked, closed = self._seen
        if info.st_ctime_ns >= looked - _CLOCK_STEP:
            begun = time.time_ns()
            with no_follow.closing(self._opened_root()) as root:
                closed = _closed_files(root)
            self._seen = begun, closed
        return (info.st_dev, info.st_ino) in closed


def _closed_files(root: int) -> frozenset[Identity]:
    """The files with several names in everything closed below a directory."""
    found = set[Identity]()

    def visit(directory: int, _: no_follow.Path, closed: bool) -> Iterator[tuple[str, bool]]:  # noqa: FBT001 - the walk's way
        closed = closed or protected.is_package(directory)
        with os.scandir(directory) as entries:
            for entry in entries:
                inside = closed or guard.closed(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name, inside
                elif inside and (info := entry.stat(follow_symlinks=False)).st_nlink > 1:
                    found.add((info.st_dev, info.st_ino))

    no_follow.walk(root, False, visit)  # noqa: FBT003 - the state of a walk: whether it is in something closed
    return frozenset(found)
