"""The languages of a project, by the size of its own code, and where that code is."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gatepost.digest.findings import Language
from gatepost.digest.knowledge import KNOWN
from gatepost.digest.project import Project

MOST: Final = 6

_BY_ENDING: Final = {
    ending: name for name, endings in {**KNOWN.code, **KNOWN.other}.items() for ending in endings.split()
}
_PROGRAMMING: Final = KNOWN.code.keys()
_PROSE: Final = ("Markdown", "reStructuredText")
_BUILD_FILES: Final = ("build.gradle.kts", "settings.gradle.kts", "setup.py", "gulpfile.js", "mix.exs")

_FOLDERS: Final = {key: frozenset(names.split()) for key, names in KNOWN.folders.items()}
TESTS, DOCS, VENDORED, GENERATED = (_FOLDERS[key] for key in ("tests", "docs", "vendored", "generated"))
_APART: Final = TESTS | VENDORED | GENERATED | _FOLDERS["apart"]
_APART_ABOVE: Final = DOCS | _FOLDERS["apart_above"]
_ABOVE: Final = 3
_GENERATED_ENDS: Final = tuple(KNOWN.generated_endings.split())
_submodule = re.compile(r"(?m)^[ \t]*path[ \t]*=[ \t]*(\S+)[ \t]*$")
_generated = re.compile(r"^generated[_-]|(?<!non)[._-]generated[._-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The languages, heaviest first, and the bytes of the main language's own code by directory."""

    languages: tuple[Language, ...]
    main: str
    places: Counter[str]


def weigh(project: Project) -> Weights:
    """Measure the project's own code; if there is none, all code."""
    files = [(path, name) for path in project.tree.files if (name := _language(path))]
    bytes_of = {path: project.size(path) for path, name in files if name in _PROGRAMMING or name in _PROSE}
    apart = tuple(f"{path}/" for path in submodules(project))
    own = [(path, name) for path, name in files if is_own(path) and not path.startswith(apart)]
    if not any(name in _PROGRAMMING for _, name in own):
        own = [(path, name) for path, name in files if VENDORED.isdisjoint(path.split("/"))]
    own = _headers_settled(own, bytes_of)
    weights = Counter[str]()
    for path, name in own:
        weights[name] += bytes_of.get(path, 0)
    main = max(sorted(_PROGRAMMING & weights.keys()), key=lambda name: weights[name], default="")
    places = Counter[str]()
    for path, name in own:
        if name == main:
            places[path.rpartition("/")[0]] += bytes_of[path]
    return Weights(languages=_listed(files, weights), main=main, places=places)


def is_own(path: str) -> bool:
    """Whether a path is the project's own code, not tests, docs or third-party code."""
    *folders, name = path.lower().split("/")
    if name in _BUILD_FILES or name.endswith(_GENERATED_ENDS) or _generated.search(name):
        return False
    apart = [folder in _APART or folder.startswith((".", "vendored")) for folder in folders]
    return not any(apart) and _APART_ABOVE.isdisjoint(folders[:_ABOVE])


def submodules(project: Project) -> list[str]:
    """The paths of git submodules: other projects, whether or not they are fetched."""
    return _submodule.findall(project.text(".gitmodules"))


def is_prose(languages: Iterable[Language]) -> bool:
    """Whether a language is prose, not code."""
    names = {language.name for language in languages}
    return not names.isdisjoint(_PROSE) and names.isdisjoint(_PROGRAMMING)


def is_generated(path: str) -> bool:
    """Whether a file's name shows that it was generated."""
    if _generated.search(path.rpartition("/")[2]):
        return _language(path) in _PROGRAMMING
    return path.endswith(_GENERATED_ENDS) and not path.endswith((".d.ts", ".min.js", ".min.css", ".bundle.js"))


def _listed(files: list[tuple[str, str]], weights: Counter[str]) -> tuple[Language, ...]:
    counts = Counter(name for _, name in files)
    order = sorted(counts, key=lambda name: (name not in _PROGRAMMING, -weights[name], -counts[name], name))
    return tuple(Language(name=name, files=counts[name]) for name in order[:MOST])


def _headers_settled(files: list[tuple[str, str]], bytes_of: dict[str, int]) -> list[tuple[str, str]]:
    """A header belongs to the C++ files around it, if they weigh more than the C files."""
    sources = Counter[str]()
    for path, name in files:
        if name in ("C", "C++") and not path.endswith(".h"):
            sources[name] += bytes_of[path]
    if sources["C++"] <= sources["C"]:
        return files
    return [(path, "C++" if path.endswith(".h") else name) for path, name in files]


def _language(path: str) -> str | None:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _BY_ENDING.get(ending.lower()) if dot else None
