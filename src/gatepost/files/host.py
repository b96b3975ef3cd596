"""A directory on disk as a filesystem for agents. Nothing leaves it, and no link is followed."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, Self

from gatepost.domain.refusals import InvalidInput, NotFound, Refusal
from gatepost.files import (
    disk_reads,
    disk_trees,
    disk_writes,
    errors,
    guard,
    protected,
    snapshots,
    traversal,
)
from gatepost.files.filesystem import BaseFilesystem
from gatepost.files.no_follow import closing, look
from gatepost.files.paths import ROOT, Segments, shown
from gatepost.files.protocol import EditResult, Entry, ReadResult, TextEdit, WriteMode, WriteResult
from gatepost.files.root_directory import RootDirectory, found_in, kinds_in
from gatepost.files.snapshots import DiskSnapshot
from gatepost.files.text_window import window

_RUN: Final = 64
"""The number of files to open before checking the directory again: it may have become a package."""

_Carry = Callable[[RootDirectory, tuple[int, str], tuple[int, str], str], None]
"""Moves or copies from one directory and name to another. The path is for refusals."""


class HostFilesystem(BaseFilesystem):
    """The files below one directory of this machine. See `Filesystem` for the verbs.

    Links are listed and can be deleted, but are neither followed nor created. Existing files may have any name,
    size and kind: files that are not text are not read, and long files are read in parts. Readers see the old file
    or the new one, never a part. A file that someone else changes meanwhile is not edited. Limits: 8 MiB for an
    edit, 64 MiB for a copy or a snapshot. With `read_only`, nothing changes. Safe to share between threads. Call
    `close`, or use a `with` block.
    """

    def __init__(self, root: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self._root = RootDirectory(root)
        super().__init__(_Disk(self._root), read_only=read_only)
        self._owner = object()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the directory. Later calls are refused."""
        self._root.close()

    def snapshot(self) -> DiskSnapshot:
        """The present state, for `restore`: bytes and modes, without links and without `.git`.

        Kept in memory, so a root with too many files is refused.
        """
        self._meant(".")
        with self._lock:
            return snapshots.take(self._root, self._owner)

    def restore(self, snapshot: object) -> None:
        """Return to a snapshot that this filesystem took. Links, `.git` and closed files stay as they are."""
        if not isinstance(snapshot, DiskSnapshot) or snapshot.owner is not self._owner:
            raise InvalidInput([("snapshot", "must be a snapshot that this filesystem took")])
        with self._changing():
            self._meant(".", change=True)
            snapshots.restore(self._root, snapshot)


