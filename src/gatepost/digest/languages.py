"""Languages, by the weight of the code that is the project's own, and where that code is."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gatepost.digest.findings import Language
from gatepost.digest.project import Project
from gatepost.digest.tables import pairs, words

MOST: Final = 6

_CODE: Final = (
    "Python=py pyi pyx pxd pxi, JavaScript=js mjs cjs jsx, TypeScript=ts tsx mts cts, Vue=vue, Svelte=svelte,"
    " Rust=rs, Go=go, Java=java, Kotlin=kt kts, Scala=scala sc, C=c h, C++=cc cpp cxx hpp hh hxx, C#=cs, F#=fs fsx,"
    " Swift=swift, Objective-C=m mm, Ruby=rb, PHP=php, Perl=pl pm, Lua=lua, Elixir=ex exs, Erlang=erl hrl,"
    " Haskell=hs, OCaml=ml mli, Clojure=clj cljs cljc, Julia=jl, R=r, Dart=dart, Zig=zig, Nim=nim, PowerShell=ps1,"
    " Shell=sh bash zsh fish, Terraform=tf, Nix=nix, Solidity=sol, Assembly=s asm"
)
_OTHER: Final = (
    "SQL=sql, CSS=css scss sass less, HTML=html htm, Protocol Buffers=proto, Jupyter=ipynb, JSON=json jsonc json5,"
    " Markdown=md markdown mdx, reStructuredText=rst, YAML=yml yaml, TOML=toml, XML=xml, Text=txt, CSV=csv tsv"
)
_ENDINGS: Final = {name: endings.split() for name, endings in pairs(f"{_CODE}, {_OTHER}")}
_BY_ENDING: Final = {ending: name for name, endings in _ENDINGS.items() for ending in endings}
_PROGRAMMING: Final = frozenset(name for name, _ in pairs(_CODE))
_PROSE: Final = ("Markdown", "reStructuredText")
_BUILD_FILES: Final = ("build.gradle.kts", "settings.gradle.kts", "setup.py", "gulpfile.js", "mix.exs")

TESTS: Final = words("test tests spec specs __tests__ e2e t")
DOCS: Final = words("docs doc documentation guides")
VENDORED: Final = words("vendor vendored _vendor third_party thirdparty third-party external extern subprojects")
GENERATED: Final = words("generated __generated__ gen dist")
_APART: Final = TESTS | VENDORED | GENERATED | words("testdata test_data test-data fixtures snapshots")
_APART_ABOVE: Final = DOCS | words(
    "docs_src example examples samples demo demos playground bench benches benchmarks website site www scripts"
    " script hack ci deps"
)
"""Names that mean this only among the upper folders: deep in a tree they are names like others."""
_ABOVE: Final = 3
_submodule = re.compile(r"(?m)^[ \t]*path[ \t]*=[ \t]*(\S+)[ \t]*$")
_generated = re.compile(r"^generated[_-]|(?<!non)[._-]generated[._-]")
_GENERATED_ENDS: Final = (
    *(".min.js", ".min.css", ".bundle.js", ".d.ts", "_pb2.py", "_pb2_grpc.py", "_pb2.pyi", ".pb.go", ".pb.cc"),
    *(".pb.h", ".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", "_generated.go", "_gen.go", ".generated.ts"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The languages, heaviest first, and the bytes of the main language's own code by directory."""

    languages: tuple[Language, ...]
    main: str
    places: Counter[str]


def weigh(project: Project) -> Weights:
    """Weigh the project's own code; where there is none, whatever code there is."""
    files = [(path, name) for path in project.tree.files if (name := _language(path))]
    bytes_of = {path: project.size(path) for path, name in files if name in _PROGRAMMING or name in _PROSE}
    apart = tuple(f"{path}/" for path in submodules(project))
    cython = {path.removesuffix(".pyx") for path in project.tree.files if path.endswith(".pyx")}
    own = [
        (path, name)
        for path, name in files
        if is_own(path) and not path.startswith(apart) and not _is_compiled(path, cython)
    ]
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
    """Whether a path is that of the project's own code: not of its tests or docs, and no one else's."""
    *folders, name = path.lower().split("/")
    if name in _BUILD_FILES or name.endswith(_GENERATED_ENDS) or _generated.search(name):
        return False
    apart = [folder in _APART or folder.startswith((".", "vendored")) for folder in folders]
    return not any(apart) and _APART_ABOVE.isdisjoint(folders[:_ABOVE])


def submodules(project: Project) -> list[str]:
    """The paths of git submodules: other projects, whether or not they are fetched."""
    return _submodule.findall(project.text(".gitmodules"))


def is_prose(languages: Iterable[Language]) -> bool:
    """Whether there is text to read and no code."""
    names = {language.name for language in languages}
    return not names.isdisjoint(_PROSE) and names.isdisjoint(_PROGRAMMING)


def is_generated(path: str) -> bool:
    """Whether a file's name says that a program wrote it."""
    if _generated.search(path.rpartition("/")[2]):
        return _language(path) in _PROGRAMMING
    return path.endswith(_GENERATED_ENDS) and not path.endswith((".d.ts", ".min.js", ".min.css", ".bundle.js"))


def _is_compiled(path: str, cython: set[str]) -> bool:
    stem, _, ending = path.rpartition(".")
    return ending in ("c", "cpp") and stem in cython


def _listed(files: list[tuple[str, str]], weights: Counter[str]) -> tuple[Language, ...]:
    counts = Counter(name for _, name in files)
    order = sorted(counts, key=lambda name: (name not in _PROGRAMMING, -weights[name], -counts[name], name))
    return tuple(Language(name=name, files=counts[name], weight=weights[name]) for name in order[:MOST])


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
