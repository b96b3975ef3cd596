"""Taskdoc packages: their folder on disk, what was observed there, and what was last written there."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from msgspec import Struct

from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import Selector
from gatepost.domain.value import Stamp, Value, decoder

LINK: Final = "a link"
MISSING: Final = "missing"
NO_FILE: Final = "no file that can be kept"
"""In place of one of our other files: a link, a folder or a huge file."""
MOST_ON_DISK: Final = 1_000_000
"""How many bytes of a section's file are read. A section has far fewer; a larger file is an edit."""
META: Final = "meta.json"


class SectionFile(Struct, frozen=True):
    """A section as the package shows it."""

    content: str
    revision: int
    at: str
    actor: str


SectionFiles = Mapping[Selector, SectionFile]


class SectionOnDisk(Struct, frozen=True):
    """A section's file: its text (none if there is no file), and its revision in `meta.json`.

    `odd` describes what is there if it is not text: a link, a directory, a huge file. Bytes that are not UTF-8 are
    in the text as lone surrogates. `stamps` are the authors in `meta.json`, by the hash of their text.
    """

    text: str | None
    revision: int | None = None
    odd: str | None = None
    stamps: Mapping[str, Stamp] = {}

    @property
    def fingerprint(self) -> str:
        """The hash of the bytes on disk; empty if it is not text."""
        return "" if self.text is None else hashed(self.text.encode("utf-8", "surrogateescape"))

    @property
    def vouched(self) -> Stamp | None:
        """Who wrote exactly this text and when, if `meta.json` says so."""
        return self.stamps.get(self.fingerprint) if self.stamps and self.text is not None else None


class Package(Struct, frozen=True):
    """A package on disk.

    `has_meta` if there is a `meta.json`; if it is readable, it names the workspace and the taskdoc's id. `files`
    are the bytes of our files besides the sections; `strange` are the files of others. `odd` describes what is
    there if it is not a folder: a link, a file.
    """

    has_meta: bool
    sections: Mapping[str, SectionOnDisk]
    workspace: str | None = None
    id: str | None = None
    files: Mapping[str, bytes] = {}
    strange: Sequence[str] = ()
    odd: str | None = None

    @property
    def tracked(self) -> bool:
        """Whether git tracks it: only then do its stamps have no revisions."""
        sections = self.sections.values()
        return any(it.stamps for it in sections) and all(it.revision is None for it in sections)

    @property
    def empty(self) -> bool:
        """Whether it is a folder without any package file."""
        return (
            self.odd is None
            and not self.has_meta
            and all(seen.text is None and seen.odd is None for seen in self.sections.values())
        )


class SectionMark(Value, frozen=True, kw_only=True):
    """A section as written: its revision, the hash of its bytes, and git's HEAD at that time."""

    revision: int
    sha256: str
    head: str | None = None


class PackageRecord(Value, frozen=True, kw_only=True):
    """What a package held when it was last written; `seq` is the end of the log at that time.

    `files` are the hashes of our files other than the sections, `head` is git's HEAD at that time, and `name` the
    package's name if it was not the taskdoc's key.
    """

    sections: dict[str, SectionMark]
    files: dict[str, str]
    seq: int
    head: str | None = None
    name: str | None = None


_written = decoder(PackageRecord)


def read_written(body: str | None) -> PackageRecord | None:
    """A record as the store keeps it."""
    return None if body is None else _written.decode(body)


class PackageObservation(Struct, frozen=True):
    """What was seen of a package: the package, that there is none, or why it cannot be read; git's HEAD; and the
    record, which is read first, so that the observation is never older.

    `called` is the name the package should have, `at` the name it has: it is moved after a rename.
    """

    package: Package | DiskRefused | None
    called: str
    at: str
    written: PackageRecord | None = None
    head: str | None = None


PackageObservations = dict[str, PackageObservation]
"""Observations of packages by the keys of their taskdocs; without a taskdoc, by the package's name."""


class Packages(Protocol):
    """A folder of packages."""

    @property
    def folder(self) -> str:
        """The project's folder, as a real path."""

    @property
    def record(self) -> str:
        """The name under which the store records what was written to this folder."""

    def path(self, name: str) -> str:
        """A package's path, relative to the project's folder."""

    def names(self) -> Sequence[str]:
        """The names of the existing packages."""

    def look(self, name: str) -> Package | None:
        """A package, if it exists."""

    def head(self) -> str | None:
        """The commit of git's HEAD and of a merge in progress; none outside of git."""

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes from writing packages. Waits a little, then refuses."""

    def move(self, name: str, to: str) -> None:
        """Rename a package. Refused if the name is in use."""

    def remove(self, name: str) -> None:
        """Remove a package, unless it has files of others."""

    def move_aside(self, name: str, file: str) -> str:
        """Move a package's file, or the package itself if no file is named, out of the way.

        Returns the new path, relative to the project's folder.
        """

    def meta(self, name: str, workspace: str, taskdoc: str, faces: SectionFiles) -> bytes:
        """The content of `meta.json` for these sections."""

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: SectionFiles, keep: Mapping[str, SectionOnDisk | None]
    ) -> dict[str, str]:
        """Write the files, except those to keep; `meta.json` last. Creates the package.

        A section that is kept keeps its stamps. Returns the hashes of the files written besides the sections.
        """


class PackageQuery(Struct, frozen=True):
    """A package to read: its taskdoc's key, its name and its record.

    Without a record, the package may still have a name that the taskdoc had `before`; `id` identifies it.
    """

    key: str
    called: str
    written: str | None = None
    before: Sequence[str] = ()
    id: str | None = None


def look_at(packages: Packages, sought: PackageQuery) -> PackageObservation:
    """Read a package. Its record must have been read before."""
    head, written = packages.head(), read_written(sought.written)
    try:
        at, package = _found(packages, sought, written)
    except DiskRefused as refused:
        return PackageObservation(refused, sought.called, sought.called, written, head)
    return PackageObservation(package, sought.called, at, written, head)


def _found(packages: Packages, sought: PackageQuery, written: PackageRecord | None) -> tuple[str, Package | None]:
    """The package's current name, and the package."""
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
    """The SHA-256 of a file's content."""
    from hashlib import sha256  # loads OpenSSL, which servers without taskdocs do not need

    return sha256(content).hexdigest()
