"""Files that are part of something closed and have a name outside of it too: hard links, and mounted files."""

import os
import stat
from collections.abc import Iterator
from typing import Final

from gatepost.files import guard, identity, mounts
from gatepost.files.descent import Descent, closing, look, opened
from gatepost.files.paths import ROOT

MAX_ENTRIES: Final = 200_000
"""How much below a root is looked through for the other names of a file."""

_MAX_HEIGHT: Final = 200

Identity = tuple[int, int]


class Kin:
    """Tells for one call whether a file is closed by what it is. It looks around once, and only when it must.

    Only a file with several names makes it look through the root. A name outside the root is not seen from here.
    """

    def __init__(self, descent: Descent) -> None:
        self._descent = descent
        self._known: frozenset[Identity] | None = None
        self.lost = False
        """Whether there was too much to look through: of files with several names nothing can be told."""

    def judge(self, descriptor: int, info: os.stat_result, path: str) -> None:
        """Refuse an open file that is part of something closed; `info` is what it says of itself."""
        if self._descent.is_foreign(mounts.mount_of(descriptor)) or self._has_closed_name(info, path):
            raise guard.forbidden(path)

    def judge_name(self, directory: int, name: str, path: str) -> None:
        """The same by a name in a directory; what is no file is passed over."""
        if self.knows(directory, name, path):
            raise guard.forbidden(path)

    def knows(self, directory: int, name: str, path: str) -> bool:
        """Whether a name in a directory is one more for a file that is part of something closed."""
        found = look(directory, name)
        if found is None or not stat.S_ISREG(found.st_mode):
            return False
        return self._descent.is_foreign(mounts.mount_of(directory, name)) or self._has_closed_name(found, path)

    def _has_closed_name(self, info: os.stat_result, path: str) -> bool:
        if info.st_nlink < 2:
            return False
        if self._known is None and not self.lost:
            try:
                self._known = frozenset(self._closed_files())
            except _TooMuch:
                self.lost = True
        if self._known is None:
            raise guard.untold(path)
        return (info.st_dev, info.st_ino) in self._known

    def _closed_files(self) -> Iterator[Identity]:
        """The files in all that is closed below the root, so far as they have further names."""
        left = MAX_ENTRIES
        with self._descent.directory(ROOT) as top:
            for info in _looked_through(top, _MAX_HEIGHT, closed=False):
                left -= 1
                if not left:
                    raise _TooMuch
                if info is not None and info.st_nlink > 1:
                    yield info.st_dev, info.st_ino


class _TooMuch(Exception):
    """More than can be looked through."""


def _looked_through(directory: int, height: int, *, closed: bool) -> Iterator[os.stat_result | None]:
    """Everything below a directory: what a file is, where it is in something closed; else only that it is there."""
    if not height:
        raise _TooMuch
    with os.scandir(directory) as entries:
        for entry in entries:
            inside = closed or guard.closed(entry.name)
            if entry.is_dir(follow_symlinks=False):
                yield None
                yield from _entered(directory, entry.name, height, closed=inside)
            else:
                yield look(directory, entry.name) if inside else None


def _entered(directory: int, name: str, height: int, *, closed: bool) -> Iterator[os.stat_result | None]:
    try:
        below = opened(directory, name)
    except OSError:
        # Gone, or not ours to look into: then nobody reads it through us either.
        return
    with closing(below):
        yield from _looked_through(below, height - 1, closed=closed or identity.is_package(below))
