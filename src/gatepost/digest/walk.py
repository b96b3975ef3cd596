"""One walk through a repository: limited, in a fixed order, and never through a link.

Breadth first, so that a limit leaves the upper levels complete.
"""

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from typing import Final

from gatepost.digest.knowledge import KNOWN
from gatepost.domain.protected_names import closed
from gatepost.files import ignore, no_follow
from gatepost.files.ignore import Rules
from gatepost.files.no_follow import Path

MOST_ENTRIES: Final = 20_000
DEEPEST: Final = 12

_private = {key: re.compile("|".join(map(translate, globs.split()))) for key, globs in KNOWN.private.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryTree:
    """The regular files and directories to report, as sorted relative paths."""

    files: tuple[str, ...]
    directories: tuple[str, ...]
    complete: bool


class _Walk:
    """What a walk has found so far."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.directories: list[str] = []
        self.complete = True
        self._left = MOST_ENTRIES

    def visit(self, directory: int, path: Path, above: Rules | None) -> Iterable[tuple[str, Rules | None]]:
        """Record the entries of a directory, and return the subdirectories to enter. Skips what cannot be read."""
        try:
            rules = _with_own_rules(directory, len(path), above)
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)[: self._left + 1]
                subdirectories = [entry.name for entry in entries[: self._left] if self._record(path, entry, rules)]
        except (ignore.IgnoreFileTooLarge, OSError):
            self.complete = False
            return ()
        may_descend = len(path) < DEEPEST - 1
        if len(entries) > self._left or (subdirectories and not may_descend):
            self.complete = False
        self._left = max(0, self._left - len(entries))
        return [(name, rules) for name in subdirectories] if may_descend else ()

    def _record(self, path: Path, entry: os.DirEntry[str], rules: Rules | None) -> bool:
        """Record an entry. Returns whether it is a directory to enter."""
        at, is_directory = (*path, entry.name), entry.is_dir(follow_symlinks=False)
        if _is_private(entry.name) or (rules and rules.ignores(at, directory=is_directory)):
            return False
        if is_directory:
            self.directories.append("/".join(at))
        elif entry.is_file(follow_symlinks=False):
            self.files.append("/".join(at))
        return is_directory


def walked(root: int) -> RepositoryTree:
    """The tree below an open directory."""
    found = _Walk()
    try:
        no_follow.walk(root, _excluded(root), found.visit)
    except ignore.IgnoreFileTooLarge:
        found.complete = False
    return RepositoryTree(
        files=tuple(sorted(found.files)), directories=tuple(sorted(found.directories)), complete=found.complete
    )


def _is_private(name: str) -> bool:
    """Whether an entry of this name is private: neither opened nor reported."""
    plain = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    secret = _private["secret"].match(plain) and not _private["example"].match(plain)
    return bool(secret or _private["derived"].match(plain)) or closed(name)


def _with_own_rules(directory: int, depth: int, above: Rules | None) -> Rules | None:
    """The rules for a directory. If its `.gitignore` cannot be applied, the directory is left out to be safe."""
    try:
        data = no_follow.read(directory, ignore.FILE, ignore.MAX_BYTES + 1)
    except (FileNotFoundError, no_follow.NotRegular):
        return above
    except OSError as unreadable:
        raise ignore.IgnoreFileTooLarge from unreadable
    return Rules(data, depth, above)


def _excluded(root: int) -> Rules | None:
    *folder, name = ignore.EXCLUDE
    try:
        with no_follow.closing(no_follow.directory(root, folder)) as found:
            return Rules(no_follow.read(found, name, ignore.MAX_BYTES + 1), 0)
    except OSError:
        return None
