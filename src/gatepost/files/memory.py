"""A filesystem in memory: for tests, evaluations, and agents whose files should die with their session."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Protocol, get_args

from gatepost.domain.refusals import InvalidInput, NotADirectory, NotAFile, NotFound, ToolValidationError
from gatepost.files import answers, patterns, walking
from gatepost.files.paths import ROOT, Segments, segments, shown
from gatepost.files.protocol import Entry, Kind, Match, ReadResult, WriteMode, WriteResult
from gatepost.files.windows import joined, window

Clock = Callable[[], datetime]


class Ending(Protocol):
    """Something that ends, and says so: a session."""

    def on_end(self, callback: Callable[[], None], /) -> object:
        """Call this when it is over."""


class InMemoryFilesystem:
    """A `Filesystem` that nothing else sees; where a session is given, its end empties it for good.

    Snapshots, `restore`, `clone` and `copy` share what they can: directories are copied when they are next written
    to, and only those on the way to what is written. Safe to use from several threads.
    """

    def __init__(self, *, session: Ending | None = None, clock: Clock | None = None) -> None:
        self._clock: Final = clock or _now
        self._lock: Final = threading.Lock()
        self._stamp = object()
        self._home = object()
        self._root = _Directory(self._stamp, {}, self._clock())
        self._ended = False
        if session is not None:
            session.on_end(self._end)

    def read(self, path: str, offset: int = 0, limit: int | None = None) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`."""
        at = segments(path)
        with self._lock:
            file = self._file(at)
        return window(shown(at), file.text, file.size, offset, limit)

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Let a file hold this text, making the directories on the way. `create` refuses an existing file."""
        at = segments(path)
        if mode not in get_args(WriteMode):
            known = ", ".join(get_args(WriteMode))
            raise InvalidInput([("mode", f"must be one of {known}, and is {mode!r}")])
        with self._changing():
            there = self._seek(at)
            if isinstance(there, _Directory):
                raise _not_a_file(at)
            if there is not None and mode == "create":
                raise answers.exists(shown(at))
            text = joined(shown(at), there.text if there and mode == "append" else "", content)
            size = len(text.encode())
            self._place(at, _File(text, size, self._clock()))
            return WriteResult(path=shown(at), size=size, created=there is None)

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """What stands directly in a directory."""
        at = segments(path)
        with self._lock:
            self._directory(at)
            return walking.listed(_Tree(self._root), at, after, limit)

    def glob(
        self, pattern: str, path: str = ".", *, after: str | None = None, limit: int | None = None
    ) -> Sequence[str]:
        """The paths below a directory that match: `*` and `?` stay in a segment, `**` crosses."""
        at = segments(path)
        patterns.compiled(pattern)
        with self._lock:
            self._directory(at)
            return walking.glob(_Tree(self._root), pattern, at, after, limit)

    def grep(
        self,
        pattern: str,
        path: str = ".",
        glob: str | None = None,
        *,
        after: tuple[str, int] | None = None,
        limit: int | None = None,
    ) -> Sequence[Match]:
        """The lines that a regular expression finds in a file, or in the files below a directory."""
        at = segments(path)
        if glob:
            patterns.compiled(glob, field="glob")
        with self._lock:
            return walking.grep(_Tree(self._root), pattern, at, self._node(at).kind, glob, after, limit)

    def stat(self, path: str) -> Entry:
        """What stands at a path."""
        at = segments(path)
        with self._lock:
            return _entry(shown(at), self._node(at))

    def mkdir(self, path: str) -> Entry:
        """Let there be a directory, and those on the way. One that exists is left as it is."""
        at = segments(path)
        with self._changing():
            there = self._seek(at)
            if isinstance(there, _File):
                raise answers.exists(shown(at))
            made = there or _Directory(self._stamp, {}, self._clock())
            if there is None:
                self._place(at, made)
            return _entry(shown(at), made)

    def move(self, source: str, target: str) -> Entry:
        """Give a file or a tree another path. An existing target is refused."""
        old, new = segments(source, field="source"), segments(target, field="target")
        with self._changing():
            node = self._transferable(old, new)
            self._remove(old)
            self._place(new, node)
            return _entry(shown(new), node)

    def copy(self, source: str, target: str) -> Entry:
        """Make a second file or tree with the same content. An existing target is refused."""
        old, new = segments(source, field="source"), segments(target, field="target")
        with self._changing():
            node = self._transferable(old, new)
            # From here on one directory stands at two paths: no stamp may say that it is any path's own.
            self._stamp = object()
            self._place(new, node)
            return _entry(shown(new), node)

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Remove a file or an empty directory; with `recursive`, all that stands below too."""
        at = segments(path)
        if not isinstance(recursive, bool):
            raise InvalidInput([("recursive", f"must be true or false, not {type(recursive).__name__}")])
        if at == ROOT:
            raise InvalidInput([("path", "must not be the root, which cannot be deleted")])
        with self._changing():
            node = self._node(at)
            if isinstance(node, _Directory) and node.children and not recursive:
                raise answers.not_empty(shown(at))
            self._remove(at)

    def snapshot(self) -> "MemorySnapshot":
        """The present state, to come back to with `restore`; costs the same however much there is."""
        with self._lock:
            self._stamp = object()
            return MemorySnapshot(home=self._home, root=self._root)

    def restore(self, snapshot: Any) -> None:
        """Be again as at a snapshot of this very filesystem; it can be restored any number of times."""
        with self._lock:
            if not isinstance(snapshot, MemorySnapshot) or snapshot.home is not self._home:
                raise InvalidInput([("snapshot", "must have been taken of this very filesystem, in this session")])
            self._stamp = object()
            self._root = snapshot.root

    def clone(self, *, session: Ending | None = None) -> "InMemoryFilesystem":
        """A filesystem with the same files that lives on its own, bound to `session` if one is given."""
        twin = InMemoryFilesystem(session=session, clock=self._clock)
        with self._lock:
            self._stamp = object()
            twin._root = self._root
        return twin

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone with the files, to change them; refuses where nobody would ever see the change."""
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
            self._root = _Directory(self._stamp, {}, self._clock())

    def _transferable(self, old: Segments, new: Segments) -> "_Node":
        """What stands at `old`, if it can stand at `new` as well."""
        if old == ROOT:
            raise InvalidInput([("source", "must not be the root, which stays where it is")])
        node = self._node(old)
        if new == old:
            raise answers.exists(shown(new))
        walking.admit_transfer(_Tree(self._root), old, node.kind, new)
        if self._seek(new) is not None:
            raise answers.exists(shown(new))
        return node

    def _file(self, at: Segments) -> "_File":
        node = self._node(at)
        if isinstance(node, _Directory):
            raise _not_a_file(at)
        return node

    def _directory(self, at: Segments) -> "_Directory":
        node = self._node(at)
        if isinstance(node, _File):
            raise _not_a_directory(at)
        return node

    def _node(self, at: Segments) -> "_Node":
        node = self._seek(at)
        if node is None:
            near = max((at[:depth] for depth in range(len(at)) if self._seek(at[:depth])), key=len)
            raise NotFound(shown(at), shown(near))
        return node

    def _seek(self, at: Segments) -> "_Node | None":
        """What stands there, if something does; refuses a way that leads through a file."""
        node: _Node = self._root
        for depth, name in enumerate(at):
            if isinstance(node, _File):
                raise _not_a_directory(at[:depth])
            below = node.children.get(name)
            if below is None:
                return None
            node = below
        return node

    def _place(self, at: Segments, node: "_Node") -> None:
        """Let a node stand there, whatever stood there before; `_seek` has been asked whether it can."""
        parent = self._own_way(at[:-1])
        if at[-1] not in parent.children:
            parent.modified = self._clock()
        parent.children[at[-1]] = node

    def _remove(self, at: Segments) -> None:
        parent = self._own_way(at[:-1])
        parent.modified = self._clock()
        del parent.children[at[-1]]

    def _own_way(self, at: Segments) -> "_Directory":
        """The directory there, free to be changed, and made if it was missing."""
        here = self._root = self._own(self._root)
        for name in at:
            known = here.children.get(name)
            if isinstance(known, _Directory):
                below = self._own(known)
            else:
                below = _Directory(self._stamp, {}, self._clock())
                here.modified = below.modified
            here.children[name] = below
            here = below
        return here

    def _own(self, directory: "_Directory") -> "_Directory":
        """The same directory, or a copy if a snapshot, a clone or another path may still look at it."""
        if directory.stamp is self._stamp:
            return directory
        return _Directory(self._stamp, directory.children.copy(), directory.modified)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """A state of one filesystem; only that one can do something with it."""

    home: object = field(repr=False)
    root: "_Directory" = field(repr=False)


@dataclass(slots=True, eq=False)
class _Directory:
    """Changed only by the filesystem whose present stamp it carries."""

    kind: ClassVar[Kind] = "directory"
    text: ClassVar[None] = None
    stamp: object
    children: "dict[str, _Node]"
    modified: datetime


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    kind: ClassVar[Kind] = "file"
    text: str
    size: int
    modified: datetime


_Node = _Directory | _File


@dataclass(frozen=True, slots=True)
class _Tree:
    """The present state, as walks look at it."""

    root: _Directory

    def children(self, at: Segments) -> Sequence[Entry]:
        node = self._at(at)
        if isinstance(node, _File):
            return ()
        before = f"{shown(at)}/" if at else ""
        return [_entry(f"{before}{name}", node.children[name]) for name in sorted(node.children)]

    def seen(self, at: Segments) -> Sequence[walking.Seen]:
        node = self._at(at)
        if isinstance(node, _File):
            return ()
        below = node.children
        return [(name, below[name].kind, below[name].text) for name in sorted(below)]

    def searchable(self, at: Segments) -> bytes | None:
        node = self._at(at)
        return node.text.encode() if isinstance(node, _File) else None

    def _at(self, at: Segments) -> _Node:
        node: _Node = self.root
        for name in at:
            if isinstance(node, _Directory):
                node = node.children[name]
        return node


def _entry(path: str, node: _Node) -> Entry:
    if isinstance(node, _File):
        return Entry(path=path, kind="file", size=node.size, modified=node.modified)
    return Entry(path=path, kind="directory", modified=node.modified)


def _not_a_file(at: Segments) -> NotAFile:
    return NotAFile(
        f"`path`: {shown(at)} is a directory, not a file.", "Name a file; file_list shows what is in it."
    )


def _not_a_directory(at: Segments) -> NotADirectory:
    return NotADirectory(f"`path`: {shown(at)} is a file, not a directory.", "Name a directory, or another path.")


def _now() -> datetime:
    return datetime.now(UTC)
