"""The verbs of both filesystems: what a call may say, and what is refused before anything is touched."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import RLock
from typing import Protocol, get_args

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import InvalidInput, NotFound
from gatepost.files import errors, patterns, traversal
from gatepost.files.edits import admitted
from gatepost.files.paths import Segments, segments, shown
from gatepost.files.protocol import Edit, EditResult, Entry, Match, ReadResult, WriteMode, WriteResult
from gatepost.files.text_window import text_only


class Backend(traversal.ReadableTree, Protocol):
    """Where files are, in memory or on a disk: what each does in its own way."""

    def meant(self, asked: Segments, field: str, *, change: bool) -> Segments:
        """The path that these segments name; refused where it is closed, or to this change, or can be none."""

    def entry(self, at: Segments) -> Entry:
        """What stands there."""

    def children(self, at: Segments) -> Sequence[Entry]:
        """What stands directly in a directory, sorted by name."""

    def searched(self, at: Segments) -> AbstractContextManager[traversal.ReadableTree]:
        """What lies below a directory, for a search."""

    def read(self, at: Segments, offset: int, limit: int | None, column: int) -> ReadResult:
        """A window of a file's lines."""

    def write(self, at: Segments, content: str, mode: WriteMode) -> WriteResult:
        """Let a file hold this text, or have it at its end."""

    def edit(self, at: Segments, wanted: Sequence[Edit], *, dry_run: bool) -> EditResult:
        """Make these edits in a file, or none of them."""

    def make(self, at: Segments) -> None:
        """Let there be a directory, where no file is."""

    def move(self, old: Segments, new: Segments) -> None:
        """Give what stands at one path another, where nothing is."""

    def copy(self, old: Segments, new: Segments) -> None:
        """Let the same stand at a second path, where nothing is."""

    def delete(self, at: Segments, *, recursive: bool) -> None:
        """Remove what stands there, which is not the root."""


class BaseFilesystem:
    """The files of one home. See `Filesystem` for the verbs. Safe to use from several threads."""

    def __init__(self, home: Backend, *, read_only: bool) -> None:
        self.read_only = read_only
        self._files = home
        self._lock = RLock()
        self._reading: AbstractContextManager[object] = nullcontext()
        """What is held while something is read: nothing, unless the home needs it."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`, the first without `column` characters."""
        with self._reading:
            return self._files.read(self._file(path), offset, limit, column)

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Let a file hold this text, making the directories on the way. `create` refuses an existing file."""
        with self._changing():
            at = self._file(path, change=True)
            if mode not in get_args(WriteMode):
                known = ", ".join(get_args(WriteMode))
                raise InvalidInput([("mode", f"must be one of {known}, and is {mode!r}")])
            return self._files.write(at, text_only(shown(at), "content", content), mode)

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        """Replace old texts, each of which occurs exactly once, by new ones, in order; all of them or none."""
        with self._changing():
            at = self._file(path, change=True)
            return self._files.edit(at, admitted(shown(at), edits, dry_run=dry_run), dry_run=dry_run)

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """What stands directly in a directory, with sizes and times; on disk also what no new path could name."""
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
        """The paths below a directory that match: `*` and `?` stay in a segment, `**` crosses.

        What git ignores is left out, unless `ignored`.
        """
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
        """The lines that a regular expression finds in a file, or in the files below a directory.

        What git ignores is left out, unless `ignored` or it is `path` itself. What cannot be read (no text, too
        large, no permission) is passed over, but refused where it is the very file that was named.
        """
        with self._reading:
            at = self._meant(path)
            if glob:
                patterns.compiled(glob, field="glob")
            kind = self._files.entry(at).kind
            errors.unless_plain(shown(at), kind)
            with self._files.searched(at) if kind == "directory" else nullcontext(self._files) as tree:
                return traversal.grep(tree, pattern, at, kind, glob, after, limit, ignored=ignored)

    def stat(self, path: str) -> Entry:
        """What stands at a path. A link is a link, whatever it leads to."""
        with self._reading:
            return self._files.entry(self._meant(path))

    def mkdir(self, path: str) -> Entry:
        """Let there be a directory, and those on the way. One that exists is left as it is."""
        with self._changing():
            at = self._meant(path, change=True)
            found = self._there(at)
            if found is not None and found.kind in ("file", "other"):
                raise errors.exists(shown(at))
            self._files.make(at)
            return self._files.entry(at)

    def move(self, source: str, target: str) -> Entry:
        """Give a file or a tree another path. An existing target is refused. Links in a tree go along."""
        with self._changing():
            old = self._meant(source, "source", change=True)
            new = self._free(target, old)
            self._files.move(old, new)
            return self._files.entry(new)

    def copy(self, source: str, target: str) -> Entry:
        """Make a second file or tree with the same content, binary files too. An existing target is refused."""
        with self._changing():
            old = self._meant(source, "source")
            new = self._free(target, old)
            self._files.copy(old, new)
            return self._files.entry(new)

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Remove a file, a link (not what it leads to) or an empty directory; with `recursive`, all below too."""
        with self._changing():
            at = self._meant(path, change=True)
            if not isinstance(recursive, bool):
                raise InvalidInput([("recursive", f"must be true or false, not {type(recursive).__name__}")])
            if not at:
                raise InvalidInput([("path", "must not be the root, which cannot be deleted")])
            self._files.delete(at, recursive=recursive)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One change at a time: an append is a read and a write, and a snapshot is of one moment."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            yield

    def _meant(self, path: str, field: str = "path", *, change: bool = False) -> Segments:
        return self._files.meant(segments(path, field=field), field, change=change)

    def _file(self, path: str, *, change: bool = False) -> Segments:
        """The same for a file, which the root is not."""
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
        """A path at which what stands at `old` can stand; refused before anything is touched."""
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
