"""What a scan finds: values, in the order in which they are shown."""

from dataclasses import dataclass
from enum import Enum


class Purpose(Enum):
    """What a command is for. The order is that of the digest."""

    CHECK = "All checks"
    TEST = "Tests"
    LINT = "Lint"
    FORMAT = "Format"
    TYPES = "Types"
    BUILD = "Build"
    RUN = "Run"
    SETUP = "Setup"
    OTHER = "Other"


class Standing(Enum):
    """How far a command can be trusted: what files declare goes before what a tool's custom suggests."""

    DECLARED = 0
    DOCUMENTED = 1
    AUTOMATED = 2
    CUSTOMARY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command line, where it says so, and the directories it is for; none is the root."""

    purpose: Purpose
    text: str
    source: str
    standing: Standing = Standing.DECLARED
    about: str = ""
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language, and how many files are written in it."""

    name: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A directory worth knowing. `level` is how deep it is shown, which is less than its depth where
    directories with a single child were folded into one line.
    """

    path: str
    files: int
    note: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A way into the program, and the file that declares it."""

    name: str
    target: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A member of a workspace of several packages."""

    path: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the repository is laid out. `omitted` counts directories that were left out for length."""

    languages: tuple[Language, ...] = ()
    directories: tuple[Directory, ...] = ()
    root_files: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    packages: tuple[Package, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Caveat:
    """A warning in the repository's own words, and where it stands."""

    text: str
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the repository calls itself, and says of itself in a line."""

    name: str
    about: str = ""
