"""Languages by the endings of file names."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from gatepost.digest.findings import Language

MOST: Final = 6

_CODE: Final = {
    "Python": "py pyi pyx",
    "JavaScript": "js mjs cjs jsx",
    "TypeScript": "ts tsx mts cts",
    "Rust": "rs",
    "Go": "go",
    "Java": "java",
    "Kotlin": "kt kts",
    "Scala": "scala sc",
    "C": "c h",
    "C++": "cc cpp cxx hpp hh hxx",
    "C#": "cs",
    "F#": "fs fsx",
    "Swift": "swift",
    "Objective-C": "m mm",
    "Ruby": "rb",
    "PHP": "php",
    "Perl": "pl pm",
    "Lua": "lua",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "Haskell": "hs",
    "OCaml": "ml mli",
    "Clojure": "clj cljs cljc",
    "Julia": "jl",
    "R": "r",
    "Dart": "dart",
    "Zig": "zig",
    "Nim": "nim",
    "Shell": "sh bash zsh fish",
    "PowerShell": "ps1",
    "SQL": "sql",
    "Vue": "vue",
    "Svelte": "svelte",
    "CSS": "css scss sass less",
    "HTML": "html htm",
    "Terraform": "tf",
    "Nix": "nix",
    "Protocol Buffers": "proto",
    "Solidity": "sol",
    "Assembly": "s asm",
    "Jupyter": "ipynb",
}
_TEXT: Final = {
    "Markdown": "md markdown mdx",
    "reStructuredText": "rst",
    "JSON": "json jsonc json5",
    "YAML": "yml yaml",
    "TOML": "toml",
    "XML": "xml",
    "Text": "txt",
    "CSV": "csv tsv",
}
_BY_ENDING: Final = {
    ending: name for names in (_CODE, _TEXT) for name, held in names.items() for ending in held.split()
}


def counted(files: Iterable[str]) -> tuple[Language, ...]:
    """The most used languages: programming ones first, then prose and data, each by its number of files."""
    counts = Counter(name for path in files if (name := _language(path)))
    ordered = sorted(counts.items(), key=lambda item: (item[0] not in _CODE, -item[1], item[0]))
    return tuple(Language(name=name, files=number) for name, number in ordered[:MOST])


def main(languages: Iterable[Language]) -> str:
    """The programming language that most files are written in; empty if there is none."""
    return next((language.name for language in languages if language.name in _CODE), "")


def _language(path: str) -> str | None:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return _BY_ENDING.get(ending.lower()) if dot else None
