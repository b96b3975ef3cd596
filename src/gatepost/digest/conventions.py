"""What a tool's configuration or a manifest suggests by the tool's own custom, though no file spells it out."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from gatepost.digest.findings import Command, Origin, Purpose
from gatepost.digest.languages import is_own
from gatepost.digest.project import Project, joined, table
from gatepost.digest.quoting import quoted
from gatepost.digest.scripts import LONGEST, node_runner

_TEST, _LINT, _FORMAT, _TYPES = Purpose.TEST, Purpose.LINT, Purpose.FORMAT, Purpose.TYPES
_BUILD, _RUN, _SETUP, _OTHER = Purpose.BUILD, Purpose.RUN, Purpose.SETUP, Purpose.OTHER

Found = tuple[Purpose, str, str]
"""A purpose, a command line, and the file that suggests it."""

_PYTHON: Final = (
    ("pytest", "pytest.ini [tool:pytest] conftest.py", ((_TEST, "pytest"),)),
    ("tox", "tox.ini [tox:tox]", ((_TEST, "tox"),)),
    ("ruff", "ruff.toml .ruff.toml", ((_LINT, "ruff check"), (_FORMAT, "ruff format"))),
    ("flake8", ".flake8 [flake8]", ((_LINT, "flake8"),)),
    ("pylint", ".pylintrc", ((_LINT, "pylint"),)),
    ("black", "", ((_FORMAT, "black ."),)),
    ("isort", ".isort.cfg", ((_FORMAT, "isort ."),)),
    ("mypy", "mypy.ini [mypy]", ((_TYPES, "mypy"),)),
    ("pyright", "pyrightconfig.json", ((_TYPES, "pyright"),)),
    ("basedpyright", "", ((_TYPES, "basedpyright"),)),
    ("importlinter", ".importlinter", ((_LINT, "lint-imports"),)),
)
"""Tools by their table in pyproject.toml, their own files, their sections in setup.cfg."""

_PYTHON_LOCKS: Final = (
    ("uv.lock", "uv run ", "uv sync", "uv build"),
    ("poetry.lock", "poetry run ", "poetry install", "poetry build"),
    ("pdm.lock", "pdm run ", "pdm install", "pdm build"),
    ("Pipfile.lock", "pipenv run ", "pipenv install --dev", "python -m build"),
)
_FILES: Final = (
    ("vitest.config.*", "", ((_TEST, "npx vitest run"),)),
    ("jest.config.*", "", ((_TEST, "npx jest"),)),
    ("eslint.config.*", "", ((_LINT, "npx eslint ."),)),
    (".eslintrc*", "", ((_LINT, "npx eslint ."),)),
    ("biome.json*", "", ((_LINT, "npx biome check"), (_FORMAT, "npx biome format --write"))),
    (".prettierrc*", "", ((_FORMAT, "npx prettier --write ."),)),
    ("tsconfig.json", "", ((_TYPES, "npx tsc --noEmit"),)),
    ("deno.json*", "", ((_TEST, "deno test"), (_LINT, "deno lint"), (_FORMAT, "deno fmt"))),
    ("Cargo.toml", r"\[workspace\]", ((_TEST, "cargo test --workspace"), (_BUILD, "cargo build --workspace"))),
    (
        *("Cargo.toml", ""),
        ((_TEST, "cargo test"), (_LINT, "cargo clippy"), (_FORMAT, "cargo fmt"), (_TYPES, "cargo check")),
    ),
    ("Cargo.toml", "", ((_BUILD, "cargo build"),)),
    (".golangci.y*ml", "", ((_LINT, "golangci-lint run"),)),
    (
        *("go.mod", ""),
        ((_TEST, "go test ./..."), (_LINT, "go vet ./..."), (_FORMAT, "gofmt -w ."), (_BUILD, "go build ./...")),
    ),
    ("pom.xml", "", ((_TEST, "mvn test"), (_BUILD, "mvn package"))),
    ("pom.xml", "spring-javaformat", ((_FORMAT, "mvn spring-javaformat:apply"),)),
    ("pom.xml", "spotless-maven", ((_FORMAT, "mvn spotless:apply"),)),
    ("pom.xml", "maven-checkstyle", ((_LINT, "mvn checkstyle:check"),)),
    ("pom.xml", "spring-boot-maven", ((_RUN, "mvn spring-boot:run"),)),
    ("build.gradle*", "", ((_TEST, "gradle test"), (_BUILD, "gradle build"))),
    ("build.gradle*", "(?i)spotless", ((_FORMAT, "gradle spotlessApply"), (_LINT, "gradle spotlessCheck"))),
    ("build.gradle*", "(?i)ktlint", ((_LINT, "gradle ktlintCheck"), (_FORMAT, "gradle ktlintFormat"))),
    ("build.gradle*", "(?i)detekt", ((_LINT, "gradle detekt"),)),
    ("build.gradle*", r"org\.springframework\.boot", ((_RUN, "gradle bootRun"),)),
    ("build.gradle*", r"(?m)^[ \t]*(?:id\s*\(?\s*['\"])?application\b", ((_RUN, "gradle run"),)),
    ("MODULE.bazel", "", ((_TEST, "bazel test //..."), (_BUILD, "bazel build //..."))),
    ("CMakeLists.txt", "", ((_BUILD, "cmake -B build && cmake --build build"),)),
    ("CMakeLists.txt", r"(?i)enable_testing|include\s*\(\s*CTest|add_test", ((_TEST, "ctest --test-dir build"),)),
    ("meson.build", "", ((_BUILD, "meson setup build && meson compile -C build"), (_TEST, "meson test -C build"))),
    ("configure.ac", "", ((_BUILD, "./configure && make"), (_TEST, "make check"))),
    (
        "mix.exs",
        "",
        ((_TEST, "mix test"), (_FORMAT, "mix format"), (_BUILD, "mix compile"), (_SETUP, "mix deps.get")),
    ),
    ("mix.exs", r"\{:phoenix,", ((_RUN, "mix phx.server"),)),
    (".credo.exs", "", ((_LINT, "mix credo"),)),
    ("Package.swift", "", ((_TEST, "swift test"), (_BUILD, "swift build"))),
    ("build.sbt", "", ((_TEST, "sbt test"), (_BUILD, "sbt compile"))),
    ("build.zig", "", ((_TEST, "zig build test"), (_BUILD, "zig build"))),
    (
        "pubspec.yaml",
        r"(?m)^flutter:",
        ((_TEST, "flutter test"), (_LINT, "flutter analyze"), (_RUN, "flutter run")),
    ),
    ("pubspec.yaml", "", ((_TEST, "dart test"), (_LINT, "dart analyze"), (_FORMAT, "dart format ."))),
    ("stack.yaml", "", ((_TEST, "stack test"), (_BUILD, "stack build"))),
    ("*.cabal", "", ((_TEST, "cabal test"), (_BUILD, "cabal build"))),
    ("Gemfile", "", ((_SETUP, "bundle install"),)),
    (".rspec", "", ((_TEST, "bundle exec rspec"),)),
    (".rubocop.yml", "", ((_LINT, "bundle exec rubocop"),)),
    ("*.gemspec", "", ((_BUILD, "gem build"),)),
    ("config.ru", "(?i)rails", ((_TEST, "bin/rails test"), (_RUN, "bin/rails server"))),
    ("artisan", "", ((_TEST, "php artisan test"), (_RUN, "php artisan serve"))),
    ("phpunit.xml*", "", ((_TEST, "vendor/bin/phpunit"),)),
    ("phpstan*.neon*", "", ((_LINT, "vendor/bin/phpstan analyse"),)),
    ("pint.json", "", ((_FORMAT, "vendor/bin/pint"),)),
    (".php-cs-fixer*.php", "", ((_FORMAT, "vendor/bin/php-cs-fixer fix"),)),
    ("composer.json", "", ((_SETUP, "composer install"),)),
    ("*.sln*", "", ((_TEST, "dotnet test"), (_FORMAT, "dotnet format"), (_BUILD, "dotnet build"))),
    ("*.[cf]sproj", "", ((_TEST, "dotnet test"), (_FORMAT, "dotnet format"), (_BUILD, "dotnet build"))),
    ("*.[cf]sproj", r"<OutputType>Exe|Sdk\.Web", ((_RUN, "dotnet run"),)),
    (
        "*.tf",
        "",
        ((_LINT, "terraform validate"), (_FORMAT, "terraform fmt -recursive"), (_SETUP, "terraform init")),
    ),
    (".tflint.hcl", "", ((_LINT, "tflint --recursive"),)),
    ("*.tftest.hcl", "", ((_TEST, "terraform test"),)),
    (".pre-commit-config.yaml", "", ((_LINT, "pre-commit run --all-files"),)),
    ("mkdocs.yml", "", ((_OTHER, "mkdocs build"), (_OTHER, "mkdocs serve"))),
    ("book.toml", "", ((_OTHER, "mdbook build"), (_OTHER, "mdbook serve"))),
    ("Dockerfile", "", ((_BUILD, "docker build ."),)),
    ("compose.y*ml", "", ((_RUN, "docker compose up"),)),
    ("docker-compose.y*ml", "", ((_RUN, "docker compose up"),)),
)
"""Files by name, what must be in them (a pattern; empty for nothing), and what is customary then."""

_WRAPPERS: Final = (("gradle ", "gradlew"), ("mvn ", "mvnw"))
_section = re.compile(r"^\[([\w:.-]+)\][ \t]*$", re.MULTILINE)
_main_module = re.compile(r"^(?:src/)?(\w+)/__main__\.py$")
_go_command = re.compile(r"^cmd/([\w.-]+)/main\.go$")


def commands(project: Project, place: str) -> Iterator[Command]:
    """What is customary for the tools that a directory's files speak of."""
    for purpose, text, file in [*_python(project, place), *_by_files(project, place), *_programs(project, place)]:
        yield Command(
            purpose=purpose,
            text=quoted(text, LONGEST),
            source=quoted(joined(place, file), LONGEST),
            origin=Origin.CONVENTION,
            places=(quoted(place, LONGEST),) if place else (),
        )


