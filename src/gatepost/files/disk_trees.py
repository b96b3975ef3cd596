"""Whole trees on disk: copied aside and then named at once, taken away at once and then removed."""

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
"""How deep a tree may be that is removed or remembered: each level holds a descriptor open."""

MAX_COPY: Final = 64 * 2**20
"""Bytes that a copy may have in all, as many as a snapshot."""

# Of a file that is only to be told from others; where a system cannot open it for less, it is opened to be read.
_ONLY_HELD: Final = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_NOFOLLOW | os.O_CLOEXEC

_PART: Final = 2**20


def copy(root: RootDirectory, source: tuple[int, str], target: tuple[int, str], path: str) -> None:
    """Let there be a second file or tree of the same content, all at once; FileExistsError where the name is taken.

    A tree that holds a link, or something neither file nor directory, is refused: a copy would not be whole. One of
    more than `MAX_COPY` bytes is refused before anything is written.
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
    """Give a file or a tree another name; FileExistsError where that is taken.

    A rename goes by the name, and something closed may have taken that since it was judged. So what is meant is
    held open, and what the rename took is compared with it under a name that nobody knows: only there can it not be
    exchanged once more.
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
    """Take a tree away, at once, and then bit by bit from the disk. Links in it are removed, not followed.

    What would stop that half-way (something closed, a directory that may not be written, another disk) is looked
    for first, and again once nobody can reach the tree by its name any more; then all comes back.
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
            f"`path`: {path} is deleted, but some of it stays on the disk as {aside}: {words}.",
            "Remove that by hand when the disk allows it.",
        ) from error
    os.fsync(directory)


def discard(root: RootDirectory, directory: int, aside: str) -> None:
    """Remove what stands under a scratch name, if anything does."""
    try:
        top = open_directory(directory, aside)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        os.unlink(aside, dir_fd=directory)
        return
    with closing(top):
        # What a killed process had put aside may be anything.
        root.judge_opened(top, aside)
        _empty(root, top, aside)
    os.rmdir(aside, dir_fd=directory)


def discard_leftovers(root: RootDirectory, directory: int) -> None:
    """Remove from a directory what killed processes left behind."""
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
        # It may have grown since it was measured, or still grow.
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
    """The bytes of a file, or of all files below a directory."""
    found = os.stat(source[1], dir_fd=source[0], follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode):
        return found.st_size
    with closing(root.enter(*source, path)) as directory:
        below = _below(root, directory, path)
        return sum(info.st_size for _, _, info in below if not stat.S_ISDIR(info.st_mode))


def _too_much(path: str) -> TooLarge:
    return TooLarge(
        f"`source`: {path} has more than {MAX_COPY:,} bytes, the most that is copied.",
        "Copy a smaller part of it, move it instead, or copy it by other means.",
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
            f"`path`: {path} was exchanged for something else while it was being moved.",
            "Nothing was changed. See what is there now, then send the call again.",
        )


def _below(
    root: RootDirectory, directory: int, path: str, height: int = 0
) -> Iterator[tuple[int, str, os.stat_result]]:
    """All that is in a tree: the directory it is in, its path, and what it is. What has to stay is refused."""
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
    """Refuse a tree that could not be removed as a whole."""
    device = os.fstat(top).st_dev
    for directory, inner, info in _below(root, top, path):
        if not _writable(directory):
            raise DiskRefused(
                f"`path`: {inner.rpartition('/')[0]} holds something, and may not be written.",
                "See to its permissions, or leave it.",
            )
        if info.st_dev != device:
            raise DiskRefused(f"`path`: {inner} is another disk.", "Delete around it, or leave it.")


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
