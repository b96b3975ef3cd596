"""Recognises taskdoc packages and git repositories by their content, whatever their name."""

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

# Passing through a directory needs fewer permissions than reading it, on systems with O_PATH.
_PASSING: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC


def is_package(directory: int) -> bool:
    """Whether a directory is a taskdoc package: it has a section, and a `meta.json` of ours.

    Costs one system call in a directory without `goals.md`.
    """
    return _exists(directory, _SECTION) and _meta(directory) >= _OURS


def is_repository(directory: int, new: str = "") -> bool:
    """Whether git would treat this directory as a repository, or would if it had an entry `new`.

    Costs one system call in a directory without `HEAD`.
    """

    def has(name: str) -> bool:
        return new.lower() == name.lower() or _exists(directory, name)

    return has("HEAD") and (has("commondir") or (has("objects") and has("refs")))


def lies_in_repository(directory: int, place: str) -> bool:
    """Whether a directory is in a git repository's folder, by the names on its real path or by content."""
    return any(map(is_git, _way(directory, place))) or any(map(is_repository, _upwards(directory)))


def lies_in_closed(directory: int, place: str) -> bool:
    """Whether a directory is in something closed, by the names on its real path or by content."""
    return is_named_closed(directory, place) or any(map(is_package, _upwards(directory)))


def is_named_closed(directory: int, place: str) -> bool:
    """Whether the current real path of a directory contains a closed name."""
    return any(map(closed, _way(directory, place)))


def whereabouts(directory: int) -> str | None:
    """The current real path of an open directory, where the system provides it."""
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
    """This directory and its parents, each open until the next, as far as permissions allow."""
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
    """The keys of `meta.json`; none if it is missing or not ours."""
    try:
        said = json.loads(no_follow.read(directory, _META, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(said) if isinstance(said, dict) else frozenset()