def _python(project: Project, place: str) -> Iterator[Found]:
    manifest = project.toml(joined(place, "pyproject.toml"))
    tools, names = table(manifest, "tool"), project.names(place)
    sections = {f"[{name}]" for name in _section.findall(project.text(joined(place, "setup.cfg")))}
    lock = next((held for held in _PYTHON_LOCKS if held[0] in names), None)
    if lock is None and "poetry" in tools:
        lock = _PYTHON_LOCKS[1]
    runner = lock[1] if lock else ""
    runs_tests = False
    for tool, marks, pairs in _PYTHON:
        mark = next((mark for mark in marks.split() if mark in names or mark in sections), "")
        if tool in tools or mark:
            source = "pyproject.toml" if tool in tools else "setup.cfg" if mark in sections else mark
            runs_tests = runs_tests or pairs[0][0] is _TEST
            yield from ((purpose, runner + text, source) for purpose, text in pairs)
    if not runs_tests:
        yield from ((_TEST, runner + text, source) for text, source in _python_tests(project, place))
    if "manage.py" in names:
        yield _RUN, f"{runner}python manage.py runserver", "manage.py"
    if "build-system" in manifest or "setup.py" in names:
        source = "pyproject.toml" if "build-system" in manifest else "setup.py"
        yield _BUILD, lock[3] if lock else "python -m build", source
    if lock:
        yield _SETUP, lock[2], lock[0] if lock[0] in names else "pyproject.toml"
    elif "project" in manifest or "setup.py" in names:
        yield _SETUP, "pip install -e .", "pyproject.toml" if "project" in manifest else "setup.py"
    elif "requirements.txt" in names:
        yield _SETUP, "pip install -r requirements.txt", "requirements.txt"


