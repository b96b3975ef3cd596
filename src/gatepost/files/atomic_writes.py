"""Atomic writes and renames: complete or not at all, and never over a file that someone else just created."""

import ctypes
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final, Protocol

from gatepost.files import temporary_names
from gatepost.files.no_follow import NEW_FILE

_NOREPLACE: Final = 1
_UNABLE: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def put(directory: int, name: str, data: bytes, like: os.stat_result | None = None) -> None:
    """Create a file. Raises FileExistsError if the name is taken."""
    with _written_aside(directory, (data,), like) as written:
        rename_new(directory, written, directory, name)


def replace(
    directory: int,
    name: str,
    parts: Iterable[bytes],
    old: os.stat_result | None,
    judge: Callable[[], None] = lambda: None,
    *,
    mode: int = 0o666,
) -> None:
    """Replace a file, keeping the mode and owner of the `old` one; without one, `mode` limits its mode.

    `judge` runs last, when everything is written but the name still belongs to the old file; it may refuse. Other
    hard links to the old file keep the old content, so a write never reaches a file by a name that the caller did
    not give.
    """
    with _written_aside(directory, parts, old, mode) as written:
        judge()
        os.rename(written, name, src_dir_fd=directory, dst_dir_fd=directory)


def rename_new(source_directory: int, source: str, directory: int, name: str) -> None:
    """Rename atomically, but never over an existing entry: raises FileExistsError."""
    by_kernel = _renameat2()
    if by_kernel is None:
        _rename_checked(source_directory, source, directory, name)
        return
    if by_kernel(source_directory, os.fsencode(source), directory, os.fsencode(name), _NOREPLACE) == 0:
        return
    failed = ctypes.get_errno()
    if failed not in _UNABLE:
        raise OSError(failed, os.strerror(failed), name)
    _rename_checked(source_directory, source, directory, name)


def _rename_checked(source_directory: int, source: str, directory: int, name: str) -> None:
    """The same where the kernel or the disk lacks that call.

    A hard link never replaces anything. For a directory, `rename` itself refuses to replace anything but an empty
    directory, so a race can cost no more than that.
    """
    if stat.S_ISDIR(os.stat(source, dir_fd=source_directory, follow_symlinks=False).st_mode):
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=directory, follow_symlinks=False)
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
        os.rename(source, name, src_dir_fd=source_directory, dst_dir_fd=directory)
        return
    os.link(source, name, src_dir_fd=source_directory, dst_dir_fd=directory, follow_symlinks=False)
    try:
        os.unlink(source, dir_fd=source_directory)
    except BaseException:
        os.unlink(name, dir_fd=directory)
        raise


class _Rename(Protocol):
    def __call__(self, olddirfd: int, old: bytes, newdirfd: int, new: bytes, flags: int, /) -> int: ...


@cache
def _renameat2() -> _Rename | None:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_int
    found: _Rename = call
    return found


@contextmanager
def _written_aside(
    directory: int, parts: Iterable[bytes], like: os.stat_result | None, mode: int = 0o666
) -> Iterator[str]:
    """A complete file under a temporary name. Removed if the block fails."""
    name = temporary_names.fresh()
    # Nobody else may read it before it has the mode of the file that it replaces.
    written = os.open(name, NEW_FILE, mode if like is None else 0o600, dir_fd=directory)
    try:
        with open(written, "wb") as file:
            file.writelines(parts)
            file.flush()
            if like is not None:
                _be_like(written, like)
            os.fsync(written)
        yield name
    except BaseException:
        os.unlink(name, dir_fd=directory)
        raise
    os.fsync(directory)


def _be_like(written: int, old: os.stat_result) -> None:
    new = os.fstat(written)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        # Only root may change the owner. Otherwise the new file is ours, as with any editor that renames.
        with suppress(PermissionError):
            os.fchown(written, old.st_uid, old.st_gid)
    os.fchmod(written, stat.S_IMODE(old.st_mode) & 0o777)
