"""What manifests say: the project's name and kind, the frameworks it uses, its packages and its entry points."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from gatepost.digest.ecosystems import frameworks, of_file, of_language
from gatepost.digest.findings import Entry, Identity, Language, Package
from gatepost.digest.languages import Weights, is_own, is_prose
from gatepost.digest.project import Project, Table, joined, string, strings, table
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.tables import words

MOST_ENTRIES: Final = 12

_LONGEST: Final = 120
_LONGEST_NAME: Final = 80
_LONGEST_SAYING: Final = 160
_MOST_NAMED: Final = 12
_MOST_PATTERNS: Final = 200
_MOST_SEARCHED: Final = 20_000

_PATTERNS: Final = (
    ("go", "go.mod", r"(?m)^module[ \t]+\S{0,200}?([^\s/]{1,100}?)(?:/v\d+)?[ \t]*$"),
    ("python", "setup.cfg", r"(?m)^name\s*=\s*([\w.-]+)[ \t]*$"),
    ("python", "setup.py", r"\bname\s*=\s*['\"]([\w.-]+)['\"]"),
    ("jvm", "pom.xml", r"(?s)<artifactId>([\w.-]+)</artifactId>"),
    ("jvm", "settings.gradle", r"rootProject\.name\s*=\s*['\"]([\w.-]+)['\"]"),
    ("jvm", "settings.gradle.kts", r"rootProject\.name\s*=\s*['\"]([\w.-]+)['\"]"),
    ("jvm", "build.sbt", r"(?m)^[ \t]*(?:ThisBuild\s*/\s*)?name\s*:=\s*\"([\w.-]+)\""),
    ("elixir", "mix.exs", r"\bapp:\s*:(\w+)"),
    ("c", "CMakeLists.txt", r"(?im)^[ \t]*project\s*\(\s*\"?([\w.+-]+)"),
    ("c", "meson.build", r"\bproject\s*\(\s*'([\w.+-]+)'"),
    ("c", "configure.ac", r"AC_INIT\s*\(\s*\[?([\w.+-]+)"),
    ("swift", "Package.swift", r"\bname:\s*\"([\w.-]+)\""),
    ("dart", "pubspec.yaml", r"(?m)^name:\s*(\w+)"),
)
_name = re.compile(r"[\w@.+/-]{1,80}")
_maven_parent = re.compile(r"(?s)<parent>.{0,600}?</parent>")
_yaml_item = re.compile(r"^\s*-\s*['\"]?([^'\"#\s]+)['\"]?\s*(?:#.*)?$")
_go_use = re.compile(r"^(?:use)?\s*\(?\s*(\./[\w./-]*)\s*\)?$")
_gradle_include = re.compile(r"['\"]:([\w.:-]+)['\"]")
_maven_module = re.compile(r"<module>([\w./-]+)</module>")
_MEMBERS: Final = words("package.json Cargo.toml pyproject.toml go.mod build.gradle.kts build.gradle pom.xml")


def identity(project: Project, weights: Weights, *, named: str | None, directory: str) -> Identity:
    """What the project is. Its name is the one given, else a manifest's, else that of its directory."""
    native = of_language(weights.main)
    names: dict[str, str] = {}
    for ecosystem, held in _names(project):
        if _name.fullmatch(held):  # a sentence is no name
            names.setdefault(ecosystem, held)
    name = named or names.get(native) or next(iter(names.values()), "") or directory or "this repository"
    sayings = [string(held, "description") for held in _tables(project) if string(held, "description").strip()]
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


def _tables(project: Project) -> tuple[Table, ...]:
    pyproject = project.toml("pyproject.toml")
    return (
        table(pyproject, "project") or table(pyproject, "tool", "poetry"),
        project.json("package.json"),
        table(project.toml("Cargo.toml"), "package"),
        project.json("composer.json"),
    )


