"""What a directory on disk says when it says no: the system's errors, and what stands in the way, in our words."""

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
def speaking(path: str) -> Iterator[None]:
    """Let what the system refuses below become a refusal that names the path."""
    try:
        yield
    except Refusal:
        # Several refusals are OSErrors too; they have said what there is to say.
        raise
    except FileExistsError as error:
        raise exists(path) from error
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            raise not_empty(path) from error
        raise (link(path) if error.errno == errno.ELOOP else disk(path, error)) from error


def kind_of(mode: int) -> Kind:
    """What a file mode, as `lstat` gives it, is of."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"


def unless_file(path: str, mode: int) -> None:
    """Refuse what is not a plain file."""
    if stat.S_ISREG(mode):
        return
    kind = kind_of(mode)
    if kind == "directory":
        raise not_a_file(path)
    unless_plain(path, kind)


def unless_directory(path: str, mode: int) -> None:
    """Refuse what is not a directory."""
    kind = kind_of(mode)
    if kind == "link":
        raise link(path)
    if kind != "directory":
        raise not_a_directory(path)


def unless_plain(path: str, kind: Kind) -> None:
    """Refuse links, and what is neither file nor directory."""
    if kind == "link":
        raise link(path)
    if kind == "other":
        raise NotText(
            f"`path`: {path} is neither a file nor a directory (a pipe, a socket, a device).",
            "Leave it alone, or delete it.",
        )


def not_a_file(path: str) -> NotAFile:
    """A directory stands where a file is meant."""
    return NotAFile(f"`path`: {path} is a directory, not a file.", "Name a file in it.")


def not_a_directory(path: str) -> NotADirectory:
    """A file stands where a directory is meant."""
    return NotADirectory(f"`path`: {path} is a file, not a directory.", "Name a directory, or another path.")


def link(path: str) -> ForbiddenPath:
    """The one refusal for all that would go through a link or onto one."""
    return ForbiddenPath(
        f"`path`: {path} is a symbolic link, or leads through one; links are not followed.",
        "Name the file itself, by a path without links.",
    )


def exists(path: str) -> AlreadyExists:
    """Something stands where something new should come."""
    return AlreadyExists(
        f"`path`: {path} exists already.", "Choose another path, or delete what is there first.", path=path
    )


def not_empty(path: str) -> NotEmpty:
    """A directory still holds something."""
    return NotEmpty(
        f"`path`: {path} is not empty.", "Delete what is in it first, or all of it with `recursive: true`."
    )


def disk(path: str, error: OSError) -> DiskRefused:
    """The machine's own no, in its own words."""
    words = os.strerror(error.errno) if error.errno else str(error)
    return DiskRefused(
        f"`path`: {path}: the system refused: {words}.",
        "Nothing was changed. See to the disk or its permissions, or take another path.",
        errno=error.errno,
    )
