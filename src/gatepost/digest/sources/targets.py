"""Files of named targets: Makefile, justfile, Taskfile, Rakefile, noxfile, tox.ini."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.shelf import Shelf, joined

_LONGEST: Final = 120
_MOST: Final = 80

_make = re.compile(r"^([A-Za-z0-9][\w./%-]*(?: +[\w./%-]+)*) *::?(?![=:])([^#]*)(?:#+(.*))?$")
_just = re.compile(r"^@?([A-Za-z][\w-]*)((?:\s+[*+$]?\w[^:]*)?):(?!=)")
_task = re.compile(r"^  (?:(['\"])([\w:.-]+)\1|([\w:.-]+)):\s*$")
_nox_name = re.compile(r"^def\s+(\w+)\s*\(")
_tox_section = re.compile(r"^\[testenv:([\w.-]+)\]")
_tox_commands = re.compile(r"^commands\s*=\s*(.*)$")
_rake = re.compile(r"^\s*task\s+(?:\(?\s*)?[:'\"]?(\w+)")
_yaml_value = re.compile(r"^\s+(?:-\s+)?(?:cmd|desc|summary|cmds):\s*(.*)$|^\s+-\s+(.*)$")


def commands(shelf: Shelf, place: str) -> Iterator[Command]:
    """The targets that a directory's files declare."""
    for name in ("GNUmakefile", "makefile", "Makefile"):
        if shelf.has(joined(place, name)):
            yield from _makefile(shelf, place, name)
            break
    for name in ("justfile", "Justfile", ".justfile"):
        yield from _justfile(shelf, place, name)
    for name in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"):
        yield from _taskfile(shelf, place, name)
    yield from _described(shelf, place, "Rakefile", _rake, "rake", re.compile(r"^\s*desc\s+['\"](.*)['\"]"))
    yield from _noxfile(shelf, place)
    yield from _tox(shelf, place)


def _makefile(shelf: Shelf, place: str, name: str) -> Iterator[Command]:
    lines = [line for _, line in plain_lines(shelf.text(joined(place, name)))]
    seen: set[str] = set()
    for at, line in enumerate(lines):
        match = _make.match(line)
        if not match or len(seen) >= _MOST:
            continue
        note, above = match[3] or "", lines[at - 1] if at else ""
        if not note and above.startswith("##"):
            note = above.lstrip("# ")
        recipe = _recipe(lines, at + 1)
        about = note or recipe or match[2]
        for target in match[1].split():
            if target in seen or "/" in target or "." in target or "%" in target:
                continue
            seen.add(target)
            yield _command(f"make {target}", target, recipe, about, place, name)


def _justfile(shelf: Shelf, place: str, name: str) -> Iterator[Command]:
    lines = [line for _, line in plain_lines(shelf.text(joined(place, name)))]
    for at, line in enumerate(lines):
        match = _just.match(line)
        if not match or match[1] in ("set", "alias", "export", "import", "mod"):
            continue
        above = lines[at - 1] if at else ""
        note = above.lstrip("# ") if above.startswith("#") else ""
        recipe = _recipe(lines, at + 1)
        private = match[1].startswith("_") or above.startswith("[private]")
        if not private:
            yield _command(f"just {match[1]}", match[1], recipe, note or recipe, place, name)


def _taskfile(shelf: Shelf, place: str, name: str) -> Iterator[Command]:
    """Line by line, for the usual indentation of two: whatever is written otherwise is passed over."""
    lines = [line for _, line in plain_lines(shelf.text(joined(place, name)))]
    inside = False
    for at, line in enumerate(lines):
        if line[:1].strip() and not line.startswith("#"):
            inside = line.startswith("tasks:")
        match = _task.match(line) if inside else None
        if match:
            target = match[2] or match[3]
            about = _first_value(lines, at + 1)
            yield _command(f"task {target}", target, about, about, place, name)


def _first_value(lines: list[str], start: int) -> str:
    for line in lines[start : start + 12]:
        if not line.startswith("   "):
            break
        match = _yaml_value.match(line)
        value = (match[1] or match[2] or "").strip().strip("'\"") if match else ""
        if value:
            return value
    return ""


def _noxfile(shelf: Shelf, place: str) -> Iterator[Command]:
    session = False
    for _, line in plain_lines(shelf.text(joined(place, "noxfile.py"))):
        match = _nox_name.match(line)
        if line.startswith("@") and "session" in line:
            session = True
        elif match:
            if session:
                yield _command(f"nox -s {match[1]}", match[1], "", "", place, "noxfile.py")
            session = False


def _tox(shelf: Shelf, place: str) -> Iterator[Command]:
    lines = [line for _, line in plain_lines(shelf.text(joined(place, "tox.ini")))]
    target = ""
    for at, line in enumerate(lines):
        section, run = _tox_section.match(line), _tox_commands.match(line)
        if line.startswith("["):
            target = section[1] if section else ""
        elif run and target:
            recipe = run[1] or _recipe(lines, at + 1)
            yield _command(f"tox -e {target}", target, recipe, recipe, place, "tox.ini")


def _described(
    shelf: Shelf, place: str, name: str, target: re.Pattern[str], runner: str, describe: re.Pattern[str]
) -> Iterator[Command]:
    about = ""
    for _, line in plain_lines(shelf.text(joined(place, name))):
        described, match = describe.match(line), target.match(line)
        if described:
            about = described[1]
        elif match:
            yield _command(f"{runner} {match[1]}", match[1], "", about, place, name)
            about = ""


def _recipe(lines: list[str], start: int) -> str:
    """The first line of a recipe, without the marks that only make reads."""
    for line in lines[start : start + 8]:
        if line.strip() and not line[0].isspace():
            break
        body = line.strip().lstrip("@-+").strip()
        if body and not body.startswith("#"):
            return body
    return ""


def _command(text: str, target: str, recipe: str, about: str, place: str, name: str) -> Command:
    return Command(
        purpose=purposes.of_target(target, recipe),
        text=quoted(text, _LONGEST),
        source=quoted(joined(place, name), _LONGEST),
        about=quoted(about, _LONGEST),
        places=(quoted(place, _LONGEST),) if place else (),
    )
