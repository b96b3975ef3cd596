"""The verbs of both filesystems: checks every argument before anything changes."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import RLock
from typing import Protocol, get_args

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import InvalidInput, NotFound
from gatepost.files import errors, patterns, traversal
from gatepost.files.edits import admitted
from gatepost.files.paths import Segments, segments, shown
from gatepost.files.protocol import EditResult, Entry, Match, ReadResult, TextEdit, WriteMode, WriteResult
from gatepost.files.text_window import text_only


class Backend(traversal.ReadableTree, Protocol):
    """Where files are kept, in memory or on disk."""

    def meant(self, asked: Segments, field: str, *, change: bool) -> Segments:
        """The path that these segments name. Refuses one that is closed, protected from this change, or invalid."""

    def entry(self, at: Segments) -> Entry:
        """The entry at a path."""

    def children(self, at: Segments) -> Sequence[Entry]:
        """The entries of a directory, sorted by name."""

    def searched(self, at: Segments) -> AbstractContextManager[traversal.ReadableTree]:
        """The tree below a directory, for a search."""

    def read(self, at: Segments, offset: int, limit: int | None, column: int) -> ReadResult:
        """A range of a file's lines."""

    def write(self, at: Segments, content: str, mode: WriteMode) -> WriteResult:
        """Write or append to a file."""

    def edit(self, at: Segments, wanted: Sequence[TextEdit], *, dry_run: bool) -> EditResult:
        """Apply all of these edits to a file, or none."""

    def make(self, at: Segments) -> None:
        """Create a directory."""

    def move(self, old: Segments, new: Segments) -> None:
        """Move a file or tree to a free path."""

    def copy(self, old: Segments, new: Segments) -> None:
        """Copy a file or tree to a free path."""

    def delete(self, at: Segments, *, recursive: bool) -> None:
        """Delete a file or tree other than the root."""


class BaseFilesystem:
    """The files of one backend. See `Filesystem` for the verbs. Safe to use from several threads."""

    def __init__(self, home: Backend, *, read_only: bool) -> None:
        self.read_only = read_only
        self._files = home
        self._lock = RLock()
        self._reading: AbstractContextManager[object] = nullcontext()
        """Held while something is read. Nothing, unless the backend needs a lock."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        with self._reading:
            return self._files.read(self._file(path), offset, limit, column)

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        with self._changing():
            at = self._file(path, change=True)
            if mode not in get_args(WriteMode):
                known = ", ".join(get_args(WriteMode))
                raise InvalidInput([("mode", f"must be one of {known}, not {mode!r}")])
            return self._files.write(at, text_only(shown(at), "content", content), mode)

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        with self._changing():
            at = self._file(path, change=True)
            return self._files.edit(at, admitted(shown(at), edits, dry_run=dry_run), dry_run=dry_run)

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """The entries of a directory with sizes and times, including names that no new path could have."""
        with self._reading:
            at = self._meant(path)
            return traversal.listed(at, self._files.children(at), after, limit)

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        after: str | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[str]:
        with self._reading:
            at = self._meant(path)
            patterns.compiled(pattern)
            with self._files.searched(at) as tree:
                return traversal.glob(tree, pattern, at, after, limit, ignored=ignored)

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
        with self._reading:
            at = self._meant(path)
            if glob:
                patterns.compiled(glob, field="glob")
            kind = self._files.entry(at).kind
            errors.unless_plain(shown(at), kind)
            with self._files.searched(at) if kind == "directory" else nullcontext(self._files) as tree:
                return traversal.grep(tree, pattern, at, kind, glob, after, limit, ignored=ignored)

    def stat(self, path: str) -> Entry:
        """The entry at a path. Links are not followed."""
        with self._reading:
            return self._files.entry(self._meant(path))

    def mkdir(self, path: str) -> Entry:
        with self._changing():
            at = self._meant(path, change=True)
            found = self._there(at)
            if found is not None and found.kind in ("file", "other"):
                raise errors.exists(shown(at))
            self._files.make(at)
            return self._files.entry(at)

    def move(self, source: str, target: str) -> Entry:
        """Move a file or a tree. Refuses an existing target. Links in a tree move with it."""
        with self._changing():
            old = self._meant(source, "source", change=True)
            new = self._free(target, old)
            self._files.move(old, new)
            return self._files.entry(new)

    def copy(self, source: str, target: str) -> Entry:
        """Copy a file or a tree, including binary files. Refuses an existing target."""
        with self._changing():
            old = self._meant(source, "source")
            new = self._free(target, old)
            self._files.copy(old, new)
            return self._files.entry(new)

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Delete a file, a link (not its target) or an empty directory; with `recursive`, everything in it too."""
        with self._changing():
            at = self._meant(path, change=True)
            if not isinstance(recursive, bool):
                raise InvalidInput([("recursive", f"must be true or false, not {type(recursive).__name__}")])
            if not at:
                raise InvalidInput([("path", "must not be the root, which cannot be deleted")])
            self._files.delete(at, recursive=recursive)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One change at a time: an append is a read and a write."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            yield

    def _meant(self, path: str, field: str = "path", *, change: bool = False) -> Segments:
        return self._files.meant(segments(path, field=field), field, change=change)

    def _file(self, path: str, *, change: bool = False) -> Segments:
        """The same for a file, which the root cannot be."""
        at = self._meant(path, change=change)
        if not at:
            raise errors.not_a_file(shown(at))
        return at

    def _there(self, at: Segments) -> Entry | None:
        try:
            return self._files.entry(at)
        except NotFound:
            return None

    def _free(self, target: str, old: Segments) -> Segments:
        """A free path for what is at `old`. Refused before anything changes."""
        new = self._meant(target, "target", change=True)
        if not old:
            raise InvalidInput([("source", "must not be the root, which stays where it is")])
        kind = self._files.entry(old).kind
        errors.unless_plain(shown(old), kind)
        if new == old:
            raise errors.exists(shown(new))
        traversal.admit_transfer(self._files, old, kind, new)
        there = self._there(new)
        if there is not None:
            raise errors.link(shown(new)) if there.kind == "link" else errors.exists(shown(new))
        return new
