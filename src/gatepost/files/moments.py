"""A directory on disk as it was at one moment, kept in memory, and the way back to it."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Final

from gatepost.domain.refusals import ForbiddenPath, TooLarge
from gatepost.files import answers, contents, guard, identity, placing, scratch, trees
from gatepost.files.descent import Descent, closing, found_in, look, opened
from gatepost.files.paths import ROOT, Segments, shown

MAX_FILES: Final = 20_000
MAX_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One file: its bytes, and what they looked like from outside."""

    data: bytes
    info: os.stat_result


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Every file and directory below a root, except links, what is closed, and what is git's."""

    owner: object
    files: Mapping[Segments, Kept]
    directories: Mapping[Segments, int]


def remember(descent: Descent, owner: object) -> Moment:
    """The present state, byte for byte; TooLarge if that is more than memory should hold."""
    files: dict[Segments, Kept] = {}
    directories: dict[Segments, int] = {}
    left = MAX_BYTES
    with descent.directory(ROOT) as top:
        for directory, at, info in _below(descent, top, ROOT):
            if stat.S_ISDIR(info.st_mode):
                directories[at] = stat.S_IMODE(info.st_mode)
                continue
            if info.st_size > left:
                raise _too_much()
            data = contents.load(descent.hard_links, directory, at[-1], shown(at), left)
            left -= len(data)
            files[at] = Kept(data=data, info=info)
            if len(files) > MAX_FILES:
                raise _too_much()
    return Moment(owner=owner, files=files, directories=directories)


def return_to(descent: Descent, moment: Moment) -> None:
    """Be again as at that moment, or, if anything stands in the way of that, as before the call.

    What differs or is new is put aside first and removed last. What a moment does not hold (links, closed names,
    `.git`, and the directories they are in) stays; only a link where something remembered has to be goes.
    """
    aside = scratch.fresh()
    with descent.directory(ROOT) as root:
        os.mkdir(aside, 0o700, dir_fd=root)
        with closing(opened(root, aside)) as store, ExitStack() as undo:
            undo.callback(_drop, root, aside)
            _Return(descent, store, undo).to(moment)
            undo.pop_all()
        trees.discard(descent, root, aside)


class _Return:
    """The steps back, each with its own undoing."""

    def __init__(self, descent: Descent, store: int, undo: ExitStack) -> None:
        self._descent = descent
        self._store = store
        self._undo = undo

    def to(self, moment: Moment) -> None:
        with self._descent.directory(ROOT) as top:
            present = {at: info for _, at, info in _below(self._descent, top, ROOT)}
        same = {at for at, kept in moment.files.items() if at in present and self._is(at, kept, present[at])}
        for at, info in present.items():
            if stat.S_ISREG(info.st_mode) and at not in same:
                self._put_aside(at)
        for at in reversed(present):
            if stat.S_ISDIR(present[at].st_mode) and at not in moment.directories:
                self._remove_directory(at, present[at])
        for at in moment.directories:
            self._make_directory(at)
        for at, kept in moment.files.items():
            if at not in same:
                self._make_file(at, kept)
        for at in reversed(tuple(moment.directories)):
            self._change_mode(at, moment.directories[at])

    def _is(self, at: Segments, kept: Kept, info: os.stat_result) -> bool:
        if (info.st_mode, info.st_size) != (kept.info.st_mode, len(kept.data)):
            return False
        with self._descent.parent(at) as (directory, name):
            return contents.load(self._descent.hard_links, directory, name, shown(at), MAX_BYTES) == kept.data

    def _put_aside(self, at: Segments) -> None:
        label = scratch.fresh()
        with self._descent.parent(at) as (directory, name):
            os.rename(name, label, src_dir_fd=directory, dst_dir_fd=self._store)
        self._should_it_fail(at, lambda directory, name: placing.rename_new(self._store, label, directory, name))
        arrived = look(self._store, label)
        if arrived is not None and stat.S_ISDIR(arrived.st_mode):
            # It was a file when it was looked at. Whatever took its place must not be thrown away.
            raise answers.exists(shown(at))

    def _remove_directory(self, at: Segments, info: os.stat_result) -> None:
        with self._descent.parent(at) as (directory, name):
            try:
                os.rmdir(name, dir_fd=directory)
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return
                raise
        self._undo.callback(self._remake_directory, at, stat.S_IMODE(info.st_mode))

    def _remake_directory(self, at: Segments, mode: int) -> None:
        with self._descent.making(at) as directory:
            os.fchmod(directory, mode)

    def _make_directory(self, at: Segments) -> None:
        if self._clear(at, "directory"):
            with self._descent.parent(at) as (directory, name):
                os.mkdir(name, dir_fd=directory)
            self._should_it_fail(at, lambda directory, name: os.rmdir(name, dir_fd=directory))

    def _make_file(self, at: Segments, kept: Kept) -> None:
        self._clear(at, "file")
        with self._descent.parent(at) as (directory, name):
            placing.put(directory, name, kept.data, kept.info)
        self._should_it_fail(at, lambda directory, name: os.unlink(name, dir_fd=directory))

    def _clear(self, at: Segments, kind: str) -> bool:
        """Whether there is room at a path for something of this kind. A link in the way is put aside."""
        with self._descent.parent(at) as (directory, name):
            found = look(directory, name)
        if found is None:
            return True
        if stat.S_ISDIR(found.st_mode):
            if kind == "directory":
                return False
            raise answers.not_empty(shown(at))
        self._put_aside(at)
        return True

    def _change_mode(self, at: Segments, mode: int) -> None:
        with self._descent.directory(at) as directory:
            before = stat.S_IMODE(os.fstat(directory).st_mode)
            if before == mode:
                return
            os.fchmod(directory, mode)
        self._undo.callback(self._remake_directory, at, before)

    def _should_it_fail(self, at: Segments, act: Callable[[int, str], None]) -> None:
        """Do this then, to a name in the directory that it is in."""

        def undo() -> None:
            with self._descent.parent(at) as (directory, name):
                act(directory, name)

        self._undo.callback(undo)


def _below(descent: Descent, directory: int, at: Segments) -> Iterator[tuple[int, Segments, os.stat_result]]:
    """The files and directories of a tree that a moment holds, each after the directory that it is in."""
    if len(at) > trees.MAX_HEIGHT:
        raise _too_much()
    for name, info in found_in(directory):
        if guard.kept(name):
            continue
        kind = answers.kind_of(info.st_mode)
        below = (*at, name)
        # What is closed by what it is, under an open name, is neither kept nor touched.
        if kind == "file" and not descent.hard_links.knows(directory, name):
            yield directory, below, info
        elif kind == "directory":
            try:
                entered = descent.enter(directory, name, shown(below))
            except ForbiddenPath:
                continue
            with closing(entered) as inner:
                if not identity.is_repository(inner):
                    yield directory, below, info
                    yield from _below(descent, inner, below)


def _drop(root: int, aside: str) -> None:
    # If something could not be put back it is still in there: rather left behind than thrown away.
    with suppress(OSError):
        os.rmdir(aside, dir_fd=root)


def _too_much() -> TooLarge:
    return TooLarge(
        f"There is more below the root than a snapshot holds: {MAX_FILES:,} files, {MAX_BYTES // 2**20} MiB, "
        f"{trees.MAX_HEIGHT} directories deep.",
        "Open a filesystem on a smaller directory, or use version control.",
    )
