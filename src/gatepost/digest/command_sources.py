"""Where commands come from: targets and scripts that files declare, and conventions of the tools in use."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Origin, ProjectCommand, Purpose
from gatepost.digest.knowledge import KNOWN, Custom, Targets
from gatepost.digest.languages import is_own
from gatepost.digest.project import Project, Table, joined, string, table
from gatepost.digest.sanitizer import plain, quoted

_LONGEST: Final = 120
_MOST: Final = 80

_name = re.compile(r"[A-Za-z0-9@][\w@.:+/-]{0,250}", re.ASCII)
_fetches = re.compile(r"\b(?:pip|uv|poetry|pdm|npm|pnpm|yarn|bun|bundle|composer|go|cargo|mix|pre-commit)\b")
_script = re.compile(r"^(?:(?:scripts?|bin|hack|ci|dev)/)?([a-z][\w-]*)(?:\.sh|\.py)?$")
_test_runner = re.compile(r"^(?:tests?/)?run_?tests?(\.py|\.sh)?$")
_PROGRAMS: Final = (
    (re.compile(r"cmd/([\w.-]+)/main\.go"), "go run ./cmd/"),
    (re.compile(r"(?:src/)?(\w+)/__main__\.py"), "python -m "),
)


def declared(project: Project, place: str) -> Iterator[ProjectCommand]:
    """The targets and scripts that a directory's files declare."""
    values = _placeholder_values(project, place)
    for kind in KNOWN.targets:
        path = project.first(*(joined(place, file) for file in kind.files.split()))
        runner = kind.runner.format_map(values)
        for name, runs in _targets(kind, plain(project.text(path))):
            yield _declared(name, runner + name, runs, place, path.rpartition("/")[2])
    for held in KNOWN.scripts:
        runner = held.runner.format_map(values)
        for name, runs in _scripts(table(project.at(held.table, place)), held.without):
            yield _declared(name, runner + name, runs, place, held.table.split()[0])
    for environment, value in table(project.at("pyproject.toml tool.hatch.envs", place)).items():
        runner = "hatch run " if environment == "default" else f"hatch run {environment}:"
        for name, runs in _scripts(table(table(value).get("scripts")), ""):
            yield _declared(name, runner + name, runs, place, "pyproject.toml")
    if not place:
        yield from _files(project)


def conventional(project: Project, place: str) -> Iterator[ProjectCommand]:
    """The conventional commands of the tools that a directory's files use."""
    values = _placeholder_values(project, place)
    for custom in KNOWN.customs:
        file = _suggesting(project, place, custom)
        if file:
            for purpose, text in custom.gives.items():
                yield _command(
                    purpose, text.format_map({**values, "file": file}), place, file, origin=Origin.CONVENTION
                )
    for path in () if place else project.tree.files:
        for program, runner in _PROGRAMS:
            match = program.fullmatch(path)
            if match and is_own(path):
                yield _command(Purpose.RUN, runner + match[1], "", path, origin=Origin.CONVENTION)


def _targets(kind: Targets, text: str) -> Iterator[tuple[str, str]]:
    """The names of targets, and what each runs, as far as a pattern finds it."""
    within = re.search(kind.within, text) if kind.within else None
    if kind.within:
        text = within[1] if within else ""
    for match in islice(re.finditer(kind.pattern, text), _MOST):
        runs = _recipe(text, match.end()) if kind.recipe else match.groupdict().get("runs", "")
        for name in match["name"].split():
            # Without dependencies to fetch, `make install` installs the product on the machine.
            if _name.fullmatch(name) and (name != "install" or not kind.recipe or _fetches.search(runs)):
                yield name, runs


def _recipe(text: str, start: int) -> str:
    """The first effective line of a recipe, without make's own prefixes."""
    for line in text[start : start + 4_000].split("\n")[1:9]:
        if line.strip() and not line[0].isspace():
            break
        body = line.strip().lstrip("@-+").strip()
        if body and not body.startswith(("#", "echo ", "printf ")):
            return body
    return ""


