"""Taskdoc packages: what a place on disk offers, what was seen there, and what was last written there."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol

import msgspec

from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import Selector
from gatepost.domain.value import Stamp, Value

LINK: Final = "a link"
MISSING: Final = "missing"
NO_FILE: Final = "no file that can be kept"
"""In the place of one of our files beside the sections: a link, a folder, a giant."""
MOST_ON_DISK: Final = 1_000_000
"""Bytes of a section's file that are looked at: a section has far fewer, and what has more is an edit."""
META: Final = "meta.json"


class SectionFile(NamedTuple):
    """A section as the package shows it."""

    content: str
    revision: int
    at: str
    actor: str


SectionFiles = Mapping[Selector, SectionFile]


class SectionOnDisk(NamedTuple):
    """A section's file: its text (none if there is no file), and the revision that `meta.json` gives it.

    `odd` says what stands there if it is no text: a link, a directory, a giant. Bytes that are no UTF-8 are in the
    text as lone surrogates. `stamps` are those that `meta.json` gives the section, by the hash of the text that
    each vouches for.
    """

    text: str | None
    revision: int | None = None
    odd: str | None = None
    stamps: Mapping[str, Stamp] = {}

    @property
    def fingerprint(self) -> str:
        """The hash of the bytes on disk; none of what is no text."""
        return "" if self.text is None else hashed(self.text.encode("utf-8", "surrogateescape"))

    @property
    def vouched(self) -> Stamp | None:
        """Who wrote this very text when, if `meta.json` says so."""
        return self.stamps.get(self.fingerprint) if self.stamps and self.text is not None else None


class Package(NamedTuple):
    """A package as it stands on disk.

    `told` says that there is a `meta.json`; if it can be read, it names the workspace and the taskdoc's id. `files`
    are the bytes of our files beside the sections; `strange` is what others put there. `odd` says what stands in
    the package's place if it is no folder: a link, a file.
    """

    told: bool
    sections: Mapping[str, SectionOnDisk]
    workspace: str | None = None
    id: str | None = None
    files: Mapping[str, bytes] = {}
    strange: Sequence[str] = ()
    odd: str | None = None

    @property
    def tracked(self) -> bool:
        """Whether it is one that git keeps: only its stamps have no revisions."""
        sections = self.sections.values()
        return any(it.stamps for it in sections) and all(it.revision is None for it in sections)

    @property
    def empty(self) -> bool:
        """Whether it is a folder with nothing of a package in it."""
        return (
            self.odd is None
            and not self.told
            and all(seen.text is None and seen.odd is None for seen in self.sections.values())
        )


class SectionMark(Value, frozen=True, kw_only=True):
    """A section as it was written: its revision, the hash of its bytes, and git's HEAD as it was."""

    revision: int
    sha256: str
    head: str | None = None


class PackageRecord(Value, frozen=True, kw_only=True):
    """What a package held when it was last written, `seq` being the end of the log then.

    `files` are the hashes of our files beside the sections, and `head` is git's HEAD as it was. `name` is what the
    package was called, if that was not the taskdoc's key.
    """

    sections: dict[str, SectionMark]
    files: dict[str, str]
    seq: int
    head: str | None = None
    name: str | None = None


_written = msgspec.json.Decoder(PackageRecord)


def read_written(body: str | None) -> PackageRecord | None:
    """A record as the store keeps it."""
    return None if body is None else _written.decode(body)


class PackageObservation(NamedTuple):
    """What was seen of a package: the package, that there is none, or why it cannot be looked at; git's HEAD then;
    and what was last written, read before the look, so that what was seen is never older than that.

    `called` is what the package should be called, and `at` what it is called: it is moved after a renaming.
    """

    package: Package | DiskRefused | None
    called: str
    at: str
    written: PackageRecord | None = None
    head: str | None = None


class PackagesNotObserved(Exception):
    """A draft needs to see these packages. It holds the store's lock, so the engine looks and begins again."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = frozenset(names)


PackageObservations = dict[str, PackageObservation]
"""What was seen of packages, by the keys of their taskdocs; where there is no taskdoc, by the package's name."""


class Packages(Protocol):
    """A folder of packages."""

    @property
    def folder(self) -> str:
        """The project's folder, by its real path: what was written is known for each folder apart."""

    def path(self, name: str) -> str:
        """Where a package stands, relative to the project's folder."""

    def names(self) -> Sequence[str]:
        """The packages that are there."""

    def look(self, name: str) -> Package | None:
        """A package, if there is one."""

    def head(self) -> str | None:
        """The commit that git's HEAD is at, and what is being merged into it; none outside of git."""

    def locked(self) -> AbstractContextManager[None]:
        """Let no other process write packages meanwhile. Waits a little, then refuses."""

    def move(self, name: str, to: str) -> None:
        """Let a package be called otherwise. Refused if there is something of that name."""

    def remove(self, name: str) -> None:
        """Let there be no such package, unless it holds files of others."""

    def move_aside(self, name: str, file: str) -> str:
        """Move what stands in the place of a package's file, or with no name of the package, out of the way.

        Answers with where it is now, relative to the project's folder.
        """

    def meta(self, name: str, workspace: str, taskdoc: str, faces: SectionFiles) -> bytes:
        """What `meta.json` says of these sections."""

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: SectionFiles, keep: Mapping[str, SectionOnDisk | None]
    ) -> dict[str, str]:
        """Let the files be these, but for the files to keep as they are; `meta.json` last. Makes the package.

        A section that is kept keeps the stamps that vouch for it. Answers with the hashes of our files beside the
        sections that were written.
        """


class PackageQuery(NamedTuple):
    """A package to look at: its taskdoc's key, what it is called, and what was last written, as stored.

    Where that is not known, the package may still be called as the taskdoc was `before`; `id` tells it.
    """

    key: str
    called: str
    written: str | None = None
    before: Sequence[str] = ()
    id: str | None = None


def look_at(packages: Packages, sought: PackageQuery) -> PackageObservation:
    """Look at a package. What was last written must have been read before."""
    head, written = packages.head(), read_written(sought.written)
    try:
        at, package = _found(packages, sought, written)
    except DiskRefused as refused:
        return PackageObservation(refused, sought.called, sought.called, written, head)
    return PackageObservation(package, sought.called, at, written, head)


def _found(packages: Packages, sought: PackageQuery, written: PackageRecord | None) -> tuple[str, Package | None]:
    """What the package is called by now, and the package."""
    package = packages.look(sought.called)
    if package is not None:
        return sought.called, package
    if written is not None:
        at = written.name or sought.key
        package = packages.look(at)
        return (sought.called, None) if package is None else (at, package)
    for at in sought.before:
        package = packages.look(at)
        if package is not None and package.id == sought.id:
            return at, package
    return sought.called, None


def hashed(content: bytes) -> str:
    """The SHA-256 of what a file holds."""
    from hashlib import sha256  # loads OpenSSL, which servers without taskdocs need not

    return sha256(content).hexdigest()
