"""What a command is for, by the name it was given or by the tool it calls."""

import re
from typing import Final

from gatepost.digest.findings import Purpose

_WORDS: Final = {
    Purpose.TEST: "test tests testing pytest unittest unit integration e2e spec specs cov coverage tox jest vitest"
    " mocha cypress playwright smoke rspec ctest phpunit nextest bats",
    Purpose.LINT: "lint lints linter linters linting eslint flake8 pylint clippy vet golangci shellcheck style"
    " stylelint rubocop biome ruff checkstyle ktlint detekt oxlint hadolint yamllint markdownlint prek"
    " credo phpstan",
    Purpose.FORMAT: "format formats formatting formatter fmt prettier black gofmt rustfmt isort yapf gofumpt"
    " goimports tidy spotless",
    Purpose.TYPES: "type types typecheck typechecks typing typed mypy pyright pyre tsc basedpyright dialyzer",
    Purpose.BUILD: "build builds compile bundle dist wheel assemble package jar sdist rollup webpack esbuild tsup",
    Purpose.RUN: "run start serve server dev develop up watch preview demo launch runserver uvicorn gunicorn",
    Purpose.SETUP: "install setup bootstrap init deps dependencies venv sync prepare postinstall hooks migrate"
    " migrations configure requirements",
    Purpose.CHECK: "check checks ci verify validate qa precommit",
    Purpose.OTHER: "docs doc clean release publish deploy help bench benchmark benchmarks changelog version"
    " generate",
}
_MEANING: Final = {word: purpose for purpose, words in _WORDS.items() for word in words.split()}

_MOST_PREFIXES: Final = 6
_LONGEST_JUDGED: Final = 300
_prefix = re.compile(
    r"(?:sudo|time|exec|command|env|then|do|!|[A-Za-z_][A-Za-z0-9_]*=\S*"
    r"|(?:uv|poetry|pdm|rye|pipenv|hatch|pixi|conda)\s+run(?:\s+-[\w-]*(?:=\S+)?)*|bundle\s+exec"
    r"|npx(?:\s+-[\w-]*)*|(?:pnpm|yarn)\s+(?:exec|dlx)|bunx|uvx|pipx\s+run|xvfb-run(?:\s+-\S+)*"
    r"|python(?:3(?:\.\d+)?)?\s+-m|py\s+-m|@+|-(?=\w)|\$)\s+|[@-]+(?=\S)"
)
_folder = re.compile(r"^(?:\$[({]\w+[)}]|[.\w$~-]*)(?:/[\w.$(){}-]+)*/(?=[\w.-]+(?:\s|$))")
_named = re.compile(
    r"(?:make|gmake|just|task|rake|invoke|inv|nox\s+-[se]|tox\s+-e|mise\s+run|mage|doit"
    r"|(?:npm|pnpm|yarn|bun|deno|composer)(?:\s+(?:run-script|run|task|-[wrC]\S*|--\S+))*"
    r"|(?:\./)?(?:gradlew?|mvnw?)(?:\s+-\S+)*|turbo(?:\s+run)?|nx(?:\s+run(?:-many)?)?(?:\s+-t)?|lerna\s+run)"
    r"\s+(?:-\S+\s+)*([A-Za-z][\w:.-]*)"
)

