"""What a directory on disk is, whatever it is called: a taskdoc package or a git repository, under any name."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from gatepost.domain.protected_names import closed
from gatepost.files import no_follow
from gatepost.files.guard import is_git

_SECTION: Final = "goals.md"
_META: Final = "meta.json"
_OURS: Final = frozenset(("format", "taskdoc", "sections"))
_MOST_BYTES: Final = 2**20

# Passing through a directory asks for less than reading it, where the system knows the difference.
_PASSING: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def is_package(directory: int) -> bool:
    """Whether this is a taskdoc package by what is in it: a section, and a `meta.json` as we write it.

    It costs one look in a directory that has no `goals.md`.
    """
    return _exists(directory, _SECTION) and _meta(directory) >= _OURS


def is_repository(directory: int, new: str = "") -> bool:
    """Whether git takes this directory for a repository's own, whatever it is called, or would once `new` is in it.

    It costs one look in a directory that has no `HEAD`.
    """

    def has(name: str) -> bool:
        return new.lower() == name.lower() or _exists(directory, name)

    return has("HEAD") and (has("commondir") or (has("objects") and has("refs")))


def lies_in_repository(directory: int, place: str) -> bool:
    """Whether a directory is, or is below, git's own, by the names on its real way and by what they are."""
    return any(map(is_git, _way(directory, place))) or any(map(is_repository, _upwards(directory)))


def lies_in_closed(directory: int, place: str) -> bool:
    """Whether a directory is, or is below, something closed, by the names on its real way and by what they are."""
    return is_named_closed(directory, place) or any(map(is_package, _upwards(directory)))


def is_named_closed(directory: int, place: str) -> bool:
    """Whether a name on the real way to a directory, as it is now, is closed."""
    return any(map(closed, _way(directory, place)))


def whereabouts(directory: int) -> str | None:
    """The real way to an open directory, as it is now, if the system tells."""
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{directory}")
    return None


def _way(directory: int, place: str) -> list[str]:
    return (whereabouts(directory) or os.path.realpath(place)).split("/")


def _exists(directory: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return False
    return True


def _upwards(directory: int) -> Iterator[int]:
    """This directory and all above it, each open only until the next; as far as one may go."""
    here = os.open(".", _PASSING, dir_fd=directory)
    try:
        while True:
            yield here
            above = os.open("..", _PASSING, dir_fd=here)
            here, below = above, here
            at_the_top = os.path.samestat(os.fstat(here), os.fstat(below))
            os.close(below)
            if at_the_top:
                return
    except PermissionError:
        return
    finally:
        os.close(here)


def _meta(directory: int) -> frozenset[str]:
    """The keys of `meta.json`; none if it is not there, or is not what we write."""
    try:
        said = json.loads(no_follow.read(directory, _META, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(said) if isinstance(said, dict) else frozenset()
