"""Taskdoc packages: what a place on disk offers, and whether what stands there is the log's, old, or an edit."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

from gatepost.domain.refusals import DiskRefused

LINK: Final = "a link"
MOST_ON_DISK: Final = 1_000_000
"""Bytes of a section's file that are looked at: a section has far fewer, and what has more is an edit."""


class Face(NamedTuple):
    """A section as the package shows it."""

    content: str
    revision: int
    at: str
    actor: str


class Seen(NamedTuple):
    """A section's file: its text (none if there is no file), and the revision that `meta.json` gives it.

    `odd` says what stands there if it is no text: a link, a directory, a giant. Bytes that are no UTF-8 are in the
    text as lone surrogates.
    """

    text: str | None
    revision: int | None
    odd: str | None = None


class Package(NamedTuple):
    """A package as it stands on disk. `told` says that there is a `meta.json`; if it can be read, it names the
    workspace and the taskdoc's id."""

    told: bool
    workspace: str | None
    id: str | None
    sections: Mapping[str, Seen]

    @property
    def empty(self) -> bool:
        """Whether it is a folder with nothing of a package in it."""
        return not self.told and all(seen.text is None and seen.odd is None for seen in self.sections.values())


class Unseen(Exception):
    """A draft needs to see these packages. It holds the store's lock, so the engine looks and begins again."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = frozenset(names)


Looks = dict[str, Package | DiskRefused | None]
"""What was seen of packages by name: the package, that there is none, or why it cannot be looked at."""


def looked(packages: "Packages", names: Iterable[str]) -> Looks:
    """Look at packages, each once."""
    return {name: _looked(packages, name) for name in sorted(names)}


def _looked(packages: "Packages", name: str) -> Package | DiskRefused | None:
    try:
        return packages.look(name)
    except DiskRefused as refused:
        return refused


class Packages(Protocol):
    """A folder of packages."""

    def path(self, name: str) -> str:
        """Where a package stands, relative to the project's folder."""

    def names(self) -> Sequence[str]:
        """The packages that are there."""

    def look(self, name: str) -> Package | None:
        """A package, if there is one."""

    def locked(self) -> AbstractContextManager[None]:
        """Let no other process write packages meanwhile. Waits a little, then refuses."""

    def remove(self, name: str) -> None:
        """Let there be no such package, unless it holds files of others."""

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: Mapping[str, Face], keep: frozenset[str]
    ) -> None:
        """Let the files be these, but for those to keep as they are; `meta.json` last. Makes the package."""
