"""Opens, reads and walks directories without following symbolic links.

Directories are opened name by name, each by its descriptor, so a link swapped in on the way leads nowhere. A pipe
or device in the place of a file does not block the reader.
"""

import errno
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final, TypeVar

DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""For an existing file, together with an access mode."""
NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

DEEPEST: Final = 1_000
"""How deep a walk goes: each directory is opened from the root, so the cost grows with the depth."""

Path = tuple[str, ...]
T = TypeVar("T")


class NotRegular(OSError):
    """Not a regular file: a link (`ELOOP`), a directory, a pipe or a device."""


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """The same descriptor, closed at the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def open_directory(above: int, name: str) -> int:
    """A directory by its name in another one."""
    return os.open(name, DIRECTORY, dir_fd=above)


def directory(root: int, path: Sequence[str]) -> int:
    """A directory below another one, for the caller to close."""
    found = open_directory(root, ".")
    for name in path:
        with closing(found):
            found = open_directory(found, name)
    return found


def look(above: int, name: str) -> os.stat_result | None:
    """The entry with a name in a directory, or None."""
    try:
        return os.stat(name, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        return None


def read(above: int | None, name: str, limit: int) -> bytes:
    """At most `limit` bytes of a regular file. Raises OSError, which is `NotRegular` for anything else."""
    with opened(above, name) as file:
        return file.read(limit)


@contextmanager
def opened(above: int | None, name: str) -> Iterator[BinaryIO]:
    """A regular file, open inside the block. Raises OSError, which is `NotRegular` for anything else."""
    try:
        descriptor = os.open(name, os.O_RDONLY | FILE, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise NotRegular(error.errno, error.strerror, name) from error
        raise
    with closing(descriptor), open(descriptor, "rb", closefd=False) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegular(errno.EINVAL, os.strerror(errno.EINVAL), name)
        yield file


def walk(root: int, state: T, visit: Callable[[int, Path, T], Iterable[tuple[str, T]]]) -> None:
    """Visit an open directory and those below it, upper levels first. Skips what cannot be opened or read.

    `visit` gets each directory with its path and a state, and returns the names to go on with, each with its state.
    """
    waiting = deque[tuple[Path, T]]([((), state)])
    while waiting:
        path, held = waiting.popleft()
        with suppress(OSError), closing(directory(root, path)) as found:
            below = [((*path, name), given) for name, given in visit(found, path, held)]
            waiting.extend(below if len(path) < DEEPEST else ())
