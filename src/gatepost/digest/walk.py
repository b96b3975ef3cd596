"""One walk through a repository: bounded, in one order, and never through a link.

Breadth first, so that where a bound cuts the walk short, the upper levels are whole.
"""

import os
import re
import unicodedata
from collections import deque
from dataclasses import dataclass
from fnmatch import translate
from typing import Final

from gatepost.digest import safe_open
from gatepost.digest.knowledge import KNOWN
from gatepost.files import ignore
from gatepost.files.guard import closed
from gatepost.files.ignore import Rules

MOST_ENTRIES: Final = 20_000
DEEPEST: Final = 12

Path = tuple[str, ...]

_private = {key: re.compile("|".join(map(translate, globs.split()))) for key, globs in KNOWN.private.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryTree:
    """The regular files and the directories that may be spoken of, as sorted relative paths."""

    files: tuple[str, ...]
    directories: tuple[str, ...]
    complete: bool


@dataclass(slots=True)
class _Walk:
    root: int
    files: list[str]
    directories: list[str]
    queue: deque[tuple[Path, Rules | None]]
    entries: int = 0
    complete: bool = True


def walked(root: int) -> RepositoryTree:
    """The tree below an open directory. What cannot be opened is passed over."""
    walk = _Walk(root, [], [], deque())
    try:
        walk.queue.append(((), _excluded(root)))
    except ignore.TooLarge:
        walk.complete = False
    while walk.queue:
        path, above = walk.queue.popleft()
        try:
            descriptor = safe_open.open_directory(root, path)
        except OSError:
            continue
        try:
            _look_into(walk, descriptor, path, above)
        except (ignore.TooLarge, OSError):
            walk.complete = False
        finally:
            os.close(descriptor)
    return RepositoryTree(
        files=tuple(sorted(walk.files)), directories=tuple(sorted(walk.directories)), complete=walk.complete
    )


def _look_into(walk: _Walk, descriptor: int, path: Path, above: Rules | None) -> None:
    rules = _with_own_rules(descriptor, path, above)
    with os.scandir(descriptor) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if walk.entries >= MOST_ENTRIES:
                walk.complete = False
                return
            walk.entries += 1
            if _unspoken(entry.name):
                continue
            directory = entry.is_dir(follow_symlinks=False)
            if rules and rules.ignores((*path, entry.name), directory=directory):
                continue
            if directory:
                _enter(walk, (*path, entry.name), rules)
            elif entry.is_file(follow_symlinks=False):
                walk.files.append("/".join((*path, entry.name)))


def _unspoken(name: str) -> bool:
    """Whether an entry of this name is neither opened nor named nor looked into."""
    plain = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    secret = _private["secret"].match(plain) and not _private["example"].match(plain)
    return bool(secret or _private["derived"].match(plain)) or closed(name)


def _enter(walk: _Walk, path: Path, rules: Rules | None) -> None:
    walk.directories.append("/".join(path))
    if len(path) >= DEEPEST:
        walk.complete = False
    else:
        walk.queue.append((path, rules))


def _with_own_rules(descriptor: int, path: Path, above: Rules | None) -> Rules | None:
    """A `.gitignore` that is there and cannot be obeyed keeps the walk out: better too little than too much."""
    try:
        data = safe_open.read(descriptor, (ignore.FILE,), ignore.MAX_BYTES + 1)
    except (FileNotFoundError, safe_open.NotRegular):
        return above
    except OSError as unreadable:
        raise ignore.TooLarge from unreadable
    return Rules(data, len(path), above)


def _excluded(root: int) -> Rules | None:
    try:
        return Rules(safe_open.read(root, ignore.EXCLUDE, ignore.MAX_BYTES + 1), 0)
    except OSError:
        return None
