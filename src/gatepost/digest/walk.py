"""One walk through a repository: bounded, in one order, and never through a link.

Breadth first, so that where a bound cuts the walk short, the upper levels are whole.
"""

import os
from collections import deque
from dataclasses import dataclass
from typing import Final

from gatepost.digest import ground, ignore
from gatepost.digest.ignore import Level
from gatepost.digest.private import unspoken

MOST_ENTRIES: Final = 20_000
DEEPEST: Final = 12

_MOST_TRIES: Final = 3_000_000
"""How often an entry may be held against an ignore pattern, which bounds the time a hostile tree can take."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The regular files and the directories that may be spoken of, as sorted relative paths."""

    files: tuple[str, ...]
    directories: tuple[str, ...]
    complete: bool


@dataclass(slots=True)
class _Walk:
    root: int
    files: list[str]
    directories: list[str]
    queue: deque[tuple[Path, Level | None]]
    entries: int = 0
    tries: int = 0
    complete: bool = True


def walked(root: int) -> Tree:
    """The tree below an open directory. What cannot be opened is passed over."""
    walk = _Walk(root, [], [], deque())
    try:
        walk.queue.append(((), _excluded(root)))
    except ignore.TooMuch:
        walk.complete = False
    while walk.queue:
        path, above = walk.queue.popleft()
        try:
            descriptor = ground.open_directory(root, path)
        except OSError:
            continue
        try:
            _look_into(walk, descriptor, path, above)
        except (ignore.TooMuch, OSError):
            walk.complete = False
        finally:
            os.close(descriptor)
    return Tree(
        files=tuple(sorted(walk.files)), directories=tuple(sorted(walk.directories)), complete=walk.complete
    )


def _look_into(walk: _Walk, descriptor: int, path: Path, above: Level | None) -> None:
    level = _with_own_rules(descriptor, path, above)
    plain = [ignore.as_bytes(name) for name in path]
    with os.scandir(descriptor) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            if walk.entries >= MOST_ENTRIES or walk.tries >= _MOST_TRIES:
                walk.complete = False
                return
            walk.entries += 1
            walk.tries += level.cost if level else 0
            if unspoken(entry.name):
                continue
            directory = entry.is_dir(follow_symlinks=False)
            if level and level.ignores([*plain, ignore.as_bytes(entry.name)], directory=directory):
                continue
            if directory:
                _enter(walk, (*path, entry.name), level)
            elif entry.is_file(follow_symlinks=False):
                walk.files.append("/".join((*path, entry.name)))


def _enter(walk: _Walk, path: Path, level: Level | None) -> None:
    walk.directories.append("/".join(path))
    if len(path) >= DEEPEST:
        walk.complete = False
    else:
        walk.queue.append((path, level))


def _with_own_rules(descriptor: int, path: Path, above: Level | None) -> Level | None:
    """A `.gitignore` that is there and cannot be obeyed keeps the walk out: better too little than too much."""
    try:
        data = ground.read(descriptor, (".gitignore",), ignore.MOST_BYTES + 1)
    except (FileNotFoundError, ground.NotRegular):
        return above
    except OSError as unreadable:
        raise ignore.TooMuch from unreadable
    return Level(ignore.parse(data), len(path), above)


def _excluded(root: int) -> Level | None:
    try:
        return Level(ignore.parse(ground.read(root, (".git", "info", "exclude"), ignore.MOST_BYTES + 1)), 0)
    except OSError:
        return None
