"""What we know of languages, tools and names: the tables of `knowledge.toml`, read once.

What a project's files hold is compared with these tables and never quoted from them.
"""

from pathlib import Path
from typing import Final

import msgspec

from gatepost.digest.findings import Purpose

Words = str
"""Names or globs with spaces between them."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A file that tells something: by being there, or by a pattern that is found inside."""

    files: Words = ""
    inside: str = ""


class Kind(Mark, frozen=True, kw_only=True):
    """What a project is that has such a file."""

    kind: str


class Version(Mark, frozen=True, kw_only=True):
    """The tool whose version the pattern's group is."""

    tool: str


class Note(Mark, frozen=True, kw_only=True):
    """A sentence about the files that are there. One of them may be a folder, with a slash at its end."""

    says: str


class Custom(Mark, frozen=True, kw_only=True):
    """The commands that are customary. `tool` is a table in pyproject.toml, `section` is one in setup.cfg."""

    gives: dict[Purpose, str]
    tool: str = ""
    section: str = ""


class Targets(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of file with named targets. `recipe`: what a target runs is indented below it."""

    files: Words
    runner: str
    pattern: str
    within: str = ""
    recipe: bool = False


class Scripts(msgspec.Struct, frozen=True, kw_only=True):
    """A manifest's table of scripts, by its keys with dots between them."""

    file: str
    keys: str
    runner: str
    without: str = ""


class PythonRunner(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that runs others in a project's environment, and what it installs and builds with."""

    lock: str
    run: str
    install: str
    build: str
    tool: str = ""


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """Tools that belong together. `files` are names or endings; `names` finds a project's name, by file.

    `asked` are tables or lists of dependencies, `mentioned` the files to search where there is no such table.
    """

    languages: Words
    files: Words
    names: dict[str, str] = {}
    kinds: tuple[Kind, ...] = ()
    asked: tuple[str, ...] = ()
    mentioned: Words = ""
    frameworks: dict[str, str] = {}


class Folders(msgspec.Struct, frozen=True, kw_only=True):
    """Names of folders. What is `apart` is not the project's own code, `apart_above` only near the root."""

    tests: Words
    docs: Words
    vendored: Words
    generated: Words
    apart: Words
    apart_above: Words


class Private(msgspec.Struct, frozen=True, kw_only=True):
    """Globs of names that are kept out: of secrets, though not of examples of them, and of what machines made."""

    secret: Words
    example: Words
    derived: Words


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """All of the file."""

    code: dict[str, Words]
    other: dict[str, Words]
    generated_endings: Words
    folders: Folders
    private: Private
    exact: dict[Purpose, Words]
    words: dict[Purpose, Words]
    neutral: Words
    family: dict[str, Family]
    python_runners: tuple[PythonRunner, ...]
    node_locks: dict[str, str]
    targets: tuple[Targets, ...]
    scripts: tuple[Scripts, ...]
    customs: tuple[Custom, ...]
    versions: tuple[Version, ...]
    notes: tuple[Note, ...]
    for_agents: Words
    locks: tuple[Words, ...]
    services: Words


KNOWN: Final = msgspec.toml.decode(Path(__file__).with_name("knowledge.toml").read_bytes(), type=Knowledge)
