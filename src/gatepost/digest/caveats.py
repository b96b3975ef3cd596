"""Caveats that follow from the files of a repository, in our own words.

No sentence of a document is repeated: text by anyone who can open a pull request must not become an instruction to
the agent that reads the digest. Documents for agents are named.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from gatepost.digest.knowledge import KNOWN
from gatepost.digest.languages import GENERATED, VENDORED, is_generated, is_own, submodules
from gatepost.digest.project import Project
from gatepost.digest.sanitizer import code, quoted

MOST: Final = 20

_MOST_NAMED: Final = 4
_LONGEST: Final = 80
_FOR_AGENTS: Final = frozenset(KNOWN.for_agents.split())
_number = (
    r"(?:[<>=~^!]{0,3} ?v?\d[\d.*x]{0,15}(?:[-.]?(?:a|b|c|rc|alpha|beta|dev|pre)[\d.]{0,6})?"
    r"|\*|stable|nightly|lts/\w{1,12})"
)
_version = re.compile(rf"{_number}(?:(?: ?\|\| ?| ?, ?| - | ){_number}){{0,5}}")
"""Version numbers and operators, but no words."""
_image = re.compile(r"(?m)^[ \t]*(?:-[ \t]+)?image:[ \t]*['\"]?([\w./-]{1,200})")


def found(project: Project) -> tuple[str, ...]:
    """What to know before working here, a bounded number of sentences, the most important first."""
    sentences = [
        *_for_agents(project),
        *_versions(project),
        *_surroundings(project),
        *_locks(project),
        *_not_to_edit(project),
    ]
    return tuple(sentences[:MOST])


def instructions(project: Project) -> list[str]:
    """The files with instructions for agents, upper levels first."""
    paths = [path for path in project.tree.files if path.rpartition("/")[2].lower() in _FOR_AGENTS]
    rules = [path for path in project.tree.files if path.startswith(".cursor/rules/")]
    return sorted([*paths, *rules[:1]], key=lambda path: (path.count("/"), path.startswith("."), path))


def _for_agents(project: Project) -> Iterator[str]:
    paths = instructions(project)
    if len(paths) == 1:
        yield f"{_named(paths)} has instructions for agents: read it."
    elif paths:
        yield f"{_named(paths)} have instructions for agents: read those that apply."


def _versions(project: Project) -> Iterator[str]:
    """The versions that files require, each tool once."""
    seen: set[str] = set()
    for held in KNOWN.versions:
        pinned = project.marked(held) if held.says not in seen else None
        plain = " ".join(pinned.value.split()) if pinned else ""
        if pinned and _version.fullmatch(plain):
            seen.add(held.says)
            yield f"Needs {held.says} {code(plain)} ({code(pinned.file)})."


def _surroundings(project: Project) -> Iterator[str]:
    """What the code needs: services, submodules, settings, large files, hooks."""
    for file in ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"):
        images = {image.rpartition("/")[2] for image in _image.findall(project.text(file))}
        services = [name for name in KNOWN.services.split() if any(name in image for image in images)]
        if services:
            yield f"Uses services that {code(file)} starts: {', '.join(services)}."
    modules = submodules(project)
    if modules:
        yield f"Has git submodules ({_named(modules)}): `git submodule update --init --recursive` fetches them."
    for note in KNOWN.notes:
        there = [file for shape in note.files.split() for file in _fitting(project, shape)]
        if there and (not note.inside or project.marked(note)):
            yield note.says.format(_named(there))


def _fitting(project: Project, shape: str) -> list[str]:
    """The root's files that match a glob; for a folder, the folder if it contains files."""
    if shape.endswith("/"):
        return [shape] if project.names(shape.rstrip("/")) else []
    return [name for name in project.names("") if fnmatchcase(name, shape)]


def _locks(project: Project) -> Iterator[str]:
    there = [sorted(lock for lock in locks.split() if project.has(lock)) for locks in KNOWN.locks]
    yield from (f"Has several lock files: {_named(locks)}." for locks in there if len(locks) > 1)


def _not_to_edit(project: Project) -> Iterator[str]:
    vendored = _places(project, VENDORED)
    if vendored:
        yield f"Third-party code is in {_named(vendored)}: change it at its source."
    written = [path for path in project.tree.files if is_generated(path) and is_own(f"{path.rpartition('/')[0]}/x")]
    folders = _places(project, GENERATED)
    if written or folders:
        yield f"Generated code is in {_named(folders or written)}: change what it is generated from."


def _places(project: Project, names: frozenset[str]) -> list[str]:
    """The top-most directories with one of these names."""
    return [
        f"{path}/"
        for path in project.tree.directories
        if path.rpartition("/")[2].lower() in names and is_own(path) and path.count("/") < 3
    ]


def _named(paths: list[str]) -> str:
    shown = ", ".join(code(quoted(path, _LONGEST)) for path in paths[:_MOST_NAMED])
    return shown + (f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else "")
