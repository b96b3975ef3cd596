"""Changing one file on disk: written, appended to, edited. It is replaced by a new one, at once or not at all."""

import os
from collections.abc import Iterator, Sequence
from typing import Final

from gatepost.domain.file_refusals import FileChanged
from gatepost.files import atomic_writes, disk_reads, edits, errors
from gatepost.files.hard_links import HardLinks
from gatepost.files.no_follow import closing, look
from gatepost.files.paths import Segments, shown
from gatepost.files.protocol import Edit, EditResult, WriteMode, WriteResult

MAX_EDITED: Final = 8 * 2**20
"""Bytes of a file that is edited, before and after: it is held in memory."""


def write(links: HardLinks, directory: int, at: Segments, content: str, mode: WriteMode) -> WriteResult:
    """Let a file hold this text, or have it at its end."""
    path, name = shown(at), at[-1]
    found = look(directory, name)
    if found is None:
        return _begun(links, directory, at, content, mode)
    errors.unless_file(path, found.st_mode)
    if mode == "create":
        raise errors.exists(path)
    if mode == "append":
        return _appended(links, directory, at, content)
    # Renaming over a file asks for no right to write it, so we ask: what is read-only stays as it is.
    with closing(disk_reads.opened_file(links, directory, name, path, os.O_WRONLY)) as old:
        info = os.fstat(old)
    data = content.encode()
    atomic_writes.replace(directory, name, (data,), info)
    return WriteResult(path=path, size=len(data), created=False)


def edit(links: HardLinks, directory: int, at: Segments, wanted: Sequence[Edit], *, dry_run: bool) -> EditResult:
    """Make these edits in a file, or none of them; a dry run only tells what would change."""
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
        # Another process made it since we looked.
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
        f"`path`: {path} was changed by someone else during this call.",
        "Nothing was written. Read it again, then send a call that fits what it holds now.",
    )
