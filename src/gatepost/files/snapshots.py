"""Snapshots of a directory on disk: kept in memory, and restored."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final

from gatepost.domain.refusals import ForbiddenPath, TooLarge
from gatepost.files import (
    atomic_writes,
    disk_reads,
    disk_trees,
    errors,
    guard,
    protected,
    temporary_names,
)
from gatepost.files.no_follow import closing, look, open_directory
from gatepost.files.paths import ROOT, Segments, shown
from gatepost.files.root_directory import RootDirectory, found_in

MAX_FILES: Final = 20_000
MAX_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """One file: its bytes and its status."""

    data: bytes
    info: os.stat_result


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSnapshot:
    """Every file and directory below a root, except links, closed files and git's own."""

    owner: object
    files: Mapping[Segments, SavedFile]
    directories: Mapping[Segments, int]


def take(root: RootDirectory, owner: object) -> DiskSnapshot:
    """The present state, byte for byte. Refuses more than memory should hold."""
    files: dict[Segments, SavedFile] = {}
    directories: dict[Segments, int] = {}
    left = MAX_BYTES
    with root.directory(ROOT) as top:
        for directory, at, info in _below(root, top, ROOT):
            if stat.S_ISDIR(info.st_mode):
                directories[at] = stat.S_IMODE(info.st_mode)
                continue
            if info.st_size > left:
                raise _too_much()
            data = disk_reads.load(root.hard_links, directory, at[-1], shown(at), left)
            left -= len(data)
            files[at] = SavedFile(data=data, info=info)
            if len(files) > MAX_FILES:
                raise _too_much()
    return DiskSnapshot(owner=owner, files=files, directories=directories)


def restore(root: RootDirectory, snapshot: DiskSnapshot) -> None:
    """Return to a snapshot. If anything prevents that, everything is as before the call.

    Changed and new files are first set aside and removed at the end. What a snapshot does not contain (links,
    closed names, `.git`, and their directories) stays, except a link in the place of something to restore.
    """
    aside = temporary_names.fresh()
    with root.directory(ROOT) as top:
        os.mkdir(aside, 0o700, dir_fd=top)
        with closing(open_directory(top, aside)) as store, ExitStack() as undo:
            undo.callback(_drop, top, aside)
            _Return(root, store, undo).to(snapshot)
            undo.pop_all()
        disk_trees.discard(root, top, aside)


class _Return:
    """The steps of a restore, each with its own undo."""

    def __init__(self, root: RootDirectory, store: int, undo: ExitStack) -> None:
        self._root = root
        self._store = store
        self._undo = undo

    def to(self, snapshot: DiskSnapshot) -> None:
        with self._root.directory(ROOT) as top:
            present = {at: info for _, at, info in _below(self._root, top, ROOT)}
        same = {at for at, kept in snapshot.files.items() if at in present and self._is(at, kept, present[at])}
        for at, info in present.items():
            if stat.S_ISREG(info.st_mode) and at not in same:
                self._put_aside(at)
        for at in reversed(present):
            if stat.S_ISDIR(present[at].st_mode) and at not in snapshot.directories:
                self._remove_directory(at, present[at])
        for at in snapshot.directories:
            self._make_directory(at)
        for at, kept in snapshot.files.items():
            if at not in same:
                self._make_file(at, kept)
        for at in reversed(tuple(snapshot.directories)):
            self._change_mode(at, snapshot.directories[at])

    def _is(self, at: Segments, kept: SavedFile, info: os.stat_result) -> bool:
        if (info.st_mode, info.st_size) != (kept.info.st_mode, len(kept.data)):
            return False
        with self._root.parent(at) as (directory, name):
            return disk_reads.load(self._root.hard_links, directory, name, shown(at), MAX_BYTES) == kept.data

    def _put_aside(self, at: Segments) -> None:
        label = temporary_names.fresh()
        with self._root.parent(at) as (directory, name):
            os.rename(name, label, src_dir_fd=directory, dst_dir_fd=self._store)
        self._should_it_fail(
            at, lambda directory, name: atomic_writes.rename_new(self._store, label, directory, name)
        )
        arrived = look(self._store, label)
        if arrived is not None and stat.S_ISDIR(arrived.st_mode):
            # It was a file before. Whatever replaced it must not be deleted.
            raise errors.exists(shown(at))

    def _remove_directory(self, at: Segments, info: os.stat_result) -> None:
        with self._root.parent(at) as (directory, name):
            try:
                os.rmdir(name, dir_fd=directory)
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return
                raise
        self._undo.callback(self._remake_directory, at, stat.S_IMODE(info.st_mode))

    def _remake_directory(self, at: Segments, mode: int) -> None:
        with self._root.making(at) as directory:
            os.fchmod(directory, mode)

    def _make_directory(self, at: Segments) -> None:
        if self._clear(at, "directory"):
            with self._root.parent(at) as (directory, name):
                os.mkdir(name, dir_fd=directory)
            self._should_it_fail(at, lambda directory, name: os.rmdir(name, dir_fd=directory))

    def _make_file(self, at: Segments, kept: SavedFile) -> None:
        self._clear(at, "file")
        with self._root.parent(at) as (directory, name):
            atomic_writes.put(directory, name, kept.data, kept.info)
        self._should_it_fail(at, lambda directory, name: os.unlink(name, dir_fd=directory))

    def _clear(self, at: Segments, kind: str) -> bool:
        """Whether a path is free for an entry of this kind. Sets a link in the way aside."""
        with self._root.parent(at) as (directory, name):
            found = look(directory, name)
        if found is None:
            return True
        if stat.S_ISDIR(found.st_mode):
            if kind == "directory":
                return False
            raise errors.not_empty(shown(at))
        self._put_aside(at)
        return True

    def _change_mode(self, at: Segments, mode: int) -> None:
        with self._root.directory(at) as directory:
            before = stat.S_IMODE(os.fstat(directory).st_mode)
            if before == mode:
                return
            os.fchmod(directory, mode)
        self._undo.callback(self._remake_directory, at, before)

    def _should_it_fail(self, at: Segments, act: Callable[[int, str], None]) -> None:
        """Undo a step like this, by name in its directory."""

        def undo() -> None:
            with self._root.parent(at) as (directory, name):
                act(directory, name)

        self._undo.callback(undo)


def _below(root: RootDirectory, directory: int, at: Segments) -> Iterator[tuple[int, Segments, os.stat_result]]:
    """The files and directories that a snapshot contains, parents first."""
    if len(at) > disk_trees.MAX_HEIGHT:
        raise _too_much()
    for name, info in found_in(directory):
        if guard.kept(name):
            continue
        kind = errors.kind_of(info.st_mode)
        below = (*at, name)
        # A package under another name is neither saved nor changed.
        if kind == "file" and not root.hard_links.knows(directory, name):
            yield directory, below, info
        elif kind == "directory":
            try:
                entered = root.enter(directory, name, shown(below))
            except ForbiddenPath:
                continue
            with closing(entered) as inner:
                if not protected.is_repository(inner):
                    yield directory, below, info
                    yield from _below(root, inner, below)


def _drop(root: int, aside: str) -> None:
    # What could not be put back is still in there and must not be lost.
    with suppress(OSError):
        os.rmdir(aside, dir_fd=root)


def _too_much() -> TooLarge:
    return TooLarge(
        f"The root contains more than a snapshot can hold: {MAX_FILES:,} files, {MAX_BYTES // 2**20} MiB, "
        f"{disk_trees.MAX_HEIGHT} directories deep.",
        "Open a filesystem on a smaller directory, or use version control.",
    )