def _names(project: Project) -> Iterator[tuple[str, str]]:
    python, node, rust, php = (string(held, "name").strip() for held in _tables(project))
    declared = (("python", python), ("node", node), ("rust", rust), ("php", php.rpartition("/")[2]))
    yield from ((ecosystem, name) for ecosystem, name in declared if name)
    for ecosystem, file, pattern in _PATTERNS:
        match = re.search(pattern, _maven_parent.sub("", project.text(file)[:_MOST_SEARCHED]))
        if match:
            yield ecosystem, match[1]
    for ending, ecosystem in (".gemspec", "ruby"), (".sln", "dotnet"), (".slnx", "dotnet"), (".csproj", "dotnet"):
        named = next((name.removesuffix(ending) for name in project.names("") if name.endswith(ending)), "")
        if named:
            yield ecosystem, named


def _kind(project: Project, native: str, languages: tuple[Language, ...]) -> str:
    has = project.has
    match native:
        case "python" if has("manage.py"):
            return "application"
        case "python" if has("setup.py") or has("pyproject.toml"):
            built = "build-system" in project.toml("pyproject.toml") or has("setup.py")
            return "package" if built else "project"
        case "node" if has("package.json"):
            manifest = project.json("package.json")
            published = any(key in manifest for key in ("main", "module", "exports", "bin", "types", "files"))
            return "package" if published and manifest.get("private") is not True else "application"
        case "rust" if has("Cargo.toml"):
            return "crate"
        case "go" if has("go.mod"):
            return "module"
        case "ruby":
            gem = any(name.endswith(".gemspec") for name in project.names(""))
            return "gem" if gem else "application" if has("config.ru") else "project"
        case "php" if has("composer.json"):
            return "application" if has("artisan") else "package"
        case "dotnet" if any(name.endswith((".sln", ".slnx")) for name in project.names("")):
            return "solution"
        case "terraform":
            return "configuration"
    return "project" if native else "documentation" if is_prose(languages) else "repository"


def _member_patterns(project: Project) -> Iterator[str]:
    node = project.json("package.json")
    yield from strings(node, "workspaces")
    yield from strings(table(node, "workspaces"), "packages")
    yield from strings(project.json("lerna.json"), "packages")
    for line in plain_lines(project.text("pnpm-workspace.yaml")):
        match = _yaml_item.match(line)
        if match and not match[1].startswith("!"):
            yield match[1]
    yield from strings(table(project.toml("Cargo.toml"), "workspace"), "members")
    yield from strings(table(project.toml("pyproject.toml"), "tool", "uv", "workspace"), "members")
    for line in plain_lines(project.text("go.work")):
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
    file = project.first(
        *(joined(place, name) for name in ("package.json", "Cargo.toml", "pyproject.toml", "go.mod"))
    )
    if not file or not project.spare:
        return ""
    match file.rpartition("/")[2]:
        case "package.json":
            return string(project.json(file), "name")
        case "Cargo.toml":
            return string(table(project.toml(file), "package"), "name")
        case "pyproject.toml":
            return string(table(project.toml(file), "project"), "name")
    module = re.search(_PATTERNS[0][2], project.text(file))
    return module[1] if module else ""


def _entries(project: Project) -> Iterator[Entry]:
    pyproject = project.toml("pyproject.toml")
    for keys in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        scripts = table(pyproject, *keys)
        for name in scripts:
            yield _entry(name, string(scripts, name), "pyproject.toml")
    node = project.json("package.json")
    if isinstance(node.get("bin"), str):
        yield _entry(string(node, "name"), string(node, "bin"), "package.json")
    for name in table(node, "bin"):
        yield _entry(name, string(table(node, "bin"), name), "package.json")
    cargo = project.toml("Cargo.toml")
    binaries = cargo.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        if isinstance(binary, dict):
            held: Table = binary
            yield _entry(string(held, "name"), string(held, "path") or "src/bin", "Cargo.toml")
    if project.has("src/main.rs"):
        yield _entry(string(table(cargo, "package"), "name") or "main", "src/main.rs", "Cargo.toml")


def _entry(name: str, target: str, source: str) -> Entry:
    return Entry(name=quoted(name, _LONGEST), target=quoted(target, _LONGEST), source=source)