def _scripts(scripts: Table, without: str) -> Iterator[tuple[str, str]]:
    """Scripts for people to run: not private ones or automatic ones."""
    around = {stage + name for stage in ("pre", "post") for name in scripts}
    for name, value in islice(scripts.items(), _MOST):
        if _name.fullmatch(name) and name not in around and not re.fullmatch(without, name):
            yield name, _body(value)


def _body(value: object) -> str:
    """What a script runs: a line, lines, lists of words, or a table with one of these."""
    if isinstance(value, list):
        lists = all(isinstance(item, list) for item in value)
        return " && ".join(" ".join(map(_body, item)) if lists else _body(item) for item in value)
    if isinstance(value, dict):
        return next((_body(value[key]) for key in ("cmd", "shell", "composite", "commands") if key in value), "")
    return value if isinstance(value, str) else ""


def _files(project: Project) -> Iterator[ProjectCommand]:
    """Files with the name of a target: `scripts/test`, `script/setup`, `tests/runtests.py`."""
    for path in project.tree.files:
        runner, named = _test_runner.match(path), _script.match(path)
        name = "test" if runner else named[1] if named and ("/" in path or path.endswith(".sh")) else ""
        if name and purposes.is_exact(name):
            yield _declared(name, f"python {path}" if path.endswith(".py") else f"./{path}", "", "", path)


def _declared(name: str, text: str, runs: str, place: str, file: str) -> ProjectCommand:
    purpose = purposes.of_name(name)
    if purpose is Purpose.RUN and text.startswith(("tox ", "nox ")):
        purpose = Purpose.OTHER  # what they call dev is an environment, not a program
    return _command(purpose, text, place, file, origin=Origin.DECLARED, name=name, runs=runs)


def _suggesting(project: Project, place: str, custom: Custom) -> str:
    """The file that suggests a convention; empty if none does."""
    if custom.tool and custom.tool in table(project.at("pyproject.toml tool", place)):
        return "pyproject.toml"
    if custom.section and f"[{custom.section}]" in project.text(joined(place, "setup.cfg")).split("\n"):
        return "setup.cfg"
    found = project.marked(custom, place)
    return found.file if found else ""


def _command(
    purpose: Purpose, text: str, place: str, file: str, *, origin: Origin, name: str = "", runs: str = ""
) -> ProjectCommand:
    """A command from a file in a directory, made safe to quote."""
    return ProjectCommand(
        purpose=purpose,
        text=quoted(text, _LONGEST),
        source=quoted(joined(place, file), _LONGEST),
        origin=origin,
        name=name,
        runs=quoted(runs, _LONGEST),
        places=(quoted(place, _LONGEST),) if place else (),
    )


def _placeholder_values(project: Project, place: str) -> dict[str, str]:
    """The values for the names in braces in our commands, for a directory."""
    names = project.names(place)
    tables = table(project.at("pyproject.toml tool", place))
    python = next(
        (runner for runner in KNOWN.python_runners if runner.lock in names or runner.tool in tables), None
    )
    node = _node(project, place)
    return {
        "node": node,
        "npx": "npx " if node == "npm" else f"{node} ",
        "python": python.run if python else "",
        "install": python.install if python else "pip install -e .",
        "build": python.build if python else "python -m build",
        "gradle": "./gradlew" if "gradlew" in names else "gradle",
        "mvn": "./mvnw" if "mvnw" in names else "mvn",
        "rake": "bundle exec rake" if "Gemfile" in names else "rake",
    }


def _node(project: Project, place: str) -> str:
    """The package manager by its lock file, here or at the root, or as named in a manifest."""
    for home in dict.fromkeys((place, "")):
        named = string(project.at("package.json packageManager", home)).split("@")[0]
        if named in ("npm", "pnpm", "yarn", "bun"):
            return named
        for lock, runner in KNOWN.node_locks.items():
            if project.has(joined(home, lock)):
                return runner
    return "npm"
