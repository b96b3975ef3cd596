"""What a command is for, by the name it was given or by the tool it calls."""

import re
from typing import Final

from gatepost.digest.findings import Purpose
from gatepost.digest.quoting import words

_EXACT: Final = {
    Purpose.CHECK: "check checks ci cibuild verify validate qa",
    Purpose.TEST: "test tests spec unittest pytest",
    Purpose.LINT: "lint linter linting style",
    Purpose.FORMAT: "format fmt formatting",
    Purpose.TYPES: "typecheck type-check check-types types typing mypy tsc",
    Purpose.BUILD: "build compile all assemble bundle package dist",
    Purpose.RUN: "run dev start serve server up",
    Purpose.SETUP: "setup install bootstrap init deps sync",
}
"""The names that say exactly what a command is for, best first."""

_WORDS: Final = {
    Purpose.TEST: "testing unit integration e2e specs cov coverage tox jest vitest mocha cypress playwright smoke"
    " rspec ctest phpunit nextest bats",
    Purpose.LINT: "lints linters eslint flake8 pylint clippy vet golangci shellcheck stylelint rubocop biome ruff"
    " checkstyle ktlint detekt oxlint hadolint yamllint credo phpstan",
    Purpose.FORMAT: "formats formatter prettier black gofmt rustfmt isort yapf gofumpt goimports tidy spotless",
    Purpose.TYPES: "type typechecks typed pyright pyre basedpyright dialyzer",
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
    for purpose, words in names.items()
    for word in words.split()
    if "-" not in word and word != "all"
}
_NEUTRAL: Final = words("all full py python py3 js ts unit src code quick fast local once run backend")

_MOST_PREFIXES: Final = 6
_LONGEST_JUDGED: Final = 300
_prefix = re.compile(
    r"(?:sudo|time|exec|command|env|then|do|!|[A-Za-z_][A-Za-z0-9_]*=\S*"
    r"|(?:uv|poetry|pdm|rye|pipenv|hatch|pixi|conda)\s+run(?:\s+-[\w-]*(?:=\S+)?)*|bundle\s+exec"
    r"|npx(?:\s+-[\w-]*)*|(?:pnpm|yarn)\s+(?:exec|dlx)|bunx|uvx|pipx\s+run|xvfb-run(?:\s+-\S+)*"
    r"|python(?:3(?:\.\d+)?)?\s+-m|py\s+-m|@+|-(?=\w)|\$)\s+|[@-]+(?=\S)"
)
_folder = re.compile(r"^(?:\$[({]\w+[)}]|[.\w$~-]*)(?:/[\w.$(){}-]+)*/(?=[\w.-]+(?:\s|$))")
_runner = re.compile(
    r"(?:make|gmake|just|task|rake|invoke|inv|nox\s+-[se]|tox\s+-e|mise\s+run|mage|doit"
    r"|(?:npm|pnpm|yarn|bun|deno|composer)(?:\s+(?:run-script|run|task|-[wrC]\S*|--\S+))*"
    r"|(?:\./)?(?:gradlew?|mvnw?)(?:\s+-\S+)*|turbo(?:\s+run)?|nx(?:\s+run(?:-many)?)?(?:\s+-t)?|lerna\s+run)"
    r"\s+(?:-\S+\s+)*([A-Za-z][\w:.-]*)"
)

