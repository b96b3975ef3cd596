"""The results of a scan, in the order of the digest."""

from dataclasses import dataclass
from enum import Enum


class Purpose(Enum):
    """What a command is for. The order is that of the digest."""

    CHECK = "check everything"
    TEST = "test"
    LINT = "lint"
    FORMAT = "format"
    TYPES = "check types"
    BUILD = "build"
    RUN = "run"
    SETUP = "set up"
    OTHER = "other"


class Origin(Enum):
    """Where a command comes from: a target or script of the project, or the convention of a tool."""

    DECLARED = "declared"
    CONVENTION = "by convention"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectCommand:
    """A command line, its source file, and the directories it is for; none means the root.

    `name` is the target's or script's own name, empty where a convention names it.
    `partial`: it covers a part of its purpose, or belongs to the tools of another language than the main one.
    """

    purpose: Purpose
    text: str
    source: str
    origin: Origin
    name: str = ""
    runs: str = ""
    partial: bool = False
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language, and the number of its files."""

    name: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotableDirectory:
    """A directory worth knowing. `level` is how deep it is shown, which is less than its depth where
    directories with a single child were folded into one line. `says` is its own docstring.
    """

    path: str
    files: int
    says: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """An entry point of the program, and the file that declares it."""

    name: str
    target: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPackage:
    """A package in a repository of several packages, with the ecosystem of its manifest."""

    path: str
    family: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the repository is laid out. `omitted` counts directories and root files left out for length."""

    languages: tuple[Language, ...] = ()
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()
    directories: tuple[NotableDirectory, ...] = ()
    root_files: tuple[str, ...] = ()
    entries: tuple[EntryPoint, ...] = ()
    packages: tuple[MemberPackage, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the repository is: its name, its main language, its kind, the frameworks it uses.

    `says` is what its manifest says of it, in its own words.
    """

    name: str
    language: str
    kind: str
    frameworks: tuple[str, ...] = ()
    says: str = ""
