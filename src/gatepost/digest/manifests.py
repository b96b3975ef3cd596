"""What manifests say: the project's name and kind, the frameworks it uses, its packages and its entry points."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from gatepost.digest.ecosystems import frameworks, of_file, of_language
from gatepost.digest.findings import Entry, Identity, Language, Package
from gatepost.digest.knowledge import KNOWN, Mark
from gatepost.digest.languages import Weights, is_own, is_prose
from gatepost.digest.project import Project, Table, joined, string, strings, table
from gatepost.digest.quoting import quoted

MOST_ENTRIES: Final = 12

_LONGEST: Final = 120
_LONGEST_NAME: Final = 80
_LONGEST_SAYING: Final = 160
_MOST_NAMED: Final = 12
_MOST_PATTERNS: Final = 200

_name = re.compile(r"[\w@.+/-]{1,80}")
_yaml_item = re.compile(r"^\s*-\s*['\"]?([^'\"#\s]+)['\"]?\s*(?:#.*)?$")
_go_use = re.compile(r"^(?:use)?\s*\(?\s*(\./[\w./-]*)\s*\)?$")
_gradle_include = re.compile(r"['\"]:([\w.:-]+)['\"]")
_maven_module = re.compile(r"<module>([\w./-]+)</module>")
_TABLES: Final = (
    *(("python", "pyproject.toml", "project"), ("python", "pyproject.toml", "tool", "poetry")),
    *(("node", "package.json"), ("rust", "Cargo.toml", "package"), ("php", "composer.json")),
)
"""Where manifests have the name and the description, by family."""
_MEMBERS: Final = (
    *("package.json", "Cargo.toml", "pyproject.toml", "go.mod", "build.gradle.kts", "build.gradle", "pom.xml"),
)


def identity(project: Project, weights: Weights, *, named: str | None, directory: str) -> Identity:
    """What the project is. Its name is the one given, else a manifest's, else that of its directory."""
    native = of_language(weights.main)
    names: dict[str, str] = {}
    for ecosystem, held in _names(project, ""):
        names.setdefault(ecosystem, held)
    name = named or names.get(native) or next(iter(names.values()), "") or directory or "this repository"
    sayings = [said for _, held in _tables(project, "") if (said := string(held, "description").strip())]
    return Identity(
        name=quoted(name, _LONGEST_NAME),
        language=weights.main,
        kind=_kind(project, native, weights.languages),
        frameworks=frameworks(project, native),
        says=quoted(sayings[0], _LONGEST_SAYING) if sayings else "",
    )


def packages(project: Project) -> tuple[Package, ...]:
    """The members of the workspace that the root declares."""
    shapes = [shape for pattern in islice(_member_patterns(project), _MOST_PATTERNS) if (shape := _shape(pattern))]
    families = {
        path.rpartition("/")[0]: of_file(path) for path in project.tree.files if path.rpartition("/")[2] in _MEMBERS
    }
    members = [place for place in sorted(families) if place and is_own(f"{place}/x")]
    return tuple(
        Package(
            path=quoted(place, _LONGEST),
            family=families[place],
            name=quoted(_member_name(project, place) if number < _MOST_NAMED else "", _LONGEST),
        )
        for number, place in enumerate(place for place in members if any(_fits(shape, place) for shape in shapes))
    )


def entries(project: Project) -> tuple[Entry, ...]:
    """The commands that the project installs."""
    return tuple(dict.fromkeys(_entries(project)))[:MOST_ENTRIES]


def _tables(project: Project, place: str) -> Iterator[tuple[str, Table]]:
    for family, file, *keys in _TABLES:
        yield family, table(project.data(joined(place, file)), *keys)


def _names(project: Project, place: str) -> Iterator[tuple[str, str]]:
    """The names that a directory's manifests give, by family. A sentence is no name."""
    for key, held in _tables(project, place):
        name = string(held, "name").strip()
        if _name.fullmatch(name):
            yield key, name.rpartition("/")[2] if key == "php" else name
    for key, family in KNOWN.family.items():
        for file, pattern in family.names.items():
            found = project.marked(Mark(files=file, inside=pattern), place)
            if found:
                yield key, found.value
    for ending, key in (".gemspec", "ruby"), (".sln", "dotnet"), (".slnx", "dotnet"), (".csproj", "dotnet"):
        yield from ((key, name.removesuffix(ending)) for name in project.names(place) if name.endswith(ending))


def _kind(project: Project, native: str, languages: tuple[Language, ...]) -> str:
    if not native:
        return "documentation" if is_prose(languages) else "repository"
    return next((held.kind for held in KNOWN.family[native].kinds if project.marked(held)), "project")


def _member_patterns(project: Project) -> Iterator[str]:
    node = project.data("package.json")
    yield from strings(node, "workspaces")
    yield from strings(table(node, "workspaces"), "packages")
    for line in project.text("pnpm-workspace.yaml").split("\n"):
        match = _yaml_item.match(line)
        if match and not match[1].startswith("!"):
            yield match[1]
    yield from strings(table(project.data("Cargo.toml"), "workspace"), "members")
    yield from strings(table(project.data("pyproject.toml"), "tool", "uv", "workspace"), "members")
    for line in project.text("go.work").split("\n"):
        match = _go_use.match(line.strip())
        if match:
            yield match[1]
    for file in ("settings.gradle", "settings.gradle.kts"):
        for line in project.text(file).split("\n"):
            if line.lstrip().startswith("include"):
                yield from (name.replace(":", "/") for name in _gradle_include.findall(line))
    yield from _maven_module.findall(project.text("pom.xml"))


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
    """What a member calls itself."""
    return next((name for _, name in _names(project, place)), "") if project.spare else ""


def _entries(project: Project) -> Iterator[Entry]:
    pyproject = project.data("pyproject.toml")
    for keys in (("project", "scripts"), ("tool", "poetry", "scripts")):
        scripts = table(pyproject, *keys)
        for name in scripts:
            yield _entry(name, string(scripts, name), "pyproject.toml")
    node = project.data("package.json")
    if isinstance(node.get("bin"), str):
        yield _entry(string(node, "name"), string(node, "bin"), "package.json")
    for name in table(node, "bin"):
        yield _entry(name, string(table(node, "bin"), name), "package.json")
    cargo = project.data("Cargo.toml")
    binaries = cargo.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        if isinstance(binary, dict):
            held: Table = binary
            yield _entry(string(held, "name"), string(held, "path") or "src/bin", "Cargo.toml")
    if project.has("src/main.rs"):
        yield _entry(string(table(cargo, "package"), "name") or "main", "src/main.rs", "Cargo.toml")


def _entry(name: str, target: str, source: str) -> Entry:
    return Entry(name=quoted(name, _LONGEST), target=quoted(target, _LONGEST), source=source)
