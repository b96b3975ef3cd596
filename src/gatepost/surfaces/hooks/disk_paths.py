"""Resolves the paths of a tool call on disk, and checks whether they lead into something closed."""

from __future__ import annotations

import os
import stat

from gatepost.domain.protected_names import HOME, closed
from gatepost.surfaces.hooks.harnesses import PROJECT_VARIABLES
from gatepost.surfaces.hooks.written_paths import (
    LONGEST,
    is_remote,
    is_wild,
    names_closed,
    pattern_names_closed,
    spellings,
    starts_elsewhere,
    without_templates,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

    Identity = tuple[int, int]

TASKS: Final = "tasks"
MOST_ENTRIES: Final = 5_000
MOST_ENTRIES_IN_ALL: Final = 20_000
_PROJECT_MARKS: Final = (HOME, ".git")
_SELF: Final = ("/proc/self/", "/proc/thread-self/")
_OPENED_BY_OTHERS: Final = ("/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/")


class Unreadable(Exception):
    """A path that cannot be resolved, or that means something else in the calling process."""


class DiskPaths:
    """A working directory and the packages near it. Caches its results."""

    def __init__(self, cwd: str, roots: tuple[str, ...] | None = None) -> None:
        self.cwd = cwd
        self._places = roots
        self._packages: dict[str, list[str]] = {}
        self._left = MOST_ENTRIES_IN_ALL

    def moved(self, path: str) -> DiskPaths:
        """The same disk from another working directory. Raises `Unreadable`."""
        try:
            return DiskPaths(os.path.join(self.cwd, _at_home(path)), self._roots())
        except ValueError as error:
            raise Unreadable(path) from error

    def knows_as_remote(self, text: str) -> bool:
        """Whether a text is a web address, and not a path through a folder called `https:`."""
        return is_remote(text) and not os.path.lexists(os.path.join(self.cwd, text.partition("/")[0]))

    def leads_inside(self, path: str) -> bool:
        """Whether a path, as written or resolved, is or is in something closed. It need not exist.

        A path that is too long to open is judged as written, or as a tool might shorten it. Raises `Unreadable`.
        """
        return self.names_inside(path) or self._resolves_inside(path)

    def names_inside(self, path: str) -> bool:
        """Whether a path, as written, is or is in something closed."""
        return names_closed(path) and not self.is_elsewhere(path)

    def is_elsewhere(self, path: str) -> bool:
        """Whether a path, as written and resolved, is outside this project and any other project with Gatepost.

        A `*.tsk` there belongs to another program.
        """
        if not starts_elsewhere(path) or len(path) > LONGEST:
            return False
        try:
            whole = self._absolute(path.partition("*")[0])
            return not any(self._is_ours(place) for place in (os.path.normpath(whole), os.path.realpath(whole)))
        except (OSError, ValueError, Unreadable):
            return False

    def packages_below(self, path: str) -> bool:
        """Whether there are packages in the usual places: next to a path, in the project, in its `tasks/`."""
        try:
            real = os.path.realpath(self._absolute(path or "."))
            return any(
                f"{package}/".startswith(f"{real.rstrip('/')}/") for package in self._packages_near(f"{real}/x")
            )
        except (OSError, ValueError, Unreadable):
            return False

    def _is_ours(self, place: str) -> bool:
        roots = [root.rstrip("/") for root in self._roots()]
        if any(f"{place}/".startswith(f"{root}/") for root in roots):
            return True
        return any(os.path.lexists(f"{above}/{HOME}") for above in _upwards(place))

    def _roots(self) -> tuple[str, ...]:
        """The project's folders: from the harness, from the disk, or else the working directory."""
        if self._places is None:
            found = dict.fromkeys(_projects(self.cwd))
            both = [spelled for root in found or (self.cwd,) for spelled in (root, os.path.realpath(root))]
            self._places = tuple(dict.fromkeys(both))
        return self._places

    def expands_inside(self, pattern: str, *, last: bool) -> bool:
        """Whether a glob pattern names something closed, or would match it now.

        Without `last`, as in a search, it may match the name of a package, which a listing may show, and `**` is
        accepted.
        """
        if pattern_names_closed(pattern, last=last) and not self.is_elsewhere(pattern):
            return True
        if len(pattern) > LONGEST:
            return False
        for spelling in self._ways(pattern):
            segments = [segment for segment in spelling.split("/") if segment not in ("", ".")]
            if not last:
                segments = segments[: segments.index("**")] if "**" in segments else segments[:-1]
            start = "/" if spelling.startswith("/") else self.cwd
            if any(self._is_inside(found) for found in self._found(start, segments, hides=last)):
                return True
        return False

    def _ways(self, pattern: str) -> Iterator[str]:
        """The spellings of a pattern: a shell resolves `link/..` on disk, and some tools as text."""
        for spelling in spellings(pattern):
            yield spelling
            if ".." in spelling or ".." in self.cwd:
                yield os.path.normpath(os.path.join(self.cwd, spelling))

    def _found(self, start: str, segments: list[str], *, hides: bool) -> Iterator[str]:
        """What a pattern matches, and every folder on the way. Bounded; `**` is one level, as in most shells."""
        reached, left = [start], min(MOST_ENTRIES, self._left)
        for index, segment in enumerate(segments):
            following: list[str] = []
            for folder in reached:
                names = _entries(folder) if is_wild(segment) else [segment]
                left -= len(names) + 1
                self._left -= len(names) + 1
                if left < 0:
                    return
                following += [f"{folder}/{name}" for name in names if _matches(name, segment, hides=hides)]
            if without_templates(segments[index : index + 2])[:1] == [segment]:
                yield from following
            reached = following

    def _is_inside(self, path: str) -> bool:
        """Whether a match is closed. Its parents were judged already, so only links are resolved."""
        if closed(os.path.basename(path)) and not self.is_elsewhere(path):
            return True
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return False
        if stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink < 2):
            return False
        return self._resolves_inside(path)

    def _resolves_inside(self, path: str) -> bool:
        if len(path) > LONGEST:
            path = os.path.normpath(path)
        if len(path) > LONGEST:
            return False
        try:
            whole = self._absolute(path)
            # A shell resolves `link/..` on disk, and some tools as text.
            ways = (whole, os.path.normpath(whole)) if ".." in whole else (whole,)
            return any(self.names_inside(real) or self._is_alias(real) for real in map(os.path.realpath, ways))
        except (OSError, ValueError) as error:
            raise Unreadable(path) from error

    def _absolute(self, path: str) -> str:
        """The absolute path. `/proc/self` is the process that opens it: the harness, not this one."""
        whole = os.path.join(self.cwd, _at_home(path))
        plain = os.path.normpath(whole)
        if f"{plain}/".startswith(_OPENED_BY_OTHERS):
            raise Unreadable(path)
        for own in _SELF:
            what, _, rest = plain.removeprefix(own).partition("/")
            if plain.startswith(own) and what in ("cwd", "root"):
                return os.path.join(self.cwd if what == "cwd" else "/", rest)
        return whole

    def _is_alias(self, real: str) -> bool:
        """Whether a path is another name for a package: a mounted folder, or a hard link to a file."""
        packages = self._packages_near(real)
        if not packages:
            return False
        folders = {identity for package in packages if (identity := _identity(package))}
        if any(_identity(above) in folders for above in _upwards(real) if not closed(os.path.basename(above))):
            return True
        try:
            found = os.lstat(real)
        except OSError:
            return False
        if found.st_nlink < 2 or not stat.S_ISREG(found.st_mode):
            return False
        own = (found.st_dev, found.st_ino)
        return any(_identity(file) == own for file in _files_in(packages))

    def _packages_near(self, real: str) -> list[str]:
        """Packages next to the path, in the working directory, in the project, and in the `tasks/` of each."""
        places = dict.fromkeys((os.path.dirname(real), self.cwd, *self._roots()))
        return [
            found for place in places for home in (place, f"{place}/{TASKS}") for found in self._packages_in(home)
        ]

    def _packages_in(self, folder: str) -> list[str]:
        """Packages in a folder, without links: an `x.tsk` that links to the root would close the whole disk."""
        if folder not in self._packages:
            found = [f"{folder}/{name}" for name in _entries(folder) if closed(name)]
            self._packages[folder] = [path for path in found if not os.path.islink(path)]
        return self._packages[folder]


