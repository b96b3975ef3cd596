"""Files and directories in memory, and how walks look at them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from gatepost.files import traversal
from gatepost.files.paths import Segments, shown
from gatepost.files.protocol import Entry, Kind


@dataclass(slots=True, eq=False)
class Directory:
    """Changed only by the filesystem whose present stamp it carries."""

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


@dataclass(frozen=True, slots=True)
class MemoryTree:
    """The present state, as walks look at it."""

    root: Directory

    def children(self, at: Segments) -> Sequence[Entry]:
        node = self._at(at)
        if not isinstance(node, Directory):
            return ()
        before = f"{shown(at)}/" if at else ""
        return [entry(f"{before}{name}", node.children[name]) for name in sorted(node.children)]

    def seen(self, at: Segments) -> Sequence[traversal.Seen]:
        node = self._at(at)
        if not isinstance(node, Directory):
            return ()
        below = node.children
        return [(name, below[name].kind, below[name].text) for name in sorted(below)]

    def searchable(self, at: Segments) -> bytes | None:
        node = self._at(at)
        return node.text.encode() if isinstance(node, File) else None

    def _at(self, at: Segments) -> Node | None:
        node: Node | None = self.root
        for name in at:
            node = node.children.get(name) if isinstance(node, Directory) else None
        return node


def entry(path: str, node: Node) -> Entry:
    if isinstance(node, File):
        return Entry(path=path, kind="file", size=node.size, modified=node.modified)
    return Entry(path=path, kind="directory", modified=node.modified)
