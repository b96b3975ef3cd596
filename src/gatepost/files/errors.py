"""Turns the errors of the disk into refusals that name the path and the next step."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from gatepost.domain.refusals import (
    AlreadyExists,
    DiskRefused,
    ForbiddenPath,
    NotADirectory,
    NotAFile,
    NotEmpty,
    NotText,
    Refusal,
)
from gatepost.files.protocol import Kind


@contextmanager
def refusals_for(path: str) -> Iterator[None]:
    """Raise errors of the system inside the block as refusals that name the path."""
    try:
        yield
    except Refusal:
        # Several refusals are OSErrors too; they are complete already.
        raise
    except FileExistsError as error:
        raise exists(path) from error
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            raise not_empty(path) from error
        raise (link(path) if error.errno == errno.ELOOP else disk(path, error)) from error


def kind_of(mode: int) -> Kind:
    """The kind of entry that a file mode from `lstat` describes."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"


def unless_file(path: str, mode: int) -> None:
    """Refuse anything but a regular file."""
    if stat.S_ISREG(mode):
        return
    kind = kind_of(mode)
    if kind == "directory":
        raise not_a_file(path)
    unless_plain(path, kind)


def unless_directory(path: str, mode: int) -> None:
    """Refuse anything but a directory."""
    kind = kind_of(mode)
    if kind == "link":
        raise link(path)
    if kind != "directory":
        raise not_a_directory(path)


def unless_plain(path: str, kind: Kind) -> None:
    """Refuse links, and anything that is neither a file nor a directory."""
    if kind == "link":
        raise link(path)
    if kind == "other":
        raise NotText(
            f"`path`: {path} is neither a file nor a directory (a pipe, a socket, a device).",
            "Delete it, or use another path.",
        )


def not_a_file(path: str) -> NotAFile:
    """Refusal: the path is a directory, and the call needs a file."""
    return NotAFile(f"`path`: {path} is a directory, not a file.", "Choose a file in it.")


def not_a_directory(path: str) -> NotADirectory:
    """Refusal: the path is a file, and the call needs a directory."""
    return NotADirectory(f"`path`: {path} is a file, not a directory.", "Choose a directory, or another path.")


def link(path: str) -> ForbiddenPath:
    """Refusal: the path is a link or leads through one."""
    return ForbiddenPath(
        f"`path`: {path} is a symbolic link, or leads through one; links are not followed.",
        "Use a path without links.",
    )


def exists(path: str) -> AlreadyExists:
    """Refusal: the path is already in use."""
    return AlreadyExists(
        f"`path`: {path} already exists.", "Choose another path, or delete the existing file first.", path=path
    )


def not_empty(path: str) -> NotEmpty:
    """Refusal: the directory is not empty."""
    return NotEmpty(
        f"`path`: {path} is not empty.", "Delete its contents first, or delete everything with `recursive: true`."
    )


def disk(path: str, error: OSError) -> DiskRefused:
    """Refusal: the system reported an error."""
    words = os.strerror(error.errno) if error.errno else str(error)
    return DiskRefused(
        f"`path`: {path}: {words}.",
        "Nothing was changed. Check the disk and its permissions, or use another path.",
        errno=error.errno,
    )
