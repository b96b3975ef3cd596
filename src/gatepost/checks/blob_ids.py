"""The id of a file's content, as git computes it, from the bytes on disk."""

import hashlib
import os
import stat
import time
from typing import Final

from gatepost.checks.git_files import Unknown
from gatepost.files import no_follow
from gatepost.files.paths import shown

_PART: Final = 2**20
SETTLED_NS: Final = 2 * 10**9
"""A file that changed this recently may change again without a new time: some disks count in seconds."""
_MOST_KNOWN: Final = 50_000


class BlobIds:
    """Reads the files below a folder, and remembers the ids of those whose times, size and inode stay the same."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._known: dict[tuple[str, str], tuple[tuple[int, ...], str]] = {}

    def of(self, path: str, seen: os.stat_result, algorithm: str) -> str | None:
        """The id of a file or link that was seen just now. None if it has gone meanwhile."""
        # Nobody can set a file's ctime, so an edit that puts the old mtime back is noticed too.
        signature = (seen.st_ctime_ns, seen.st_mtime_ns, seen.st_size, seen.st_ino, seen.st_dev, seen.st_mode)
        held = self._known.get((path, algorithm))
        if held is not None and held[0] == signature:
            return held[1]
        settled = time.time_ns() - max(seen.st_ctime_ns, seen.st_mtime_ns) > SETTLED_NS
        file = os.path.join(self._root, path)
        try:
            found = _of_link(file, algorithm) if stat.S_ISLNK(seen.st_mode) else _of_file(file, algorithm)
        except (FileNotFoundError, NotADirectoryError, no_follow.NotRegular):
            return None
        except OSError as error:
            raise Unknown(f"{shown((path,))} cannot be read: {error.strerror}.") from error
        if found is None:
            raise Unknown(f"{shown((path,))} changes while it is read.")
        if settled:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[path, algorithm] = signature, found
        return found


def _of_link(file: str, algorithm: str) -> str:
    target = os.fsencode(os.readlink(file))
    return hashlib.new(algorithm, b"blob %d\0%b" % (len(target), target)).hexdigest()


def _of_file(file: str, algorithm: str) -> str | None:
    """None if the size changes while it is read: git's ids begin with it."""
    with no_follow.opened(None, file) as opened:
        left = os.fstat(opened.fileno()).st_size
        digest = hashlib.new(algorithm, b"blob %d\0" % left)
        while left >= 0 and (part := opened.read(_PART)):
            digest.update(part)
            left -= len(part)
    return None if left else digest.hexdigest()
