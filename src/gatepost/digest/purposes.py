"""What a command is for, by the name it was given."""

import re
from typing import Final

from gatepost.digest.findings import Purpose
from gatepost.digest.tables import words

_EXACT: Final = {
    Purpose.CHECK: "check checks ci cibuild verify validate qa",
    Purpose.TEST: "test tests spec",
    Purpose.LINT: "lint linter linting style",
    Purpose.FORMAT: "format fmt formatting",
    Purpose.TYPES: "typecheck type-check check-types types typing",
    Purpose.BUILD: "build compile all assemble bundle package dist",
    Purpose.RUN: "run dev start serve server up",
    Purpose.SETUP: "setup install bootstrap init deps sync",
}
"""The names that say exactly what a command is for, best first."""

_WORDS: Final = {
    Purpose.TEST: "testing unit integration e2e specs cov coverage tox jest vitest mocha cypress playwright smoke"
    " pytest unittest rspec ctest phpunit nextest bats",
    Purpose.LINT: "lints linters eslint flake8 pylint clippy vet golangci shellcheck stylelint rubocop biome ruff"
    " checkstyle ktlint detekt oxlint hadolint yamllint credo phpstan",
    Purpose.FORMAT: "formats formatter prettier black gofmt rustfmt isort yapf gofumpt goimports tidy spotless",
    Purpose.TYPES: "type typechecks typed mypy tsc pyright pyre basedpyright dialyzer",
    Purpose.BUILD: "builds wheel jar sdist rollup webpack esbuild tsup",
    Purpose.RUN: "develop watch preview demo launch runserver uvicorn gunicorn",
    Purpose.SETUP: "dependencies venv prepare hooks migrate migrations configure requirements",
    Purpose.CHECK: "precommit",
    Purpose.OTHER: "docs doc documentation markdown website site clean release publish deploy help bench benchmark"
    " benchmarks changelog version generate storybook",
}
_BY_NAME: Final = {name: purpose for purpose, names in _EXACT.items() for name in names.split()}
_MEANING: Final = {
    word: purpose
    for names in (_EXACT, _WORDS)
    for purpose, listed in names.items()
    for word in listed.split()
    if "-" not in word and word != "all"
}
_NEUTRAL: Final = words("all full py python py3 js ts unit src code quick fast local once run backend")

_word = re.compile(r"[a-z]+\d*[a-z]*|\d+", re.ASCII)
_hump = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_name(name: str) -> Purpose:
    """The purpose of an exact name, else of the first word that has a meaning.

    `check` counts only if no other word has one. A word for something apart, such as `docs`, decides alone.
    """
    if is_exact(name):
        return _BY_NAME[name.lower()]
    found = [_MEANING[word] for word in _words(name) if word in _MEANING]
    if not found or Purpose.OTHER in found:
        return Purpose.OTHER
    telling = [purpose for purpose in found if purpose is not Purpose.CHECK]
    return (telling or found)[0]


def is_exact(name: str) -> bool:
    """Whether a name says a purpose and nothing else."""
    return name.lower() in _BY_NAME


def exactness(name: str, purpose: Purpose) -> tuple[int, int]:
    """How exactly a name says its purpose, as a key to sort by: `test` before `test-all` before `test-legacy`."""
    names = _EXACT.get(purpose, "").split()
    if name.lower() in names:
        return 0, names.index(name.lower())
    plain = all(_MEANING.get(word) is purpose or word in _NEUTRAL for word in _words(name))
    return (1, 0) if plain else (2, 0)


def _words(name: str) -> list[str]:
    return _word.findall(_hump.sub("-", name).lower())