_TOOLS: Final = {
    Purpose.SETUP: (
        r"(?:pip3?|uv\s+pip|pipx|brew|apt|apt-get|dnf|apk|gem|conda|cargo|go|uv\s+tool)\s+(?:-\S+\s+)*install"
        r"|(?:npm|pnpm|yarn|bun|poetry|pdm|bundle|composer|pre-commit|lefthook)\s+(?:ci|i|install)\b"
        r"|uv\s+sync|uv\s+venv|venv\s+|virtualenv\s|go\s+mod\s+download|cargo\s+fetch|mix\s+deps\.get|yarn$"
        r"|(?:pipenv|pixi|rye|mise|asdf)\s+(?:install|sync)|dotnet\s+restore|git\s+submodule|corepack\s"
    ),
    Purpose.FORMAT: (
        r"(?:ruff\s+format|(?:go|cargo|mix|deno|dart|terraform|zig|buf|nix|forge|alejandra)\s+(?:fmt|format)"
        r"|black|prettier|gofmt|rustfmt|isort|yapf|clang-format|swift-format|gofumpt|shfmt|dprint"
        r"|dotnet\s+format|biome\s+format|php-cs-fixer)\b"
    ),
    Purpose.LINT: (
        r"(?:cargo\s+clippy|go\s+vet|deno\s+lint|mix\s+credo|next\s+lint|ng\s+lint|biome\s+(?:check|lint|ci)"
        r"|ruff|eslint|flake8|pylint|golangci-lint|shellcheck|rubocop|stylelint|pre-commit\s+run|hadolint"
        r"|markdownlint\S*|yamllint|lint-imports|ktlint|detekt|actionlint|codespell|bandit|staticcheck|oxlint)\b"
    ),
    Purpose.TYPES: (
        r"(?:mypy|pyright|basedpyright|pyre|ty\s+check|tsc\b.*--noEmit|vue-tsc|svelte-check|cargo\s+check)\b"
    ),
    Purpose.TEST: (
        r"(?:(?:cargo|go|dotnet|swift|mix|deno|bun|zig|dart|flutter|sbt|lein|stack|cabal|ng|forge|meson)\s+test"
        r"|pytest|unittest|tox|nox|jest|vitest|mocha|ava|ctest|rspec|phpunit|bats|cargo\s+nextest|cypress"
        r"|py\.test|playwright\s+test|node\s+--test|coverage\s+run|prove|vendor/bin/phpunit|gotestsum"
        r"|(?:hatch|pdm|rails|python\S*\s+manage\.py)\s+test)\b|python\S*\s+\S*(?:run_?tests?|test_\w+)\.py"
    ),
    Purpose.BUILD: (
        r"(?:cargo|go|dotnet|swift|zig|uv|poetry|hatch|pdm|flit|docker|next|vite|ng|buildah|nix)\s+build\b"
        r"|build(?:\s|$)|(?:tsc|webpack|rollup|esbuild|tsup|cmake|meson|ninja)\b|bazel\s+build"
        r"|docker\s+compose\s+build|python\S*\s+setup\.py\s+(?:build|sdist|bdist)|make(?:\s+-\S+)*$|make\s+all\b"
    ),
    Purpose.RUN: (
        r"(?:cargo|go|dotnet|swift|deno|zig|flutter)\s+run\b|(?:vite|next|nuxt|astro|wrangler)(?:\s+dev)?$"
        r"|(?:uvicorn|gunicorn|flask\s+run|docker(?:\s+|-)compose\s+up|rails\s+s)\b"
        r"|python\S*\s+manage\.py\s+runserver\b"
    ),
}
_tools = {purpose: re.compile(pattern) for purpose, pattern in _TOOLS.items()}
_word = re.compile(r"[a-z]+\d*[a-z]*|\d+", re.ASCII)
_hump = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_name(name: str) -> Purpose | None:
    """By a target's or script's name: an exact name, else the first word that has a meaning.

    `check` counts only if no other word has a meaning, and a word for something apart, such as docs, before all.
    """
    exact = _BY_NAME.get(name.lower())
    found = [_MEANING[word] for word in _words(name) if word in _MEANING]
    if exact or not found:
        return exact
    if Purpose.OTHER in found:
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


def of_line(line: str) -> Purpose | None:
    """By a command line: the tool it calls, or the name of the target it asks a runner for."""
    bare = _stripped(line[:_LONGEST_JUDGED])
    for purpose, pattern in _tools.items():
        if pattern.match(bare):
            return purpose
    named = _runner.match(bare)
    return of_name(named[1]) if named else None


def of_target(name: str, runs: str) -> Purpose:
    """By a target's name, else by what it runs."""
    return of_name(name) or (of_line(runs) if runs else None) or Purpose.OTHER


def _words(name: str) -> list[str]:
    return _word.findall(_hump.sub("-", name).lower())


def _stripped(line: str) -> str:
    """A command line without what stands before the tool: prompts, settings, wrappers, folders."""
    bare = line.strip()
    for _ in range(_MOST_PREFIXES):
        shorter = _prefix.sub("", bare, count=1) if _prefix.match(bare) else bare
        shorter = _folder.sub("", shorter)
        if shorter == bare:
            break
        bare = shorter
    return bare
