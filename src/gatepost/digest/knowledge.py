"""Known languages, tools and names: the tables of `knowledge.toml`, read once.

The files of a project are compared with these tables.
"""

from pathlib import Path
from typing import Final

import msgspec

from gatepost.digest.findings import Purpose
from gatepost.domain.value import prepared

Words = str
"""Names or globs with spaces between them."""
Where = str
"""A manifest, and the keys of a value in it: `Cargo.toml workspace.members`."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A file that tells something by its presence, or by a pattern in it.

    What it tells is a kind of project, a tool whose version the pattern's group is, or a sentence about the files.
    """

    files: Words = ""
    inside: str = ""
    says: str = ""


class Custom(Mark, frozen=True, kw_only=True):
    """Conventional commands. `tool` is a table in pyproject.toml, `section` one in setup.cfg."""

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
    """A manifest's table of scripts. `without` are those that run by themselves."""

    table: Where
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
    """Tools that belong together. `files` are names or endings.

    A project's name is in `manifests`, is found by `names` in a file, or is that of one of the `named_files`.
    `asked` are tables or lists of dependencies, `mentioned` the files to search where there is no such table.
    """

    languages: Words
    files: Words
    manifests: tuple[Where, ...] = ()
    names: dict[str, str] = {}
    named_files: Words = ""
    kinds: tuple[Mark, ...] = ()
    asked: tuple[Where, ...] = ()
    mentioned: Words = ""
    frameworks: dict[str, str] = {}


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    code: dict[str, Words]
    other: dict[str, Words]
    generated_endings: Words
    folders: dict[str, Words]
    private: dict[str, Words]
    exact: dict[Purpose, Words]
    words: dict[Purpose, Words]
    neutral: Words
    family: dict[str, Family]
    python_runners: tuple[PythonRunner, ...]
    node_locks: dict[str, str]
    targets: tuple[Targets, ...]
    scripts: tuple[Scripts, ...]
    customs: tuple[Custom, ...]
    workspaces: tuple[Where, ...]
    workspace_files: tuple[Mark, ...]
    members: Words
    programs: tuple[Where, ...]
    versions: tuple[Mark, ...]
    notes: tuple[Mark, ...]
    for_agents: Words
    locks: tuple[Words, ...]
    services: Words


KNOWN: Final = msgspec.toml.decode(
    Path(__file__).with_name("knowledge.toml").read_bytes(), type=prepared(Knowledge)
)
