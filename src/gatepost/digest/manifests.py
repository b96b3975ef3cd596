"""Reads manifests: the project's name and kind, its frameworks, packages and entry points."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from gatepost.digest.ecosystems import frameworks, of_file, of_language
from gatepost.digest.findings import EntryPoint, Identity, Language, MemberPackage
from gatepost.digest.knowledge import KNOWN, Mark
from gatepost.digest.languages import Weights, is_own, is_prose
from gatepost.digest.project import Project, string, strings, table
from gatepost.digest.sanitizer import quoted

MOST_ENTRIES: Final = 12

_LONGEST: Final = 120
_LONGEST_NAME: Final = 80
_LONGEST_SAYING: Final = 160
_MOST_NAMED: Final = 12
_MOST_PATTERNS: Final = 200

_name = re.compile(r"(?:@[\w.-]+/)?[\w.+-]{1,80}")
_MEMBERS: Final = frozenset(KNOWN.members.split())


def identity(project: Project, weights: Weights, *, named: str | None, directory: str) -> Identity:
    """What the project is. Its name is the one given, else a manifest's, else that of its directory."""
    native = of_language(weights.main)
    names: dict[str, str] = {}
    for ecosystem, held in _names(project, ""):
        names.setdefault(ecosystem, held)
    name = named or names.get(native) or next(iter(names.values()), "") or directory or "this repository"
    manifests = [where for family in KNOWN.family.values() for where in family.manifests]
    sayings = [string(table(project.at(where)).get("description")).strip() for where in manifests]
    return Identity(
        name=quoted(name, _LONGEST_NAME),
        language=weights.main,
        kind=_kind(project, native, weights.languages),
        frameworks=frameworks(project, native),
        says=quoted(next(filter(None, sayings), ""), _LONGEST_SAYING),
    )


def packages(project: Project) -> tuple[MemberPackage, ...]:
    """The members of the workspace that the root declares."""
    shapes = [shape for pattern in islice(_member_patterns(project), _MOST_PATTERNS) if (shape := _shape(pattern))]
    families = {
        path.rpartition("/")[0]: of_file(path) for path in project.tree.files if path.rpartition("/")[2] in _MEMBERS
    }
    members = [place for place in sorted(families) if place and is_own(f"{place}/x")]
    return tuple(
        MemberPackage(
            path=quoted(place, _LONGEST),
            family=families[place],
            name=quoted(_member_name(project, place) if number < _MOST_NAMED else "", _LONGEST),
        )
        for number, place in enumerate(place for place in members if any(_fits(shape, place) for shape in shapes))
    )


def entries(project: Project) -> tuple[EntryPoint, ...]:
    """The commands that the project installs."""
    return tuple(dict.fromkeys(_entries(project)))[:MOST_ENTRIES]


def _names(project: Project, place: str) -> Iterator[tuple[str, str]]:
    """The names in a directory's files, by ecosystem. A sentence is not a name."""
    for key, family in KNOWN.family.items():
        given = [string(table(project.at(where, place)).get("name")).strip() for where in family.manifests]
        marks = [project.marked(Mark(files=file, inside=inside), place) for file, inside in family.names.items()]
        files = project.marked(Mark(files=family.named_files), place)
        given += [mark.value for mark in marks if mark]
        given += [files.file.rpartition(".")[0]] if files else []
        yield from ((key, name) for name in given if _name.fullmatch(name))


def _kind(project: Project, native: str, languages: tuple[Language, ...]) -> str:
    if not native:
        return "documentation" if is_prose(languages) else "repository"
    return next((held.says for held in KNOWN.family[native].kinds if project.marked(held)), "project")


def _member_patterns(project: Project) -> Iterator[str]:
    for where in KNOWN.workspaces:
        yield from strings(project.at(where))
    for mark in KNOWN.workspace_files:
        for file in mark.files.split():
            yield from (match[1].replace(":", "/") for match in re.finditer(mark.inside, project.text(file)))


def _shape(pattern: str) -> list[str]:
    """The segments of a glob. One `**` is enough for any real one, and more would take long to compare."""
    segments = pattern.removeprefix("./").rstrip("/").split("/")
    return [] if segments.count("**") > 1 else segments


def _fits(shape: list[str], place: str) -> bool:
    path = place.split("/")
    if "**" in shape:
        at = shape.index("**")
        missing = len(path) - (len(shape) - 1)
        shape = [*shape[:at], *["*"] * missing, *shape[at + 1 :]]
    return len(shape) == len(path) and all(map(fnmatchcase, path, shape))


def _member_name(project: Project, place: str) -> str:
    """The name of a member package."""
    return next((name for _, name in _names(project, place)), "") if project.spare else ""


def _entries(project: Project) -> Iterator[EntryPoint]:
    for where in KNOWN.programs:
        file, held = where.split()[0], project.at(where)
        if isinstance(held, str):  # package.json, where the program is called what the package is
            yield _entry(string(project.at(f"{file} name")), held, file)
        yield from (_entry(name, string(target), file) for name, target in table(held).items())
    binaries = project.at("Cargo.toml bin")
    for binary in map(table, binaries if isinstance(binaries, list) else ()):
        yield _entry(string(binary.get("name")), string(binary.get("path")) or "src/bin", "Cargo.toml")
    if project.has("src/main.rs"):
        yield _entry(string(project.at("Cargo.toml package.name")) or "main", "src/main.rs", "Cargo.toml")


def _entry(name: str, target: str, source: str) -> EntryPoint:
    return EntryPoint(name=quoted(name, _LONGEST), target=quoted(target, _LONGEST), source=source)
