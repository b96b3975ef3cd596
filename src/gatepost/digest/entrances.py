"""Where a program is entered, and of which packages a workspace consists, as manifests declare it."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from gatepost.digest import ignore
from gatepost.digest.findings import Entry, Package
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.shelf import Shelf, Table, joined, string, strings, table

MOST_ENTRIES: Final = 12
MOST_PACKAGES: Final = 40

_LONGEST: Final = 120
_MOST_NAMED: Final = 12
_MOST_PATTERNS: Final = 200
_MANIFESTS: Final = ("package.json", "Cargo.toml", "pyproject.toml", "go.mod")
_OUTSIDE: Final = frozenset(
    {"test", "tests", "testdata", "fixtures", "examples", "example", "vendor", "docs", "bench"}
)

_quoted_item = re.compile(r"^\s*-\s*['\"]?([^'\"#\s]+)['\"]?\s*(?:#.*)?$")
_go_use = re.compile(r"^(?:use)?\s*\(?\s*(\./[\w./-]*)\s*\)?$")
_go_module = re.compile(r"^module\s+(\S+)", re.MULTILINE)


def entries(shelf: Shelf) -> tuple[Entry, ...]:
    """The ways into the program, declared ones first."""
    found = [*_python(shelf), *_node(shelf), *_rust(shelf), *_conventional(shelf)]
    return tuple(dict.fromkeys(found))[:MOST_ENTRIES]


def packages(shelf: Shelf) -> tuple[Package, ...]:
    """The members of the workspace that the root declares."""
    patterns = [*islice(_patterns(shelf), _MOST_PATTERNS)]
    shapes = [shape for pattern in patterns if (shape := ignore.glob(ignore.as_bytes(_plain(pattern))))]
    members = [path for path in _places_with_manifest(shelf) if _any_fits(shapes, path)]
    found: list[Package] = []
    for number, path in enumerate(members[:MOST_PACKAGES]):
        name = _name(shelf, path) if number < _MOST_NAMED else ""
        found.append(Package(path=quoted(path, _LONGEST), name=quoted(name, _LONGEST)))
    return tuple(found)


def _python(shelf: Shelf) -> Iterator[Entry]:
    manifest = shelf.toml("pyproject.toml")
    for keys in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        scripts = table(manifest, *keys)
        for name in scripts:
            yield _entry(name, string(scripts, name), f"pyproject.toml [{'.'.join(keys)}]")


def _node(shelf: Shelf) -> Iterator[Entry]:
    manifest = shelf.json("package.json")
    binaries = manifest.get("bin")
    if isinstance(binaries, str):
        yield _entry(string(manifest, "name"), binaries, "package.json bin")
    names = table(manifest, "bin")
    for name in names:
        yield _entry(name, string(names, name), "package.json bin")
    for key in ("main", "module"):
        if string(manifest, key):
            yield _entry(key, string(manifest, key), "package.json")


def _rust(shelf: Shelf) -> Iterator[Entry]:
    manifest = shelf.toml("Cargo.toml")
    binaries = manifest.get("bin")
    for binary in binaries if isinstance(binaries, list) else ():
        if isinstance(binary, dict):
            held: Table = binary
            yield _entry(string(held, "name"), string(held, "path") or "src/bin", "Cargo.toml [[bin]]")
    if shelf.has("src/main.rs"):
        yield _entry(string(table(manifest, "package"), "name") or "main", "src/main.rs", "Cargo.toml")


def _conventional(shelf: Shelf) -> Iterator[Entry]:
    """Files that are entered by their name alone."""
    for path in shelf.tree.files:
        place, _, name = path.rpartition("/")
        if path.count("/") > 2 or not _OUTSIDE.isdisjoint(place.split("/")):
            continue
        if name == "__main__.py" and place:
            yield _entry(f"python -m {place.removeprefix('src/').replace('/', '.')}", path, "a __main__ module")
        elif name == "main.go":
            yield _entry(f"go run ./{place}" if place else "go run .", path, "a main package")
        elif path == "manage.py":
            yield _entry("python manage.py", path, "Django")
        elif path.startswith("src/bin/") and path.endswith(".rs"):
            yield _entry(name.removesuffix(".rs"), path, "src/bin")


def _patterns(shelf: Shelf) -> Iterator[str]:
    node = shelf.json("package.json")
    yield from strings(node, "workspaces")
    yield from strings(table(node, "workspaces"), "packages")
    yield from strings(shelf.json("lerna.json"), "packages")
    for _, line in plain_lines(shelf.text("pnpm-workspace.yaml")):
        match = _quoted_item.match(line)
        if match and not match[1].startswith("!"):
            yield match[1]
    yield from strings(table(shelf.toml("Cargo.toml"), "workspace"), "members")
    yield from strings(table(shelf.toml("pyproject.toml"), "tool", "uv", "workspace"), "members")
    for _, line in plain_lines(shelf.text("go.work")):
        match = _go_use.match(line.strip())
        if match:
            yield match[1]


def _plain(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")


def _any_fits(shapes: Iterable[tuple[ignore.Part, ...]], path: str) -> bool:
    segments = [ignore.as_bytes(name) for name in path.split("/")]
    return any(ignore.fits(shape, segments) for shape in shapes)


def _places_with_manifest(shelf: Shelf) -> list[str]:
    places = {path.rpartition("/")[0] for path in shelf.tree.files if path.rpartition("/")[2] in _MANIFESTS}
    return sorted(place for place in places if place)


def _name(shelf: Shelf, place: str) -> str:
    """What a member calls itself."""
    for name in _MANIFESTS:
        path = joined(place, name)
        if not shelf.has(path) or not shelf.spare:
            continue
        match name:
            case "package.json":
                return string(shelf.json(path), "name")
            case "Cargo.toml":
                return string(table(shelf.toml(path), "package"), "name")
            case "pyproject.toml":
                return string(table(shelf.toml(path), "project"), "name")
        module = _go_module.search(shelf.text(path))
        return module[1] if module else ""
    return ""


def _entry(name: str, target: str, source: str) -> Entry:
    return Entry(name=quoted(name, _LONGEST), target=quoted(target, _LONGEST), source=source)