class _Disk:
    """The disk for a single call: refuses what it cannot open. See `Backend`."""

    def __init__(self, root: RootDirectory) -> None:
        self._root = root

    def meant(self, asked: Segments, field: str, *, change: bool) -> Segments:
        return self._root.meant(asked, field, change=change)

    def entry(self, at: Segments) -> Entry:
        if not at:
            with self._root.directory(ROOT) as directory:
                return _entry(at, os.fstat(directory))
        with self._root.parent(at) as (directory, name):
            found = look(directory, name)
        if found is None:
            raise NotFound(shown(at), shown(at[:-1]))
        return _entry(at, found)

    def children(self, at: Segments) -> Sequence[Entry]:
        with self._root.directory(at) as directory:
            return [_entry((*at, name), info) for name, info in found_in(directory)]

    def walk_entries(self, at: Segments) -> Sequence[traversal.WalkEntry]:
        with self._root.directory(at) as directory:
            return _walk_entries(directory)

    def searchable(self, at: Segments) -> bytes:
        with self._opened(at) as descriptor:
            data = disk_reads.whole(shown(at), descriptor, disk_reads.MAX_FILE)
            disk_reads.decoded(shown(at), data)
            return data

    @contextmanager
    def searched(self, at: Segments) -> Iterator["_Searched"]:
        with self._root.directory(at):
            pass
        with _Searched(self._root) as searched:
            yield searched

    def read(self, at: Segments, offset: int, limit: int | None, column: int) -> ReadResult:
        with self._opened(at) as descriptor:
            parts = disk_reads.parts(shown(at), descriptor)
            return window(shown(at), parts, os.fstat(descriptor).st_size, offset, limit, column)

    def write(self, at: Segments, content: str, mode: WriteMode) -> WriteResult:
        with self._root.making(at[:-1]) as directory, errors.refusals_for(shown(at)):
            return disk_writes.write(self._root.hard_links, directory, at, content, mode)

    def edit(self, at: Segments, wanted: Sequence[TextEdit], *, dry_run: bool) -> EditResult:
        with self._root.parent(at) as (directory, _):
            return disk_writes.edit(self._root.hard_links, directory, at, wanted, dry_run=dry_run)

    def make(self, at: Segments) -> None:
        with self._root.making(at):
            pass

    def move(self, old: Segments, new: Segments) -> None:
        self._carry(old, new, disk_trees.move)

    def copy(self, old: Segments, new: Segments) -> None:
        self._carry(old, new, disk_trees.copy)

    def delete(self, at: Segments, *, recursive: bool) -> None:
        entry = self.entry(at)
        with self._root.parent(at) as (directory, name):
            if entry.kind != "directory":
                os.unlink(name, dir_fd=directory)
            elif recursive:
                disk_trees.remove(self._root, directory, name, shown(at))
            else:
                self._remove_empty(at, directory)
            os.fsync(directory)

    @contextmanager
    def _opened(self, at: Segments) -> Iterator[int]:
        with (
            self._root.parent(at) as (directory, name),
            closing(disk_reads.opened_file(self._root.hard_links, directory, name, shown(at))) as descriptor,
        ):
            yield descriptor

    def _carry(self, old: Segments, new: Segments, carry: _Carry) -> None:
        with (
            self._root.parent(old) as origin,
            self._root.making(new[:-1]) as directory,
            errors.refusals_for(shown(new)),
        ):
            carry(self._root, origin, (directory, new[-1]), shown(old))

    def _remove_empty(self, at: Segments, directory: int) -> None:
        name, path = at[-1], shown(at)
        with closing(self._root.enter(directory, name, path)) as inside:
            if found_in(inside):
                inner = traversal.holds_closed(self, at)
                raise errors.not_empty(path) if inner is None else guard.holding(path, inner)
            # Temporary files of a killed writer are hidden, so they must not be in the way.
            disk_trees.discard_leftovers(self._root, inside)
        os.rmdir(name, dir_fd=directory)


class _Searched:
    """The disk for a search: skips files that are gone, not text or not readable.

    Keeps the current directory open for a number of files, instead of opening the whole path for each. Before each
    file it checks where the directory is now, since it may have been moved; after each file it checks whether the
    directory has become a package. The end of the `with` block closes it.
    """

    def __init__(self, root: RootDirectory) -> None:
        self._root = root
        self._at: Segments | None = None
        self._directory = -1
        self._place: str | None = None
        self._left = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    def walk_entries(self, at: Segments) -> Sequence[traversal.WalkEntry]:
        self._let_go()
        try:
            with errors.refusals_for(shown(at)):
                return _walk_entries(self._hold(at))
        except Refusal:
            return ()

    def searchable(self, at: Segments) -> bytes | None:
        try:
            directory = self._hold(at[:-1])
            self._root.judge(at[-1], shown(at))
            data = disk_reads.load(self._root.hard_links, directory, at[-1], shown(at))
            return None if protected.is_package(directory) else data
        except (Refusal, OSError):
            return None

    def _hold(self, at: Segments) -> int:
        stays = self._at == at and self._place is not None and self._place == protected.whereabouts(self._directory)
        if not stays or not self._left:
            self._let_go()
            self._directory = self._root.held(at)
            self._at, self._left, self._place = at, _RUN, protected.whereabouts(self._directory)
        self._left -= 1
        return self._directory

    def _let_go(self) -> None:
        if self._at is not None:
            self._at = None
            os.close(self._directory)


def _walk_entries(directory: int) -> Sequence[traversal.WalkEntry]:
    return sorted((name, kind, None) for name, kind in kinds_in(directory))


def _entry(at: Segments, info: os.stat_result) -> Entry:
    kind = errors.kind_of(info.st_mode)
    return Entry(
        path=shown(at),
        kind=kind,
        size=None if kind == "directory" else info.st_size,
        modified=datetime.fromtimestamp(info.st_mtime, UTC),
    )
