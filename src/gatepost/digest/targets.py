"""Files of named targets: Makefile, justfile, Taskfile, Rakefile, noxfile, tox.ini; scripts that are named so."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command
from gatepost.digest.project import Project, joined
from gatepost.digest.quoting import plain_lines
from gatepost.digest.scripts import declared

_MOST: Final = 80
_SETTINGS: Final = ("set", "alias", "export", "import", "mod")

_make = re.compile(r"^([A-Za-z0-9][\w./%-]*(?: +[\w./%-]+)*) *::?(?![=:])[^#]*(?:#.*)?$")
_fetches = re.compile(r"\b(?:pip|uv|poetry|pdm|npm|pnpm|yarn|bun|bundle|composer|go|cargo|mix|pre-commit)\b")
_just = re.compile(r"^@?([A-Za-z][\w-]*)(?:\s+[*+$]?\w[^:]*)?:(?!=)")
_task = re.compile(r"^  (?:(['\"])([\w:.-]+)\1|([\w:.-]+)):\s*$")
_task_line = re.compile(r"^\s+(?:-\s+)?(?:cmd|cmds):\s*(.*)$|^\s+-\s+(.*)$")
_session = re.compile(r"^def\s+(\w+)\s*\(")
_testenv = re.compile(r"^\[testenv:([\w.-]+)\]")
_commands = re.compile(r"^commands\s*=\s*(.*)$")
_rake = re.compile(r"^(?:task\s+\(?\s*[:'\"]?(\w+)|[\w:]+Task\.new\(?\s*[:'\"](\w+))")
_script = re.compile(r"^(?:(?:scripts?|bin|hack|ci|dev)/)?([a-z][\w-]*)(?:\.sh|\.py)?$")
_test_runner = re.compile(r"^(?:tests?/)?run_?tests?(\.py|\.sh)?$")


def commands(project: Project, place: str) -> Iterator[Command]:
    """The targets that a directory's files declare."""
    makefile = project.first(*(joined(place, name) for name in ("GNUmakefile", "makefile", "Makefile")))
    if makefile:
        yield from _makefile(project, place, makefile.rpartition("/")[2])
    for name in ("justfile", "Justfile", ".justfile"):
        yield from _justfile(project, place, name)
    for name in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"):
        yield from _taskfile(project, place, name)
    yield from _noxfile(project, place)
    yield from _tox(project, place)
    yield from _rakefile(project, place)
    if not place:
        yield from _scripts(project)


def _makefile(project: Project, place: str, name: str) -> Iterator[Command]:
    lines = _lines(project, joined(place, name))
    seen: set[str] = set()
    for at, line in enumerate(lines):
        match = _make.match(line)
        if not match or len(seen) >= _MOST:
            continue
        runs = _recipe(lines, at + 1)
        for target in match[1].split():
            if target in seen or not target.isascii() or not _is_plain(target):
                continue
            seen.add(target)
            # Where nothing is fetched, `make install` copies the product onto the machine.
            if target != "install" or _fetches.search(runs):
                yield declared(target, f"make {target}", runs, place, name)


def _justfile(project: Project, place: str, name: str) -> Iterator[Command]:
    lines = _lines(project, joined(place, name))
    for at, line in enumerate(lines):
        match = _just.match(line)
        private = at and lines[at - 1].startswith("[private]")
        if match and match[1] not in _SETTINGS and not private:
            yield declared(match[1], f"just {match[1]}", _recipe(lines, at + 1), place, name)


def _taskfile(project: Project, place: str, name: str) -> Iterator[Command]:
    """Line by line, for the usual indentation of two: whatever is written otherwise is passed over."""
    lines = _lines(project, joined(place, name))
    inside = False
    for at, line in enumerate(lines):
        if line[:1].strip() and not line.startswith("#"):
            inside = line.startswith("tasks:")
        match = _task.match(line) if inside else None
        if match:
            target = match[2] or match[3]
            yield declared(target, f"task {target}", _first_command(lines, at + 1), place, name)


def _first_command(lines: list[str], start: int) -> str:
    for line in lines[start : start + 12]:
        if not line.startswith("   "):
            break
        match = _task_line.match(line)
        value = (match[1] or match[2] or "").strip().strip("'\"") if match else ""
        if value:
            return value
    return ""


def _noxfile(project: Project, place: str) -> Iterator[Command]:
    session = False
    for line in _lines(project, joined(place, "noxfile.py")):
        match = _session.match(line)
        if line.startswith("@") and "session" in line:
            session = True
        elif match:
            if session:
                yield declared(match[1], f"nox -s {match[1]}", "", place, "noxfile.py")
            session = False


def _tox(project: Project, place: str) -> Iterator[Command]:
    lines = _lines(project, joined(place, "tox.ini"))
    target = ""
    for at, line in enumerate(lines):
        section, run = _testenv.match(line), _commands.match(line)
        if line.startswith("["):
            target = section[1] if section else ""
        elif run and target:
            yield declared(target, f"tox -e {target}", run[1] or _recipe(lines, at + 1), place, "tox.ini")


def _rakefile(project: Project, place: str) -> Iterator[Command]:
    runner = "bundle exec rake" if project.has(joined(place, "Gemfile")) else "rake"
    seen: set[str] = set()
    for line in _lines(project, joined(place, "Rakefile")):
        match = _rake.match(line)
        target = (match[1] or match[2]) if match else ""
        if target and target not in seen and target != "default":
            seen.add(target)
            yield declared(target, f"{runner} {target}", "", place, "Rakefile")


def _scripts(project: Project) -> Iterator[Command]:
    """Files that are called what a target would be: `scripts/test`, `script/setup`, `tests/runtests.py`."""
    for path in project.tree.files:
        runner, named = _test_runner.match(path), _script.match(path)
        name = "test" if runner else named[1] if named and ("/" in path or path.endswith(".sh")) else ""
        if name and purposes.is_exact(name):
            yield declared(name, f"python {path}" if path.endswith(".py") else f"./{path}", "", "", path)


def _recipe(lines: list[str], start: int) -> str:
    """The first line of a recipe that does something, without the marks that only make reads."""
    for line in lines[start : start + 8]:
        if line.strip() and not line[0].isspace():
            break
        body = line.strip().lstrip("@-+").strip()
        if body and not body.startswith(("#", "echo ", "printf ")):
            return body
    return ""


def _is_plain(target: str) -> bool:
    return not set(target) & set("/.%")


def _lines(project: Project, path: str) -> list[str]:
    return list(plain_lines(project.text(path)))
