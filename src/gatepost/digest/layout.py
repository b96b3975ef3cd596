"""Layout: the directories worth knowing, what they are for, and where the program is entered."""

import re
from collections import Counter, defaultdict
from typing import Final

from gatepost.digest import entrances, languages
from gatepost.digest.findings import Directory, Layout
from gatepost.digest.prose import blocks
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.shelf import Shelf

MOST_DIRECTORIES: Final = 50
MOST_CHILDREN: Final = 16
MOST_ROOT_FILES: Final = 24

_LONGEST_NOTE: Final = 110
_LONGEST_PATH: Final = 120
_KNOWN: Final = {
    "src": "source code",
    "lib": "library code",
    "app": "application code",
    "apps": "applications",
    "pkg": "packages",
    "cmd": "command-line programs",
    "internal": "code not meant for others to import",
    "packages": "the packages of the workspace",
    "crates": "the crates of the workspace",
    "test": "tests",
    "tests": "tests",
    "spec": "tests",
    "__tests__": "tests",
    "e2e": "end-to-end tests",
    "fixtures": "test data",
    "testdata": "test data",
    "docs": "documentation",
    "doc": "documentation",
    "decisions": "decision records",
    "adr": "decision records",
    "examples": "examples",
    "example": "examples",
    "scripts": "scripts",
    "bin": "executables",
    "tools": "tools",
    "bench": "benchmarks",
    "benches": "benchmarks",
    "benchmarks": "benchmarks",
    "migrations": "database migrations",
    ".github": "GitHub configuration",
    "workflows": "CI workflows",
    ".gitlab": "GitLab configuration",
    ".ci": "CI",
    ".circleci": "CI",
    ".devcontainer": "development container",
    ".vscode": "editor settings",
    "schemas": "schemas",
    "proto": "protocol definitions",
    "templates": "templates",
    "static": "static files",
    "assets": "assets",
    "public": "public files",
    "web": "web front end",
    "frontend": "front end",
    "backend": "back end",
    "server": "server",
    "client": "client",
    "components": "user interface components",
    "config": "configuration",
    "deploy": "deployment",
    "docker": "container images",
    "infra": "infrastructure",
    "k8s": "Kubernetes manifests",
    "terraform": "infrastructure",
    "vendor": "third-party code",
    "third_party": "third-party code",
    "locales": "translations",
    "notebooks": "notebooks",
    "data": "data",
}
_TESTS: Final = frozenset({"test", "tests", "spec", "__tests__"})

_opening = re.compile(r"""^[rRuU]?(\"{3}|'{3}|"|')(.*)$""")
_sentence = re.compile(r"(?<=[.!?])\s")


def found(shelf: Shelf) -> Layout:
    """The layout of a tree. Directories of one child and no files are told with that child, in one line."""
    counts, children = _counted(shelf)
    with_files = {path.rpartition("/")[0] for path in shelf.tree.files}
    listed: list[Directory] = []
    omitted = 0
    for top in children[""]:
        upper = _folded(top, children, with_files)
        listed.append(_directory(shelf, upper, counts, 0))
        below = children[upper]
        listed.extend(_directory(shelf, path, counts, 1) for path in below[:MOST_CHILDREN])
        omitted += len(below) - len(below[:MOST_CHILDREN])
    omitted += len(listed) - len(listed[:MOST_DIRECTORIES])
    root_files = [quoted(path, _LONGEST_PATH) for path in shelf.tree.files if "/" not in path]
    return Layout(
        languages=languages.counted(shelf.tree.files),
        directories=tuple(listed[:MOST_DIRECTORIES]),
        root_files=tuple(root_files[:MOST_ROOT_FILES]),
        entries=entrances.entries(shelf),
        packages=entrances.packages(shelf),
        omitted=omitted + len(root_files) - len(root_files[:MOST_ROOT_FILES]),
    )


def _counted(shelf: Shelf) -> tuple[Counter[str], dict[str, list[str]]]:
    """How many files lie below each directory, and which directories with any stand in each."""
    counts: Counter[str] = Counter()
    for path in shelf.tree.files:
        place = path.rpartition("/")[0]
        while place:
            counts[place] += 1
            place = place.rpartition("/")[0]
    children: dict[str, list[str]] = defaultdict(list)
    for path in shelf.tree.directories:
        if counts[path]:
            children[path.rpartition("/")[0]].append(path)
    return counts, children


def _folded(path: str, children: dict[str, list[str]], with_files: set[str]) -> str:
    while path not in with_files and len(children[path]) == 1:
        path = children[path][0]
    return path


def _directory(shelf: Shelf, path: str, counts: Counter[str], level: int) -> Directory:
    name = path.rpartition("/")[2].lower()
    custom = _KNOWN.get(name, "")
    if level and (custom == name or not _TESTS.isdisjoint(path.split("/")[:-1])):
        custom = ""  # the folder tests/tools/ holds tests, not tools
    note = _own_note(shelf, path) or custom
    return Directory(
        path=quoted(path, _LONGEST_PATH), files=counts[path], note=quoted(note, _LONGEST_NOTE), level=level
    )


def _own_note(shelf: Shelf, path: str) -> str:
    """What a directory says of itself: its module docstring, its manifest, or the first line of its README."""
    module = f"{path}/__init__.py"
    if shelf.spare and shelf.has(module):
        line = _docstring(shelf.text(module))
        if line:
            return line
    for name in ("README.md", "readme.md", "README.rst", "README"):
        if shelf.spare and shelf.has(f"{path}/{name}"):
            return _first_line(shelf.text(f"{path}/{name}"))
    return ""


def _docstring(source: str) -> str:
    """The first line of a module's docstring."""
    for _, line in plain_lines(source):
        if line.strip() and not line.lstrip().startswith("#"):
            match = _opening.match(line)
            return match[2].removesuffix(match[1]).strip() if match else ""
    return ""


def _first_line(text: str) -> str:
    """The first sentence of a document, else its title."""
    title = ""
    for block in blocks(text):
        title = title or block.heading
        if block.fence is None and re.match(r"[\w*_`\"'(]", block.text):
            return _sentence.split(re.sub(r"\*\*|__", "", block.text))[0]
    return title
