"""The state of a project's packages on disk, now and after the last tool call.

This runs after every tool call, so it reads only a few small files and not the store. Equal states mean that nobody
has touched a package since the engine last checked.
"""

from __future__ import annotations

import json
import os
import stat

from gatepost.files.git_head import commits_of
from gatepost.surfaces.hooks import cache_files
from gatepost.surfaces.hooks.cache_files import hashed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_FOLDER: Final = "hooks"
TASKS: Final = "tasks"
SUFFIX: Final = ".tsk"
MOST_FILES: Final = 2_000
MOST_BYTES: Final = 1_000_000
"""The most bytes of a file to hash. Sections are far smaller; for larger files, size and times are enough."""


class PackageState:
    """The state of each path in the packages, and git's HEAD.

    Paths are relative to the project.
    """

    __slots__ = ("head", "states")

    def __init__(self, states: dict[str, str], head: str) -> None:
        self.states = states
        self.head = head

    def differs(self, other: PackageState, path: str) -> bool:
        """Whether a path, or one of its parents, differs from another state."""
        above = path
        while above:
            if self.states.get(above) != other.states.get(above):
                return True
            above = os.path.dirname(above)
        return False


def current(root: str) -> PackageState:
    """The present state: names, kinds, sizes, times and hashes of everything in the packages."""
    return PackageState(dict(_states(root)), commits_of(root))


def last_saved(root: str) -> PackageState | None:
    """The state after the last call, if it is known."""
    try:
        head, states = json.loads(cache_files.read(_FOLDER, root))
    except (OSError, ValueError):
        return None
    return PackageState(states, head)


def save(root: str, seen: PackageState) -> None:
    """Save a state. If that fails, the next call checks more; no harm is done."""
    cache_files.save(_FOLDER, root, json.dumps([seen.head, seen.states]).encode())


def _states(root: str) -> Iterator[tuple[str, str]]:
    """The state of each path, relative to the root."""
    yield TASKS, _state(f"{root}/{TASKS}")
    left = MOST_FILES
    for name in _names(f"{root}/{TASKS}"):
        if not name.casefold().endswith(SUFFIX):
            continue
        package = f"{TASKS}/{name}"
        yield package, _state(f"{root}/{package}")
        files = [] if os.path.islink(f"{root}/{package}") else _names(f"{root}/{package}")
        left -= len(files)
        if left < 0:
            return
        for file in files:
            yield f"{package}/{file}", _state(f"{root}/{package}/{file}", whole=True)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _state(path: str, *, whole: bool = False) -> str:
    """The state of a path. For a folder only its identity, since its times change with its content."""
    try:
        found = os.lstat(path)
        kind = f"{found.st_mode:o} {found.st_ino}"
        if not whole:
            return kind
        times = f"{kind} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return times
        with open(path, "rb", opener=_opened) as file:
            return f"{times} {hashed(file.read(MOST_BYTES))}"
    except OSError as error:
        return f"({error.errno})"


def _opened(path: str, flags: int) -> int:
    """Open without following a link or waiting for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
