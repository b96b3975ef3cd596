"""Reads a project's files: a limited number, text only, each at most once."""

import fnmatch
import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from gatepost.digest.knowledge import Mark
from gatepost.digest.walk import RepositoryTree
from gatepost.files import no_follow
from gatepost.wire import toml_input

MOST_FILES: Final = 64
MOST_BYTES: Final = 262_144

_HEAVIEST: Final = 100_000

Table = Mapping[str, object]


class Marked(NamedTuple):
    """The file with a mark, and the group that the mark's pattern captured."""

    file: str
    value: str


class Project:
    """Reads by relative path. `complete` is false if a limit left something out."""

    def __init__(self, root: int, tree: RepositoryTree) -> None:
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
        self._data: dict[str, object] = {}

    def has(self, path: str) -> bool:
        """Whether the walk found this file."""
        return path in self._files

    def names(self, place: str) -> tuple[str, ...]:
        """The names of the files in a directory. The root is `""`."""
        return tuple(self._names.get(place, ()))

    def first(self, *paths: str) -> str:
        """The first of these files that the walk found; empty if it found none."""
        return next((path for path in paths if path in self._files), "")

    def size(self, path: str) -> int:
        """The size of a file in bytes, up to a limit, so that tables and bundles do not dominate."""
        try:
            return min(os.stat(path, dir_fd=self._root, follow_symlinks=False).st_size, _HEAVIEST)
        except OSError:
            return 0

    @property
    def spare(self) -> int:
        """The number of files that may still be read."""
        return MOST_FILES - len(self._texts)

    def text(self, path: str) -> str:
        """A file's text with plain newlines, up to a limit in whole lines; empty if it cannot be read."""
        if path not in self._files:
            return ""
        if path not in self._texts:
            if not self.spare:
                self.complete = False
                return ""
            self._texts[path] = self._read(path)
        return self._texts[path] or ""

    def at(self, where: str, place: str = "") -> object:
        """A value in a TOML or JSON file, such as `Cargo.toml workspace.members`; None if missing.

        A file that is incomplete or invalid has no values.
        """
        file, _, keys = where.partition(" ")
        path = joined(place, file)
        if path not in self._data:
            text = self.text(path)
            parse = toml_input.parsed if path.endswith(".toml") else json.loads
            self._data[path] = _parsed(parse, text) if path in self._whole else None
        held = self._data[path]
        for key in keys.split(".") if keys else ():
            held = table(held).get(key)
        return held

    def marked(self, mark: Mark, place: str = "") -> Marked | None:
        """The file in a directory with a mark. Checks only the first match of each glob."""
        for shape in mark.files.split():
            folder, _, glob = shape.rpartition("/")
            for name in fnmatch.filter(self.names(joined(place, folder)), glob)[:1]:
                file = joined(folder, name)
                match = re.search(mark.inside, self.text(joined(place, file))) if mark.inside else None
                if match or not mark.inside:
                    return Marked(file, match[1] if match and match.re.groups else "")
        return None

    def _read(self, path: str) -> str | None:
        try:
            *folder, name = path.split("/")
            with no_follow.closing(no_follow.directory(self._root, folder)) as found:
                data = no_follow.read(found, name, MOST_BYTES + 1)
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


def _parsed(parse: Callable[[str], object], text: str) -> object:
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


def table(value: object) -> Table:
    """A value if it is a table, else empty."""
    return value if isinstance(value, dict) else {}


def string(value: object) -> str:
    """A value if it is a text, else empty."""
    return value if isinstance(value, str) else ""


def strings(value: object) -> list[str]:
    """The texts in a value that is a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def joined(*parts: str) -> str:
    """A path from parts of it. The root is `""`."""
    return "/".join(part for part in parts if part)
