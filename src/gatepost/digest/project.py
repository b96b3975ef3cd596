"""A project's files, to be read: few, bounded, text only, each at most once."""

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from typing import Final

from gatepost.digest import safe_open
from gatepost.digest.walk import Tree

MOST_FILES: Final = 64
MOST_BYTES: Final = 262_144

_HEAVIEST: Final = 100_000
_MOST_DOTS: Final = 200
"""In one line: a TOML key of n dots takes n² steps to parse."""

Table = Mapping[str, object]
_EMPTY: Final[Table] = {}


class Project:
    """Reads by relative path. `complete` says whether nothing that was asked for had to be left out."""

    def __init__(self, root: int, tree: Tree) -> None:
        self.tree = tree
        self.complete = tree.complete
        self._root = root
        self._names: dict[str, list[str]] = {}
        for path in tree.files:
            place, _, name = path.rpartition("/")
            self._names.setdefault(place, []).append(name)
        self._files = frozenset(tree.files)
        self._texts: dict[str, str | None] = {}
        self._whole: set[str] = set()
        self._tables: dict[str, Table] = {}

    def has(self, path: str) -> bool:
        """Whether the walk saw such a file."""
        return path in self._files

    def names(self, place: str) -> tuple[str, ...]:
        """The names of the files that a directory holds. The root is `""`."""
        return tuple(self._names.get(place, ()))

    def first(self, *paths: str) -> str:
        """The first of these files that the walk saw; empty if it saw none."""
        return next((path for path in paths if path in self._files), "")

    def size(self, path: str) -> int:
        """How many bytes a file has, counted up to a bound: tables and bundles are not worth more than that."""
        try:
            return min(os.stat(path, dir_fd=self._root, follow_symlinks=False).st_size, _HEAVIEST)
        except OSError:
            return 0

    @property
    def spare(self) -> int:
        """How many more files may be read."""
        return MOST_FILES - len(self._texts)

    def text(self, path: str) -> str:
        """A file's text with plain newlines, to its bound in whole lines; empty if it is none that can be read."""
        if path not in self._files:
            return ""
        if path not in self._texts:
            if not self.spare:
                self.complete = False
                return ""
            self._texts[path] = self._read(path)
        return self._texts[path] or ""

    def toml(self, path: str) -> Table:
        """A TOML file's content; empty if it is not there, not whole, or not TOML."""
        if path not in self._tables:
            self._tables[path] = _parsed(_toml, self._whole_text(path))
        return self._tables[path]

    def json(self, path: str) -> Table:
        """A JSON file's content; empty if it is not there, not whole, or no JSON object."""
        if path not in self._tables:
            self._tables[path] = _parsed(json.loads, self._whole_text(path))
        return self._tables[path]

    def _whole_text(self, path: str) -> str:
        text = self.text(path)
        return text if path in self._whole else ""

    def _read(self, path: str) -> str | None:
        try:
            data = safe_open.read(self._root, path.split("/"), MOST_BYTES + 1)
        except OSError:
            return None
        if len(data) > MOST_BYTES:
            self.complete = False
            data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1]
        else:
            self._whole.add(path)
        if b"\0" in data:
            return None
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            return None


def _parsed(parse: Callable[[str], object], text: str) -> Table:
    try:
        held = parse(text) if text else None
    except (ValueError, RecursionError):
        return _EMPTY
    return held if isinstance(held, dict) else _EMPTY


def _toml(text: str) -> object:
    hostile = any(line.count(".") > _MOST_DOTS for line in text.split("\n"))
    return None if hostile else tomllib.loads(text)


def table(held: Table, *keys: str) -> Table:
    """A table within a table; empty where there is none."""
    for key in keys:
        inner = held.get(key)
        if not isinstance(inner, dict):
            return _EMPTY
        held = inner
    return held


def string(held: Table, key: str) -> str:
    """A text under a key; empty where there is none."""
    value = held.get(key)
    return value if isinstance(value, str) else ""


def strings(held: Table, key: str) -> list[str]:
    """The texts in a list under a key."""
    value = held.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def joined(place: str, name: str) -> str:
    """The path of a file in a directory; the root is `""`."""
    return f"{place}/{name}" if place else name
