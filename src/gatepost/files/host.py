"""A directory on disk as a filesystem for agents: nothing leaves it, and no link is followed."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import RLock
from types import TracebackType
from typing import Final, Self, get_args

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import InvalidInput, NotFound, Refusal
from gatepost.files import answers, changes, contents, guard, identity, moments, patterns, traversal, trees, windows
from gatepost.files.descent import Descent, closing, found_in, kinds_in, look
from gatepost.files.edits import admitted
from gatepost.files.moments import Moment
from gatepost.files.paths import ROOT, Segments, segments, shown
from gatepost.files.protocol import EditResult, Entry, Kind, Match, ReadResult, WriteMode, WriteResult

_MODES: Final = get_args(WriteMode)
_RUN: Final = 64
"""So many files are opened by one way; then it is judged again: something on it may have become a package."""

_Carry = Callable[[Descent, tuple[int, str], tuple[int, str], str], None]
"""Lets what has a name in one directory have one in another; the path is what refusals speak of."""


class HostFilesystem:
    """The files below one directory of this machine. See `Filesystem` for the verbs.

    Links are listed and can be deleted; they are neither followed nor made, whoever put them there and whenever.
    Files that others wrote may be of any name, size and kind: what is no text is not read, what is long is read in
    pieces. With `read_only` nothing is ever changed.
    Safe to share between threads. Hold it open as long as it is used: `close`, or a `with` block, lets it go.
    """

    def __init__(self, root: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self._descent = Descent(root)
        self.read_only: Final = read_only
        self._lock = RLock()
        self._owner = object()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the directory go. Every later call is refused."""
        self._descent.close()

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`; no more than one write could carry."""
        tree = _Tree(self._descent)
        at = tree.meant(path)
        with tree.opened(at) as descriptor:
            data = contents.whole(shown(at), descriptor, contents.MAX_READ)
        return windows.window(shown(at), contents.decoded(shown(at), data), len(data), offset, limit, column)

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Let a file hold this text, making the directories on the way. `create` refuses an existing file.

        Readers see the old file or the new one, never a part.
        """
        with self._changing() as tree:
            at = tree.changeable(path)
            if mode not in _MODES:
                raise InvalidInput([("mode", f"must be one of {', '.join(_MODES)}, and is {mode!r}")])
            windows.text_only(shown(at), "content", content)
            if not at:
                answers.unless_file(shown(at), stat.S_IFDIR)
            with self._descent.making(at[:-1]) as directory, answers.speaking(shown(at)):
                return changes.write(self._descent.hard_links, directory, at, content, mode)

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        """Replace old texts, each of which occurs exactly once, by new ones, in order; all of them or none.

        A file of more than 8 MiB is refused, and so is one that someone else changes meanwhile.
        """
        with self._changing() as tree:
            at = tree.changeable(path)
            wanted = admitted(shown(at), edits, dry_run=dry_run)
            if not at:
                answers.unless_file(shown(at), stat.S_IFDIR)
            with self._descent.parent(at) as (directory, _):
                return changes.edit(self._descent.hard_links, directory, at, wanted, dry_run=dry_run)

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """What stands directly in a directory, with sizes and times; also what has a name that no path can have."""
        tree = _Tree(self._descent)
        at = tree.meant(path)
        return traversal.listed(at, tree.children(at), after, limit)

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        after: str | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[str]:
        """The paths below a directory that match: `*` and `?` stay in a segment, `**` crosses.

        What git ignores is left out, unless `ignored`.
        """
        tree = _Tree(self._descent)
        at = tree.meant(path)
        patterns.compiled(pattern)
        with self._descent.directory(at):
            pass
        with _Searched(tree) as searched:
            return traversal.glob(searched, pattern, at, after, limit, ignored=ignored)

    def grep(
        self,
        pattern: str,
        path: str = ".",
        glob: str | None = None,
        *,
        after: tuple[str, int] | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[Match]:
        """The lines that a regular expression finds in a file, or in the files below a directory.

        What git ignores is left out, unless `ignored` or it is `path` itself. What cannot be read (no text, too
        large, no permission) is passed over, but refused where it is the very file that was named.
        """
        tree = _Tree(self._descent)
        at = tree.meant(path)
        if glob:
            patterns.compiled(glob, field="glob")
        kind = tree.plain_kind(at)
        if kind != "directory":
            return traversal.grep(tree, pattern, at, kind, glob, after, limit, ignored=ignored)
        with _Searched(tree) as searched:
            return traversal.grep(searched, pattern, at, kind, glob, after, limit, ignored=ignored)

    def stat(self, path: str) -> Entry:
        """What stands at a path. A link is a link, whatever it leads to."""
        tree = _Tree(self._descent)
        return tree.entry(tree.meant(path))

    def mkdir(self, path: str) -> Entry:
        """Let there be a directory, and those on the way. One that exists is left as it is."""
        with self._changing() as tree:
            at = tree.changeable(path)
            found = tree.there(at)
            if found is not None and found.kind in ("file", "other"):
                raise answers.exists(shown(at))
            with self._descent.making(at):
                return tree.entry(at)

    def move(self, source: str, target: str) -> Entry:
        """Give a file or a tree another path. An existing target is refused. Links in a tree go along."""
        with self._changing() as tree:
            return self._transfer(tree, tree.changeable(source, "source"), target, trees.move)

    def copy(self, source: str, target: str) -> Entry:
        """Make a second file or tree with the same content, binary files too. An existing target is refused.

        So is more than a snapshot would hold, which is 64 MiB.
        """
        with self._changing() as tree:
            return self._transfer(tree, tree.meant(source, "source"), target, trees.copy)

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Remove a file, a link (not what it leads to) or an empty directory; with `recursive`, all below too."""
        with self._changing() as tree:
            at = tree.changeable(path)
            if not isinstance(recursive, bool):
                raise InvalidInput([("recursive", f"must be true or false, not {type(recursive).__name__}")])
            if not at:
                raise InvalidInput([("path", "must not be the root, which cannot be deleted")])
            entry = tree.entry(at)
            with self._descent.parent(at) as (directory, name):
                if entry.kind != "directory":
                    os.unlink(name, dir_fd=directory)
                elif recursive:
                    trees.remove(self._descent, directory, name, shown(at))
                else:
                    self._remove_empty(tree, at, directory)
                os.fsync(directory)

    def snapshot(self) -> Moment:
        """The present state, to come back to with `restore`: bytes and modes, without links and without `.git`.

        It is kept in memory, so a root with too much below it is refused.
        """
        _Tree(self._descent).meant(".")
        with self._lock:
            return moments.remember(self._descent, self._owner)

    def restore(self, snapshot: object) -> None:
        """Be again as at a snapshot of this very filesystem. Links, `.git` and what is closed stay as they are."""
        if not isinstance(snapshot, Moment) or snapshot.owner is not self._owner:
            raise InvalidInput([("snapshot", "must be one that this very filesystem gave")])
        with self._changing() as tree:
            tree.changeable(".")
            moments.return_to(self._descent, snapshot)

    @contextmanager
    def _changing(self) -> Iterator["_Tree"]:
        """One change at a time: an append is a read and a write, and a snapshot is of one moment."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            yield _Tree(self._descent)

    def _transfer(self, tree: "_Tree", old: Segments, target: str, carry: _Carry) -> Entry:
        new = tree.changeable(target, "target")
        _admit(tree, old, new)
        with (
            self._descent.parent(old) as origin,
            self._descent.making(new[:-1]) as directory,
            answers.speaking(shown(new)),
        ):
            carry(self._descent, origin, (directory, new[-1]), shown(old))
        return tree.entry(new)

    def _remove_empty(self, tree: "_Tree", at: Segments, directory: int) -> None:
        name, path = at[-1], shown(at)
        with closing(self._descent.enter(directory, name, path)) as inside:
            if found_in(inside):
                inner = traversal.holds_closed(tree, at)
                raise answers.not_empty(path) if inner is None else guard.holding(path, inner)
            # What a killed writer left is not shown, so it must not be in the way either.
            trees.discard_leftovers(self._descent, inside)
        os.rmdir(name, dir_fd=directory)


class _Tree:
    """The disk as one call sees it, strictly: what cannot be looked into is refused."""

    def __init__(self, descent: Descent) -> None:
        self._descent = descent

    def meant(self, path: str, field: str = "path") -> Segments:
        """A path's segments, if neither a name among them nor anything that they lead to is closed."""
        return self._descent.meant(segments(path, field=field), field)

    def changeable(self, path: str, field: str = "path") -> Segments:
        """The same, if what stands there may be changed: git's own may only be read."""
        return self._descent.meant(segments(path, field=field), field, change=True)

    def children(self, at: Segments) -> Sequence[Entry]:
        with self._descent.directory(at) as directory:
            return [_entry((*at, name), info) for name, info in found_in(directory)]

    def seen(self, at: Segments) -> Sequence[traversal.Seen]:
        with self._descent.directory(at) as directory:
            return _seen(directory)

    def held(self, at: Segments) -> int:
        return self._descent.held(at)

    def searchable(self, at: Segments) -> bytes:
        with self.opened(at) as descriptor:
            data = contents.whole(shown(at), descriptor, contents.MAX_FILE)
            contents.decoded(shown(at), data)
            return data

    @contextmanager
    def opened(self, at: Segments) -> Iterator[int]:
        if not at:
            answers.unless_file(shown(at), stat.S_IFDIR)
        with (
            self._descent.parent(at) as (directory, name),
            closing(contents.opened_file(self._descent.hard_links, directory, name, shown(at))) as descriptor,
        ):
            yield descriptor

    def data_in(self, directory: int, at: Segments) -> bytes:
        self._descent.judge(at[-1], shown(at))
        return contents.load(self._descent.hard_links, directory, at[-1], shown(at))

    def entry(self, at: Segments) -> Entry:
        if not at:
            with self._descent.directory(ROOT) as directory:
                return _entry(at, os.fstat(directory))
        with self._descent.parent(at) as (directory, name):
            found = look(directory, name)
        if found is None:
            raise NotFound(shown(at), shown(at[:-1]))
        return _entry(at, found)

    def plain_kind(self, at: Segments) -> Kind:
        kind = self.entry(at).kind
        answers.unless_plain(shown(at), kind)
        return kind

    def there(self, at: Segments) -> Entry | None:
        try:
            return self.entry(at)
        except NotFound:
            return None


class _Searched:
    """The disk as searches see it: what is gone by now, no text, or not ours to read, is passed over.

    The directory that a search is in is held open, so that the way there is gone once for a run of its files, and
    not for each. Before each it is asked where it is: it, or what lies above it, may have been moved. After each it
    is asked what it is: it may have become a package. The end of the `with` block lets it go.
    """

    def __init__(self, tree: _Tree) -> None:
        self._tree = tree
        self._at: Segments | None = None
        self._directory = -1
        self._place: str | None = None
        self._left = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    def seen(self, at: Segments) -> Sequence[traversal.Seen]:
        self._let_go()
        try:
            with answers.speaking(shown(at)):
                return _seen(self._hold(at))
        except Refusal:
            return ()

    def searchable(self, at: Segments) -> bytes | None:
        try:
            directory = self._hold(at[:-1])
            data = self._tree.data_in(directory, at)
            return None if identity.is_package(directory) else data
        except (Refusal, OSError):
            return None

    def _hold(self, at: Segments) -> int:
        stays = self._at == at and self._place is not None and self._place == identity.whereabouts(self._directory)
        if not stays or not self._left:
            self._let_go()
            self._directory = self._tree.held(at)
            self._at, self._left, self._place = at, _RUN, identity.whereabouts(self._directory)
        self._left -= 1
        return self._directory

    def _let_go(self) -> None:
        if self._at is not None:
            self._at = None
            os.close(self._directory)


def _admit(tree: _Tree, old: Segments, new: Segments) -> None:
    """Refuse a way that cannot be gone, before anything is touched."""
    if not old:
        raise InvalidInput([("source", "must not be the root, which stays where it is")])
    kind = tree.plain_kind(old)
    if new == old:
        raise answers.exists(shown(new))
    traversal.admit_transfer(tree, old, kind, new)
    there = tree.there(new)
    if there is not None:
        raise answers.link(shown(new)) if there.kind == "link" else answers.exists(shown(new))


def _seen(directory: int) -> Sequence[traversal.Seen]:
    return sorted((name, kind, None) for name, kind in kinds_in(directory))


def _entry(at: Segments, info: os.stat_result) -> Entry:
    kind = answers.kind_of(info.st_mode)
    return Entry(
        path=shown(at),
        kind=kind,
        size=None if kind == "directory" else info.st_size,
        modified=datetime.fromtimestamp(info.st_mtime, UTC),
    )
