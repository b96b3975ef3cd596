"""Opening what lies below a directory, segment by segment, so that no link leads out of it."""

import errno
import os
import stat
from collections.abc import Sequence
from typing import Final

from gatepost.domain.refusals import InvalidInput

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe or a device put in a file's place must not make the reader wait.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegular(OSError):
    """Something else than a file stands there."""


def open_root(root: str) -> int:
    """A descriptor of the directory the caller named; that one may be a link."""
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise InvalidInput([("root", f"{ascii(root)[:200]} is no directory that can be read")]) from error


def open_directory(root: int, path: Sequence[str]) -> int:
    """A descriptor of a directory below another. Raises OSError where a link stands in the way."""
    descriptor = os.dup(root) if not path else os.open(path[0], _DIRECTORY, dir_fd=root)
    for name in path[1:]:
        try:
            below = os.open(name, _DIRECTORY, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


def read(root: int, path: Sequence[str], limit: int) -> bytes:
    """At most `limit` bytes of a regular file below a directory. Raises OSError, `NotRegular` for a link too."""
    folder = open_directory(root, path[:-1])
    try:
        descriptor = os.open(path[-1], _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise NotRegular(path[-1]) from error
        raise
    finally:
        os.close(folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegular(path[-1])
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)
