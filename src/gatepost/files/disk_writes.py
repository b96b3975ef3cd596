"""Writes, appends to and edits a file on disk by replacing it with a new one, all or nothing."""

import os
from collections.abc import Iterator, Sequence
from typing import Final

from gatepost.domain.file_refusals import FileChanged
from gatepost.files import atomic_writes, disk_reads, edits, errors
from gatepost.files.hard_links import HardLinks
from gatepost.files.no_follow import closing, look
from gatepost.files.paths import Segments, shown
from gatepost.files.protocol import EditResult, TextEdit, WriteMode, WriteResult

MAX_EDITED: Final = 8 * 2**20
"""The most bytes of an edited file, before and after: it is held in memory."""


def write(links: HardLinks, directory: int, at: Segments, content: str, mode: WriteMode) -> WriteResult:
    """Write or append to a file."""
    path, name = shown(at), at[-1]
    found = look(directory, name)
    if found is None:
        return _begun(links, directory, at, content, mode)
    errors.unless_file(path, found.st_mode)
    if mode == "create":
        raise errors.exists(path)
    if mode == "append":
        return _appended(links, directory, at, content)
    # A rename replaces even a read-only file, so check that it is writable.
    with closing(disk_reads.opened_file(links, directory, name, path, os.O_WRONLY)) as old:
        info = os.fstat(old)
    data = content.encode()
    atomic_writes.replace(directory, name, (data,), info)
    return WriteResult(path=path, size=len(data), created=False)


def edit(
    links: HardLinks, directory: int, at: Segments, wanted: Sequence[TextEdit], *, dry_run: bool
) -> EditResult:
    """Apply all of these edits to a file, or none. A dry run only shows the change."""
    path, name = shown(at), at[-1]
    with closing(
        disk_reads.opened_file(links, directory, name, path, os.O_RDONLY if dry_run else os.O_RDWR)
    ) as old:
        info = os.fstat(old)
        before = disk_reads.whole(path, old, MAX_EDITED)
        text, result = edits.edited(path, disk_reads.decoded(path, before), wanted)
        if result.size > MAX_EDITED:
            raise disk_reads.too_large(path, MAX_EDITED)
        if result.changed and not dry_run:

            def judge() -> None:
                _unless_changed(directory, name, info, path)
                os.lseek(old, 0, os.SEEK_SET)
                if disk_reads.whole(path, old, MAX_EDITED) != before:
                    raise _changed(path)

            atomic_writes.replace(directory, name, (text.encode(),), info, judge)
    return result


def _begun(links: HardLinks, directory: int, at: Segments, content: str, mode: WriteMode) -> WriteResult:
    data = content.encode()
    try:
        atomic_writes.put(directory, at[-1], data)
    except FileExistsError as error:
        if mode == "create":
            raise errors.exists(shown(at)) from error
        # Another process has created it meanwhile.
        return write(links, directory, at, content, mode)
    return WriteResult(path=shown(at), size=len(data), created=True)


def _appended(links: HardLinks, directory: int, at: Segments, content: str) -> WriteResult:
    path, name, more = shown(at), at[-1], content.encode()
    with closing(disk_reads.opened_file(links, directory, name, path, os.O_RDWR)) as old:
        info = os.fstat(old)
        if info.st_size + len(more) > disk_reads.MAX_READ:
            raise disk_reads.too_large(path, disk_reads.MAX_READ)

        def parts() -> Iterator[bytes]:
            for part in disk_reads.parts(path, old):
                yield part.encode()
            yield more

        atomic_writes.replace(directory, name, parts(), info, lambda: _unless_changed(directory, name, info, path))
    return WriteResult(path=path, size=info.st_size + len(more), created=False)


def _unless_changed(directory: int, name: str, before: os.stat_result, path: str) -> None:
    found = look(directory, name)
    if found is None or _traits(found) != _traits(before):
        raise _changed(path)


def _traits(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _changed(path: str) -> FileChanged:
    return FileChanged(
        f"`path`: {path} was changed by someone else meanwhile.",
        "Nothing was written. Read the file again, then try again.",
    )
