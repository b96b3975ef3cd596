"""Copies, moves and deletes whole trees on disk, all or nothing."""

import os
import stat
from collections import deque
from collections.abc import Iterator
from typing import Final

from gatepost.domain.refusals import DiskRefused, InvalidInput, TooLarge
from gatepost.files import disk_reads, errors, guard, temporary_names
from gatepost.files.atomic_writes import rename_new
from gatepost.files.no_follow import NEW_FILE, closing, look, open_directory
from gatepost.files.paths import under
from gatepost.files.root_directory import RootDirectory, found_in

MAX_HEIGHT: Final = 200
"""The depth limit for deletes and snapshots: each level holds a descriptor open."""

MAX_COPY: Final = 64 * 2**20
"""The most bytes to copy, the same as for a snapshot."""

# For a file whose identity is all that matters; systems without O_PATH open it for reading.
_ONLY_HELD: Final = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC

_PART: Final = 2**20


def copy(root: RootDirectory, source: tuple[int, str], target: tuple[int, str], path: str) -> None:
    """Copy a file or tree, all at once. Raises FileExistsError if the target exists.

    Refuses a tree with links or special files, which a copy could not contain, and one of more than `MAX_COPY`
    bytes, before anything is written.
    """
    directory, name = target
    if _size(root, source, path) > MAX_COPY:
        raise _too_much(path)
    aside = temporary_names.fresh()
    try:
        _copy(root, source, (directory, aside), path)
        rename_new(directory, aside, directory, name)
    except BaseException:
        discard(root, directory, aside)
        raise
    os.fsync(directory)


def move(root: RootDirectory, source: tuple[int, str], target: tuple[int, str], path: str) -> None:
    """Move a file or tree. Raises FileExistsError if the target exists.

    A rename works by name, and something closed may have taken the name since the check. So the source is held
    open, renamed to a secret name where nobody can replace it again, and compared there.
    """
    aside = temporary_names.fresh()
    with closing(_held(root, source, path)) as held:
        os.rename(source[1], aside, src_dir_fd=source[0], dst_dir_fd=source[0])
        try:
            _unless_exchanged(held, (source[0], aside), path)
            rename_new(source[0], aside, *target)
        except BaseException:
            rename_new(source[0], aside, *source)
            raise
        try:
            if stat.S_ISDIR(os.fstat(held).st_mode):
                deque(_below(root, held, path), maxlen=0)
        except BaseException:
            _unless_exchanged(held, target, path)
            rename_new(*target, *source)
            raise
    os.fsync(target[0])
    os.fsync(source[0])


def remove(root: RootDirectory, directory: int, name: str, path: str) -> None:
    """Delete a tree: rename it away at once, then remove it bit by bit. Links in it are removed, not followed.

    First looks for anything that would stop this halfway (something closed, a read-only directory, another disk),
    and again after the rename, when nobody can reach the tree by name. Then the tree is put back.
    """
    with closing(root.enter(directory, name, path)) as top:
        _unless_stuck(root, top, path)
    aside = temporary_names.fresh()
    os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
    try:
        with closing(open_directory(directory, aside)) as top:
            root.judge_opened(top, path)
            _unless_stuck(root, top, path)
    except BaseException:
        rename_new(directory, aside, directory, name)
        raise
    try:
        discard(root, directory, aside)
    except OSError as error:
        words = os.strerror(error.errno) if error.errno else str(error)
        raise DiskRefused(
            f"`path`: {path} was deleted, but a part of it is still on disk as {aside}: {words}.",
            "Remove that manually.",
        ) from error
    os.fsync(directory)


def discard(root: RootDirectory, directory: int, aside: str) -> None:
    """Remove a temporary entry, if it exists."""
    try:
        top = open_directory(directory, aside)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        os.unlink(aside, dir_fd=directory)
        return
    with closing(top):
        # A killed process may have left anything here.
        root.judge_opened(top, aside)
        _empty(root, top, aside)
    os.rmdir(aside, dir_fd=directory)


def discard_leftovers(root: RootDirectory, directory: int) -> None:
    """Remove temporary entries that killed processes left in a directory."""
    for name in os.listdir(directory):
        if temporary_names.is_scratch(name):
            discard(root, directory, name)