def _python_tests(project: Project, place: str) -> Iterator[tuple[str, str]]:
    """How to run tests that are there though no file configures a runner."""
    if "manage.py" in project.names(place):
        yield "python manage.py test", "manage.py"
    for folder in ("tests", "test"):
        names = project.names(joined(place, folder))
        if any(fnmatchcase(name, "test_*.py") for name in names):
            manifests = ("pyproject.toml", "setup.py", "requirements-dev.txt", "requirements.txt")
            pytest = any("pytest" in project.text(joined(place, name)) for name in manifests)
            yield (
                "pytest" if pytest or "conftest.py" in names else f"python -m unittest discover {folder}",
                f"{folder}/",
            )


def _by_files(project: Project, place: str) -> Iterator[Found]:
    names = project.names(place)
    if "package.json" in names:
        yield _SETUP, f"{node_runner(project, place)} install", "package.json"
    for shape, inside, pairs in _FILES:
        name = next((name for name in names if fnmatchcase(name, shape)), "")
        if not name or (inside and not re.search(inside, project.text(joined(place, name)))):
            continue
        for purpose, text in pairs:
            yield purpose, f"gem build {name}" if text == "gem build" else _wrapped(project, place, text), name


def _programs(project: Project, place: str) -> Iterator[Found]:
    """How the programs of a Rust crate, a Go module or a Python package are run."""
    if project.has(joined(place, "Cargo.toml")) and project.has(joined(place, "src/main.rs")):
        yield _RUN, "cargo run", "src/main.rs"
    if project.has(joined(place, "go.mod")):
        if project.has(joined(place, "main.go")):
            yield _RUN, "go run .", "main.go"
        for path in () if place else project.tree.files:
            match = _go_command.match(path)
            if match:
                yield _RUN, f"go run ./cmd/{match[1]}", path
    for path in () if place else project.tree.files:
        module = _main_module.match(path)
        if module and is_own(path):
            yield _RUN, f"python -m {module[1]}", path


def _wrapped(project: Project, place: str, text: str) -> str:
    """With the wrapper or the package manager that the project brings along."""
    for tool, wrapper in _WRAPPERS:
        if text.startswith(tool) and project.has(joined(place, wrapper)):
            return f"./{wrapper} {text.removeprefix(tool)}"
    if text.startswith("npx "):
        runner = node_runner(project, place)
        return text if runner == "npm" else f"{runner} {text.removeprefix('npx ')}"
    return text
