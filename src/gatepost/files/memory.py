"""A filesystem in memory: for tests, evaluations, and agents whose files should die with their session."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Protocol, get_args

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import InvalidInput, NotADirectory, NotAFile, NotFound, TooLarge, ToolValidationError
from gatepost.files import answers, guard, patterns, traversal
from gatepost.files.edits import admitted, edited
from gatepost.files.nodes import Directory, File, MemoryTree, Node, entry
from gatepost.files.paths import ROOT, Segments, plain, segments, shown
from gatepost.files.protocol import (
    MAX_CONTENT,
    EditResult,
    Entry,
    Match,
    ReadResult,
    WriteMode,
    WriteResult,
)
from gatepost.files.windows import text_only, window

Clock = Callable[[], datetime]


class Ending(Protocol):
    """Something that ends, and says so: a session."""

    def on_end(self, callback: Callable[[], None], /) -> object:
        """Call this when it is over."""


class InMemoryFilesystem:
    """A `Filesystem` that nothing else sees; where a session is given, its end empties it for good.

    `files` are there from the start; with `read_only` they stay as they are.
    Snapshots, `restore`, `clone` and `copy` share what they can: directories are copied when they are next written
    to, and only those on the way to what is written. Safe to use from several threads.
    """

    def __init__(
        self,
        files: Mapping[str, str] | None = None,
        *,
        session: Ending | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> None:
        self._clock: Final = clock or _now
        self._lock: Final = threading.Lock()
        self._stamp = object()
        self._home = object()
        self._root = Directory(self._stamp, {}, self._clock())
        self._ended = False
        self.read_only = False
        for path, text in (files or {}).items():
            self.write(path, text)
        self.read_only = read_only
        if session is not None:
            session.on_end(self._end)

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`, the first without `column` characters."""
        at = _meant(path)
        with self._lock:
            file = self._file(at)
        return window(shown(at), file.text, file.size, offset, limit, column)

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Let a file hold this text, making the directories on the way. `create` refuses an existing file."""
        at = _changeable(path)
        if mode not in get_args(WriteMode):
            known = ", ".join(get_args(WriteMode))
            raise InvalidInput([("mode", f"must be one of {known}, and is {mode!r}")])
        with self._changing():
            there = self._seek(at)
            if isinstance(there, Directory):
                raise _not_a_file(at)
            if there is not None and mode == "create":
                raise answers.exists(shown(at))
            text = text_only(shown(at), "content", content)
            if there and mode == "append":
                text = _bounded(at, there.text + text)
            file = self._put(at, text)
            return WriteResult(path=shown(at), size=file.size, created=there is None)

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        """Replace old texts, each of which occurs exactly once, by new ones, in order; all of them or none."""
        at = _changeable(path)
        wanted = admitted(shown(at), edits, dry_run=dry_run)
        with self._changing():
            before = self._file(at).text
            text, result = edited(shown(at), before, wanted)
            if _bounded(at, text) != before and not dry_run:
                self._put(at, text)
            return result

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """What stands directly in a directory."""
        at = _meant(path)
        with self._lock:
            self._directory(at)
            return traversal.listed(at, MemoryTree(self._root).children(at), after, limit)

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
        at = _meant(path)
        patterns.compiled(pattern)
        with self._lock:
            self._directory(at)
            return traversal.glob(MemoryTree(self._root), pattern, at, after, limit, ignored=ignored)

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

        What git ignores is left out, unless `ignored` or it is `path` itself.
        """
        at = _meant(path)
        if glob:
            patterns.compiled(glob, field="glob")
        with self._lock:
            return traversal.grep(
                MemoryTree(self._root), pattern, at, self._node(at).kind, glob, after, limit, ignored=ignored
            )

    def stat(self, path: str) -> Entry:
        """What stands at a path."""
        at = _meant(path)
        with self._lock:
            return entry(shown(at), self._node(at))

    def mkdir(self, path: str) -> Entry:
        """Let there be a directory, and those on the way. One that exists is left as it is."""
        at = _changeable(path)
        with self._changing():
            there = self._seek(at)
            if isinstance(there, File):
                raise answers.exists(shown(at))
            made = there or Directory(self._stamp, {}, self._clock())
            if there is None:
                self._place(at, made)
            return entry(shown(at), made)

    def move(self, source: str, target: str) -> Entry:
        """Give a file or a tree another path. An existing target is refused."""
        old, new = _changeable(source, "source"), _changeable(target, "target")
        with self._changing():
            node = self._transferable(old, new)
            self._remove(old)
            self._place(new, node)
            return entry(shown(new), node)

    def copy(self, source: str, target: str) -> Entry:
        """Make a second file or tree with the same content. An existing target is refused."""
        old, new = _meant(source, "source"), _changeable(target, "target")
        with self._changing():
            node = self._transferable(old, new)
            # From here on one directory stands at two paths: no stamp may say that it is any path's own.
            self._stamp = object()
            self._place(new, node)
            return entry(shown(new), node)

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Remove a file or an empty directory; with `recursive`, all that stands below too."""
        at = _changeable(path)
        if not isinstance(recursive, bool):
            raise InvalidInput([("recursive", f"must be true or false, not {type(recursive).__name__}")])
        if at == ROOT:
            raise InvalidInput([("path", "must not be the root, which cannot be deleted")])
        with self._changing():
            node = self._node(at)
            if isinstance(node, Directory) and node.children and not recursive:
                raise answers.not_empty(shown(at))
            self._remove(at)

    def snapshot(self) -> "MemorySnapshot":
        """The present state, to come back to with `restore`; costs the same however much there is."""
        with self._lock:
            self._stamp = object()
            return MemorySnapshot(home=self._home, root=self._root)

    def restore(self, snapshot: Any) -> None:
        """Be again as at a snapshot of this very filesystem; it can be restored any number of times."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            if not isinstance(snapshot, MemorySnapshot) or snapshot.home is not self._home:
                raise InvalidInput([("snapshot", "must have been taken of this very filesystem, in this session")])
            self._stamp = object()
            self._root = snapshot.root

    def clone(self, *, session: Ending | None = None, read_only: bool | None = None) -> "InMemoryFilesystem":
        """A filesystem with the same files that lives on its own, bound to `session` if one is given.

        It is read-only if this one is, unless `read_only` says otherwise.
        """
        only = self.read_only if read_only is None else read_only
        twin = InMemoryFilesystem(session=session, clock=self._clock, read_only=only)
        with self._lock:
            self._stamp = object()
            twin._root = self._root
        return twin

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone with the files, to change them; refuses where nobody would ever see the change."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            if self._ended:
                raise ToolValidationError(
                    "The session of these files has ended, and the files with it.",
                    "Go on with a filesystem of a session that runs: a new one, or a clone made before the end.",
                )
            yield

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            self._home = object()  # snapshots of before bring nothing back
            self._stamp = object()
            self._root = Directory(self._stamp, {}, self._clock())

    def _transferable(self, old: Segments, new: Segments) -> "Node":
        """What stands at `old`, if it can stand at `new` as well."""
        if old == ROOT:
            raise InvalidInput([("source", "must not be the root, which stays where it is")])
        node = self._node(old)
        if new == old:
            raise answers.exists(shown(new))
        traversal.admit_transfer(MemoryTree(self._root), old, node.kind, new)
        if self._seek(new) is not None:
            raise answers.exists(shown(new))
        return node

    def _file(self, at: Segments) -> "File":
        node = self._node(at)
        if isinstance(node, Directory):
            raise _not_a_file(at)
        return node

    def _directory(self, at: Segments) -> "Directory":
        node = self._node(at)
        if isinstance(node, File):
            raise _not_a_directory(at)
        return node

    def _node(self, at: Segments) -> "Node":
        node = self._seek(at)
        if node is None:
            near = max((at[:depth] for depth in range(len(at)) if self._seek(at[:depth])), key=len)
            raise NotFound(shown(at), shown(near))
        return node

    def _seek(self, at: Segments) -> "Node | None":
        """What stands there, if something does; refuses a way that leads through a file."""
        node: Node = self._root
        for depth, name in enumerate(at):
            if isinstance(node, File):
                raise _not_a_directory(at[:depth])
            below = node.children.get(name)
            if below is None:
                return None
            node = below
        return node

    def _put(self, at: Segments, text: str) -> "File":
        file = File(text, len(text.encode()), self._clock())
        self._place(at, file)
        return file

    def _place(self, at: Segments, node: "Node") -> None:
        """Let a node stand there, whatever stood there before; `_seek` has been asked whether it can."""
        parent = self._own_way(at[:-1])
        if at[-1] not in parent.children:
            parent.modified = self._clock()
        parent.children[at[-1]] = node

    def _remove(self, at: Segments) -> None:
        parent = self._own_way(at[:-1])
        parent.modified = self._clock()
        del parent.children[at[-1]]

    def _own_way(self, at: Segments) -> "Directory":
        """The directory there, free to be changed, and made if it was missing."""
        here = self._root = self._own(self._root)
        for name in at:
            known = here.children.get(name)
            if isinstance(known, Directory):
                below = self._own(known)
            else:
                below = Directory(self._stamp, {}, self._clock())
                here.modified = below.modified
            here.children[name] = below
            here = below
        return here

    def _own(self, directory: "Directory") -> "Directory":
        """The same directory, or a copy if a snapshot, a clone or another path may still look at it."""
        if directory.stamp is self._stamp:
            return directory
        return Directory(self._stamp, directory.children.copy(), directory.modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """A state of one filesystem; only that one can do something with it."""

    home: object = field(repr=False)
    root: "Directory" = field(repr=False)


def _meant(path: str, field: str = "path") -> Segments:
    return plain(segments(path, field=field), field=field)


def _changeable(path: str, field: str = "path") -> Segments:
    at = _meant(path, field)
    guard.admit_change(at, field=field)
    return at


def _bounded(at: Segments, text: str) -> str:
    """The same text, unless it is more than a file in memory holds."""
    if len(text) > MAX_CONTENT:
        raise TooLarge(
            f"{shown(at)} would have {len(text):,} characters; a file has at most {MAX_CONTENT:,}.",
            "Continue in another file.",
        )
    return text


def _not_a_file(at: Segments) -> NotAFile:
    return NotAFile(f"`path`: {shown(at)} is a directory, not a file.", "Name a file in it.")


def _not_a_directory(at: Segments) -> NotADirectory:
    return NotADirectory(f"`path`: {shown(at)} is a file, not a directory.", "Name a directory, or another path.")


def _now() -> datetime:
    return datetime.now(UTC)