_TOOLS: Final = (
    (
        Purpose.SETUP,
        r"(?:pip3?|uv\s+pip|pipx|brew|apt|apt-get|dnf|apk|gem|conda|cargo|go|uv\s+tool)\s+(?:-\S+\s+)*install",
    ),
    (
        Purpose.SETUP,
        r"(?:npm|pnpm|yarn|bun|poetry|pdm|bundle|composer|pre-commit|lefthook|make)\s+(?:ci|i|install)\b",
    ),
    (
        Purpose.SETUP,
        r"(?:uv\s+sync|uv\s+venv|venv\s+|virtualenv\s|go\s+mod\s+download|cargo\s+fetch|mix\s+deps\.get|yarn$)",
    ),
    (
        Purpose.SETUP,
        r"(?:pipenv|pixi|rye|mise|asdf)\s+(?:install|sync)|dotnet\s+restore|git\s+submodule|corepack\s",
    ),
    (
        Purpose.FORMAT,
        r"ruff\s+format|(?:go|cargo|mix|deno|dart|terraform|zig|buf|nix|forge|alejandra)\s+(?:fmt|format)\b",
    ),
    (
        Purpose.FORMAT,
        r"(?:black|prettier|gofmt|rustfmt|isort|yapf|clang-format|swift-format|gofumpt|shfmt|dprint)\b",
    ),
    (Purpose.FORMAT, r"(?:dotnet\s+format|biome\s+format|php-cs-fixer)\b"),
    (
        Purpose.LINT,
        r"(?:cargo\s+clippy|go\s+vet|deno\s+lint|mix\s+credo|next\s+lint|ng\s+lint|biome\s+(?:check|lint|ci))\b",
    ),
    (
        Purpose.LINT,
        r"(?:ruff|eslint|flake8|pylint|golangci-lint|shellcheck|rubocop|stylelint|pre-commit\s+run|hadolint)\b",
    ),
    (
        Purpose.LINT,
        r"(?:markdownlint\S*|yamllint|lint-imports|ktlint|detekt|actionlint|codespell|bandit|staticcheck|oxlint)\b",
    ),
    (
        Purpose.TYPES,
        r"(?:mypy|pyright|basedpyright|pyre|ty\s+check|tsc\b.*--noEmit|vue-tsc|svelte-check|cargo\s+check)\b",
    ),
    (
        Purpose.TEST,
        r"(?:cargo|go|dotnet|swift|mix|deno|bun|zig|dart|flutter|sbt|lein|stack|cabal|ng|forge)\s+test\b",
    ),
    (
        Purpose.TEST,
        r"(?:pytest|unittest|tox|nox|jest|vitest|mocha|ava|ctest|rspec|phpunit|bats|cargo\s+nextest|cypress)\b",
    ),
    (
        Purpose.TEST,
        r"(?:py\.test|playwright\s+test|node\s+--test|coverage\s+run|prove|vendor/bin/phpunit|gotestsum)\b",
    ),
    (
        Purpose.TEST,
        r"(?:hatch|pdm|rails|python\S*\s+manage\.py)\s+test\b|python\S*\s+\S*(?:run_?tests?|test_\w+)\.py",
    ),
    (
        Purpose.BUILD,
        r"(?:cargo|go|dotnet|swift|zig|uv|poetry|hatch|pdm|flit|docker|next|vite|ng|buildah|nix)\s+build\b",
    ),
    (
        Purpose.BUILD,
        r"(?:build(?:\s|$)|tsc\b|webpack\b|rollup\b|esbuild\b|tsup\b|cmake\b|meson\b|ninja\b|bazel\s+build)",
    ),
    (
        Purpose.BUILD,
        r"(?:docker\s+compose\s+build|python\S*\s+setup\.py\s+(?:build|sdist|bdist)|make(?:\s+-\S+)*$|make\s+all\b)",
    ),
    (
        Purpose.RUN,
        r"(?:cargo|go|dotnet|swift|deno|zig|flutter)\s+run\b|(?:vite|next|nuxt|astro|wrangler)(?:\s+dev)?$",
    ),
    (
        Purpose.RUN,
        r"(?:uvicorn|gunicorn|flask\s+run|docker(?:\s+|-)compose\s+up|rails\s+s|python\S*\s+manage\.py\s+runserver)\b",
    ),
)
_tools = tuple((purpose, re.compile(pattern)) for purpose, pattern in _TOOLS)
_word = re.compile(r"[a-z]+\d*[a-z]*|\d+", re.ASCII)
_hump = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_name(name: str) -> Purpose | None:
    """By a target's or script's name: the first word that has a meaning, `check` only if no other has one."""
    words = _word.findall(_hump.sub("-", name).lower())
    found = [_MEANING[word] for word in words if word in _MEANING]
    telling = [purpose for purpose in found if purpose is not Purpose.CHECK]
    return next(iter(telling or found), None)


def of_line(line: str) -> Purpose | None:
    """By a command line: the tool it calls, or the name of the target it asks a runner for."""
    bare = stripped(line[:_LONGEST_JUDGED])
    named = _named.match(bare)
    for purpose, pattern in _tools:
        if pattern.match(bare):
            return purpose
    return of_name(named[1]) if named else None


def of_target(name: str, recipe: str) -> Purpose:
    """By a target's name, else by what it runs."""
    return of_name(name) or (of_line(recipe) if recipe else None) or Purpose.OTHER


def stripped(line: str) -> str:
    """A command line without what stands before the tool: prompts, settings, wrappers, folders."""
    bare = line.strip()
    for _ in range(_MOST_PREFIXES):
        shorter = _prefix.sub("", bare, count=1) if _prefix.match(bare) else bare
        shorter = _folder.sub("", shorter)
        if shorter == bare:
            break
        bare = shorter
    return bare