def _at_home(path: str) -> str:
    plain = path
    if path[:5].casefold() == "file:":
        from urllib.parse import unquote

        plain = "/" + unquote(path[5:].removeprefix("//").removeprefix("localhost")).lstrip("/")
    return os.path.expanduser(plain) if plain.startswith("~") else plain


def _projects(cwd: str) -> Iterator[str]:
    for variable in PROJECT_VARIABLES:
        if given := os.environ.get(variable):
            yield given
    for above in _upwards(cwd):
        if any(os.path.lexists(f"{above}/{mark}") for mark in _PROJECT_MARKS):
            yield above
            return


def _upwards(path: str) -> Iterator[str]:
    """A path and its parents."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def _identity(path: str) -> Identity | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _entries(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _files_in(packages: Iterable[str]) -> Iterator[str]:
    """The files of packages, up to a limit: a hook has no time to search a large tree."""
    waiting, left = list(packages), MOST_ENTRIES
    while waiting and left > 0:
        folder = waiting.pop(0)
        names = _entries(folder)
        left -= len(names) + 1
        if not names:
            yield folder
        for name in names:
            path = f"{folder}/{name}"
            if os.path.isdir(path) and not os.path.islink(path):
                waiting.append(path)
            else:
                yield path


def _matches(name: str, segment: str, *, hides: bool) -> bool:
    """`hides`: as in a shell, only a dot matches a leading dot. A search may match it, but not with a lone `*`."""
    if name == segment:
        return True
    if name.startswith(".") and (not segment.strip("*") or (hides and segment[:1] in ("*", "?"))):
        return False
    from fnmatch import fnmatchcase

    return fnmatchcase(name, segment.replace("[^", "[!"))