def _copy(root: RootDirectory, source: tuple[int, str], target: tuple[int, str], path: str) -> None:
    kind = errors.kind_of(os.stat(source[1], dir_fd=source[0], follow_symlinks=False).st_mode)
    errors.unless_plain(path, kind)
    if kind == "file":
        _copy_file(root, source, target, path)
        return
    with closing(root.enter(*source, path)) as old:
        os.mkdir(target[1], 0o700, dir_fd=target[0])
        with closing(open_directory(*target)) as new:
            for name, _ in found_in(old):
                root.judge(name, under(path, name))
                _copy(root, (old, name), (new, name), under(path, name))
            os.fchmod(new, stat.S_IMODE(os.fstat(old).st_mode) & 0o777)
            os.fsync(new)


def _copy_file(root: RootDirectory, source: tuple[int, str], target: tuple[int, str], path: str) -> None:
    with closing(disk_reads.opened_file(root.hard_links, *source, path)) as old:
        info = os.fstat(old)
        # It may still be growing.
        left = info.st_size
        if left > MAX_COPY:
            raise _too_much(path)
        with closing(os.open(target[1], NEW_FILE, stat.S_IMODE(info.st_mode) & 0o777, dir_fd=target[0])) as new:
            with open(old, "rb", closefd=False) as reading, open(new, "wb", closefd=False) as writing:
                while part := reading.read(min(left, _PART)):
                    left -= len(part)
                    writing.write(part)
            os.fsync(new)


def _size(root: RootDirectory, source: tuple[int, str], path: str) -> int:
    """The size of a file, or of all files below a directory."""
    found = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode):
        return found.st_size
    with closing(root.enter(*source, path)) as directory:
        below = _below(root, directory, path)
        return sum(info.st_size for _, _, info in below if not stat.S_ISDIR(info.st_mode))


def _too_much(path: str) -> TooLarge:
    return TooLarge(
        f"`source`: {path} has more than {MAX_COPY:,} bytes, the limit for copies.",
        "Copy a smaller part, or move it instead.",
    )


def _held(root: RootDirectory, source: tuple[int, str], path: str) -> int:
    found = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode):
        return root.enter(*source, path)
    return os.open(source[1], _ONLY_HELD, dir_fd=source[0])


def _unless_exchanged(held: int, there: tuple[int, str], path: str) -> None:
    found = look(*there)
    if found is None or not os.path.samestat(os.fstat(held), found):
        raise DiskRefused(
            f"`path`: {path} was replaced by something else during the move.",
            "Nothing was changed. Check the path, then try again.",
        )


def _below(
    root: RootDirectory, directory: int, path: str, height: int = 0
) -> Iterator[tuple[int, str, os.stat_result]]:
    """Everything in a tree: its directory, path and status. Refuses a tree that contains something closed."""
    if height > MAX_HEIGHT:
        raise InvalidInput([("path", f"{path} is more than {MAX_HEIGHT} directories deep")])
    for name, info in found_in(directory):
        inner = under(path, name)
        if guard.kept(name):
            raise guard.holding(path, inner)
        yield directory, inner, info
        if stat.S_ISDIR(info.st_mode):
            with closing(root.enter(directory, name, inner)) as entered:
                yield from _below(root, entered, inner, height + 1)


def _unless_stuck(root: RootDirectory, top: int, path: str) -> None:
    """Refuse a tree that cannot be deleted completely."""
    device = os.fstat(top).st_dev
    for directory, inner, info in _below(root, top, path):
        if not _writable(directory):
            raise DiskRefused(
                f"`path`: {inner.rpartition('/')[0]} is not empty and not writable.",
                "Change its permissions, or keep it.",
            )
        if info.st_dev != device:
            raise DiskRefused(f"`path`: {inner} is on another disk.", "Delete the rest, or keep it.")


def _writable(directory: int) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(".", os.W_OK | os.X_OK, dir_fd=directory, effective_ids=effective)


def _empty(root: RootDirectory, directory: int, path: str) -> None:
    discard_leftovers(root, directory)
    for name, info in found_in(directory):
        if stat.S_ISDIR(info.st_mode):
            with closing(root.enter(directory, name, path)) as below:
                _empty(root, below, path)
            os.rmdir(name, dir_fd=directory)
        else:
            os.unlink(name, dir_fd=directory)
