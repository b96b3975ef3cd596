"""Giving something its name, for good: whole or not at all, and never over what somebody else just put there."""

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
    """Let there be a new file of these bytes; FileExistsError where something has the name."""
    with _written_aside(directory, (data,), like) as written:
        rename_new(directory, written, directory, name)


def replace(
    directory: int, name: str, parts: Iterable[bytes], old: os.stat_result, judge: Callable[[], None] = lambda: None
) -> None:
    """Let a file hold these bytes, whatever it held before, with the mode and owner of the old one.

    `judge` is asked last, when all is written but the name is still the old file's: it may refuse.
    The name gets a new file: where the old one has other names too (hard links), those keep the old content. So
    no write ever reaches a file through a name that the caller did not give.
    """
    with _written_aside(directory, parts, old) as written:
        judge()
        os.rename(written, name, src_dir_fd=directory, dst_dir_fd=directory)


def rename_new(source_directory: int, source: str, directory: int, name: str) -> None:
    """Rename, but onto nothing that exists: FileExistsError then, and no moment at which it was gone."""
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
    """The same where the kernel or its disk has no such call.

    A second name for a file cannot replace anything. A directory cannot have two, but `rename` itself refuses to
    put one over anything but an empty directory: all that a race could cost.
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
def _written_aside(directory: int, parts: Iterable[bytes], like: os.stat_result | None) -> Iterator[str]:
    """A finished file under a scratch name, on disk, to be given its own; nothing is left where that fails."""
    name = temporary_names.fresh()
    # Until it has the mode of the file that it replaces, nobody else may read it.
    written = os.open(name, NEW_FILE, 0o666 if like is None else 0o600, dir_fd=directory)
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
        # Only root may give a file away; where we may not, it becomes ours, as with any editor that renames.
        with suppress(PermissionError):
            os.fchown(written, old.st_uid, old.st_gid)
    os.fchmod(written, stat.S_IMODE(old.st_mode) & 0o777)
