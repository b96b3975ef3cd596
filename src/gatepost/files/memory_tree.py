"""Files and directories in memory, shared with snapshots and clones until they change."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from gatepost.domain.refusals import NotFound, TooLarge
from gatepost.files import errors, guard, traversal
from gatepost.files.edits import edited
from gatepost.files.paths import Segments, plain, shown
from gatepost.files.protocol import (
    MAX_CONTENT,
    EditResult,
    Entry,
    Kind,
    ReadResult,
    TextEdit,
    WriteMode,
    WriteResult,
)
from gatepost.files.text_window import window

Clock = Callable[[], datetime]


@dataclass(slots=True, eq=False)
class Directory:
    """Changed only by the nodes whose present stamp it carries."""

    kind: ClassVar[Kind] = "directory"
    text: ClassVar[None] = None
    stamp: object
    children: "dict[str, Node]"
    modified: datetime


@dataclass(frozen=True, slots=True, eq=False)
class File:
    kind: ClassVar[Kind] = "file"
    text: str
    size: int
    modified: datetime


Node = Directory | File


class MemoryTree:
    """A home for files in memory; see `Home`. One caller at a time."""

    def __init__(self, clock: Clock) -> None:
        self.clock: Final = clock
        self._stamp = object()
        self._root = Directory(self._stamp, {}, clock())

    def shared(self) -> Directory:
        """The root as it is now. From here on it is copied before it changes."""
        self._stamp = object()
        return self._root

    def share(self, root: Directory) -> None:
        """Continue from another root, which stays unchanged."""
        self._stamp = object()
        self._root = root

    def meant(self, asked: Segments, field: str, *, change: bool) -> Segments:
        at = plain(asked, field=field)
        if change:
            guard.admit_change(at, field=field)
        return at

    def entry(self, at: Segments) -> Entry:
        return _entry(shown(at), self._node(at))

    def children(self, at: Segments) -> Sequence[Entry]:
        before = f"{shown(at)}/" if at else ""
        below = self._directory(at).children
        return [_entry(f"{before}{name}", below[name]) for name in sorted(below)]

    @contextmanager
    def searched(self, at: Segments) -> Iterator[traversal.ReadableTree]:
        self._directory(at)
        yield self

    def walk_entries(self, at: Segments) -> Sequence[traversal.WalkEntry]:
        below = self._directory(at).children
        return [(name, below[name].kind, below[name].text) for name in sorted(below)]

    def searchable(self, at: Segments) -> bytes | None:
        node = self._seek(at)
        return node.text.encode() if isinstance(node, File) else None

    def read(self, at: Segments, offset: int, limit: int | None, column: int) -> ReadResult:
        file = self._file(at)
        return window(shown(at), (file.text,), file.size, offset, limit, column)

    def write(self, at: Segments, content: str, mode: WriteMode) -> WriteResult:
        there = None if self._seek(at) is None else self._file(at)
        if there and mode == "create":
            raise errors.exists(shown(at))
        file = self._put(at, there.text + content if there and mode == "append" else content)
        return WriteResult(path=shown(at), size=file.size, created=there is None)

    def edit(self, at: Segments, wanted: Sequence[TextEdit], *, dry_run: bool) -> EditResult:
        text, result = edited(shown(at), self._file(at).text, wanted)
        _admit_length(at, text)
        if result.changed and not dry_run:
            self._put(at, text)
        return result

    def make(self, at: Segments) -> None:
        self._own_way(at)

    def move(self, old: Segments, new: Segments) -> None:
        node = self._node(old)
        self._remove(old)
        self._place(new, node)

    def copy(self, old: Segments, new: Segments) -> None:
        # The directory is now at two paths, so neither may own it.
        self._stamp = object()
        self._place(new, self._node(old))

    def delete(self, at: Segments, *, recursive: bool) -> None:
        node = self._node(at)
        if isinstance(node, Directory) and node.children and not recursive:
            raise errors.not_empty(shown(at))
        self._remove(at)

    def _file(self, at: Segments) -> File:
        node = self._node(at)
        if isinstance(node, Directory):
            raise errors.not_a_file(shown(at))
        return node

    def _directory(self, at: Segments) -> Directory:
        node = self._node(at)
        if isinstance(node, File):
            raise errors.not_a_directory(shown(at))
        return node

    def _node(self, at: Segments) -> Node:
        node = self._seek(at)
        if node is None:
            near = max((at[:depth] for depth in range(len(at)) if self._seek(at[:depth])), key=len)
            raise NotFound(shown(at), shown(near))
        return node

    def _seek(self, at: Segments) -> Node | None:
        """The node at a path, if any. Refuses a path that leads through a file."""
        node: Node = self._root
        for depth, name in enumerate(at):
            if isinstance(node, File):
                raise errors.not_a_directory(shown(at[:depth]))
            below = node.children.get(name)
            if below is None:
                return None
            node = below
        return node

    def _put(self, at: Segments, text: str) -> File:
        _admit_length(at, text)
        file = File(text, len(text.encode()), self.clock())
        self._place(at, file)
        return file

    def _place(self, at: Segments, node: Node) -> None:
        """Put a node at a path, replacing any other. The caller has checked the path with `_seek`."""
        parent = self._own_way(at[:-1])
        if at[-1] not in parent.children:
            parent.modified = self.clock()
        parent.children[at[-1]] = node

    def _remove(self, at: Segments) -> None:
        parent = self._own_way(at[:-1])
        parent.modified = self.clock()
        del parent.children[at[-1]]

    def _own_way(self, at: Segments) -> Directory:
        """The directory at a path, ready to be changed, created if missing."""
        here = self._root = self._own(self._root)
        for name in at:
            known = here.children.get(name)
            if isinstance(known, Directory):
                below = self._own(known)
            else:
                below = Directory(self._stamp, {}, self.clock())
                here.modified = below.modified
            here.children[name] = below
            here = below
        return here

    def _own(self, directory: Directory) -> Directory:
        """The same directory, or a copy if a snapshot, a clone or another path may share it."""
        if directory.stamp is self._stamp:
            return directory
        return Directory(self._stamp, directory.children.copy(), directory.modified)


def _entry(path: str, node: Node) -> Entry:
    return Entry(path, node.kind, node.size if isinstance(node, File) else None, node.modified)


def _admit_length(at: Segments, text: str) -> None:
    """Refuse a text that is too long for a file in memory."""
    if len(text) > MAX_CONTENT:
        raise TooLarge(
            f"{shown(at)} would have {len(text):,} characters; a file has at most {MAX_CONTENT:,}.",
            "Continue in another file.",
        )
