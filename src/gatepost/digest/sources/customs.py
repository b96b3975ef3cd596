"""What a tool's configuration or manifest suggests by the tool's own custom, though no file spells it out."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest.findings import Command, Purpose, Standing
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.shelf import Shelf, joined, string, table
from gatepost.digest.sources.scripts import node_runner

_LONGEST: Final = 120
_TEST, _LINT, _FORMAT, _TYPES = Purpose.TEST, Purpose.LINT, Purpose.FORMAT, Purpose.TYPES
_BUILD, _RUN, _SETUP = Purpose.BUILD, Purpose.RUN, Purpose.SETUP

_Pairs = tuple[tuple[Purpose, str], ...]
_PYPROJECT: Final[tuple[tuple[str, _Pairs], ...]] = (
    ("pytest", ((_TEST, "pytest"),)),
    ("tox", ((_TEST, "tox"),)),
    ("ruff", ((_LINT, "ruff check"), (_FORMAT, "ruff format"))),
    ("black", ((_FORMAT, "black ."),)),
    ("isort", ((_FORMAT, "isort ."),)),
    ("pylint", ((_LINT, "pylint"),)),
    ("flake8", ((_LINT, "flake8"),)),
    ("mypy", ((_TYPES, "mypy"),)),
    ("pyright", ((_TYPES, "pyright"),)),
    ("basedpyright", ((_TYPES, "basedpyright"),)),
    ("importlinter", ((_LINT, "lint-imports"),)),
)
_SETUP_CFG: Final = (
    ("tool:pytest", _TEST, "pytest"),
    ("mypy", _TYPES, "mypy"),
    ("flake8", _LINT, "flake8"),
    ("tox:tox", _TEST, "tox"),
)
_FILES: Final[tuple[tuple[str, _Pairs], ...]] = (
    ("pytest.ini", ((_TEST, "pytest"),)),
    ("tox.ini", ((_TEST, "tox"),)),
    ("ruff.toml", ((_LINT, "ruff check"), (_FORMAT, "ruff format"))),
    (".ruff.toml", ((_LINT, "ruff check"), (_FORMAT, "ruff format"))),
    (".flake8", ((_LINT, "flake8"),)),
    ("mypy.ini", ((_TYPES, "mypy"),)),
    ("pyrightconfig.json", ((_TYPES, "pyright"),)),
    (
        "Cargo.toml",
        (
            *((_TEST, "cargo test"), (_LINT, "cargo clippy"), (_FORMAT, "cargo fmt"), (_TYPES, "cargo check")),
            (_BUILD, "cargo build"),
        ),
    ),
    (
        "go.mod",
        ((_TEST, "go test ./..."), (_LINT, "go vet ./..."), (_FORMAT, "gofmt -w ."), (_BUILD, "go build ./...")),
    ),
    (".golangci.yml", ((_LINT, "golangci-lint run"),)),
    (".golangci.yaml", ((_LINT, "golangci-lint run"),)),
    ("pom.xml", ((_TEST, "mvn test"), (_BUILD, "mvn package"))),
    ("CMakeLists.txt", ((_BUILD, "cmake -B build && cmake --build build"), (_TEST, "ctest --test-dir build"))),
    ("meson.build", ((_BUILD, "meson setup build && meson compile -C build"), (_TEST, "meson test -C build"))),
    ("mix.exs", ((_TEST, "mix test"), (_FORMAT, "mix format"), (_BUILD, "mix compile"))),
    ("Package.swift", ((_TEST, "swift test"), (_BUILD, "swift build"))),
    ("build.sbt", ((_TEST, "sbt test"), (_BUILD, "sbt compile"))),
    ("Gemfile", ((_SETUP, "bundle install"),)),
    (".rspec", ((_TEST, "bundle exec rspec"),)),
    (".rubocop.yml", ((_LINT, "bundle exec rubocop"),)),
    ("phpunit.xml", ((_TEST, "vendor/bin/phpunit"),)),
    ("phpunit.xml.dist", ((_TEST, "vendor/bin/phpunit"),)),
    ("composer.json", ((_SETUP, "composer install"),)),
    (".pre-commit-config.yaml", ((_LINT, "pre-commit run --all-files"),)),
    ("tsconfig.json", ((_TYPES, "npx tsc --noEmit"),)),
    ("deno.json", ((_TEST, "deno test"), (_LINT, "deno lint"), (_FORMAT, "deno fmt"))),
    ("Dockerfile", ((_BUILD, "docker build ."),)),
    ("compose.yaml", ((_RUN, "docker compose up"),)),
    ("docker-compose.yml", ((_RUN, "docker compose up"),)),
)
_PYTHON_LOCKS: Final = (("uv.lock", "uv sync"), ("poetry.lock", "poetry install"), ("pdm.lock", "pdm install"))

_section = re.compile(r"^\[([\w:.-]+)\]\s*$")
_hook = re.compile(r"^\s*-\s+id:\s*['\"]?([\w.-]+)")


def commands(shelf: Shelf, place: str) -> Iterator[Command]:
    """What is customary for the tools that a directory's files speak of."""
    yield from _python(shelf, place)
    yield from _setup_cfg(shelf, place)
    yield from _gradle(shelf, place)
    if shelf.has(joined(place, "package.json")):
        yield _custom(_SETUP, f"{node_runner(shelf, place)} install", place, "package.json")
    for name, pairs in _FILES:
        if shelf.has(joined(place, name)):
            about = _hooks(shelf, joined(place, name)) if name.startswith(".pre-commit") else ""
            for purpose, text in pairs:
                yield _custom(purpose, text, place, name, about=about)


def _python(shelf: Shelf, place: str) -> Iterator[Command]:
    manifest = shelf.toml(joined(place, "pyproject.toml"))
    tools = table(manifest, "tool")
    for tool, pairs in _PYPROJECT:
        if tool in tools:
            for purpose, text in pairs:
                yield _custom(purpose, text, place, "pyproject.toml", section=f"tool.{tool}")
    backend = string(table(manifest, "build-system"), "build-backend")
    if backend:
        yield _custom(_BUILD, "python -m build", place, "pyproject.toml", section="build-system", about=backend)
    locks = [setup for lock, setup in _PYTHON_LOCKS if shelf.has(joined(place, lock))]
    if locks:
        yield _custom(_SETUP, locks[0], place, "pyproject.toml")
    elif "project" in manifest or shelf.has(joined(place, "setup.py")):
        source = "pyproject.toml" if "project" in manifest else "setup.py"
        yield _custom(_SETUP, "pip install -e .", place, source)
    elif shelf.has(joined(place, "requirements.txt")):
        yield _custom(_SETUP, "pip install -r requirements.txt", place, "requirements.txt")


def _setup_cfg(shelf: Shelf, place: str) -> Iterator[Command]:
    found = {
        match[1] for line in shelf.text(joined(place, "setup.cfg")).split("\n") if (match := _section.match(line))
    }
    for section, purpose, text in _SETUP_CFG:
        if section in found:
            yield _custom(purpose, text, place, "setup.cfg", section=section)


def _gradle(shelf: Shelf, place: str) -> Iterator[Command]:
    for name in ("build.gradle", "build.gradle.kts"):
        if shelf.has(joined(place, name)):
            runner = "./gradlew" if shelf.has(joined(place, "gradlew")) else "gradle"
            yield _custom(_TEST, f"{runner} test", place, name)
            yield _custom(_BUILD, f"{runner} build", place, name)


def _hooks(shelf: Shelf, path: str) -> str:
    found = [match[1] for _, line in plain_lines(shelf.text(path)) if (match := _hook.match(line))]
    return f"hooks: {', '.join(dict.fromkeys(found))}" if found else ""


def _custom(purpose: Purpose, text: str, place: str, name: str, *, section: str = "", about: str = "") -> Command:
    source = joined(place, name) + (f" [{section}]" if section else "")
    return Command(
        purpose=purpose,
        text=text,
        source=quoted(source, _LONGEST),
        standing=Standing.CUSTOMARY,
        about=quoted(about, _LONGEST),
        places=(quoted(place, _LONGEST),) if place else (),
    )
