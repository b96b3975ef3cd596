"""Ecosystems: the languages, files and frameworks that belong together."""

import re
from fnmatch import fnmatchcase
from typing import Final

from gatepost.digest.knowledge import KNOWN
from gatepost.digest.project import Project, strings, table

_BY_LANGUAGE: Final = {name: key for key, family in KNOWN.family.items() for name in family.languages.split()}
_BY_FILE: Final = {name: key for key, family in KNOWN.family.items() for name in family.files.split()}
_MOST: Final = 4
_MOST_SEARCHED: Final = 4
_requirement = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)")


def of_language(language: str) -> str:
    """The ecosystem of a language; empty if unknown."""
    return _BY_LANGUAGE.get(language, "")


def of_file(path: str) -> str:
    """The ecosystem of a file, by its name or extension; empty if any project may have it."""
    name = path.rpartition("/")[2]
    return _BY_FILE.get(name) or _BY_FILE.get(name[name.rfind(".") :], "")


def frameworks(project: Project, ecosystem: str) -> tuple[str, ...]:
    """The labels of a few frameworks that the manifests of this ecosystem require."""
    family = KNOWN.family.get(ecosystem)
    if family is None or not family.frameworks:
        return ()
    asked = {name for where in family.asked for name in _asked(project, where)}
    text = "" if asked else _searched(project, family.mentioned.split())
    found = [label for name, label in family.frameworks.items() if name in asked or _mentions(text, name)]
    return tuple(found[:_MOST])


def _asked(project: Project, where: str) -> set[str]:
    """The dependencies in a manifest, from a table or a list."""
    held = project.at(where)
    names = {*table(held), *strings(held)}
    if not where.startswith("pyproject.toml"):
        return names
    return {match[1].lower().replace("_", "-") for name in names if (match := _requirement.match(name))}


def _searched(project: Project, shapes: list[str]) -> str:
    paths = [path for path in project.tree.files if any(fnmatchcase(path, shape) for shape in shapes)]
    text = "\n".join(project.text(path) for path in paths[:_MOST_SEARCHED])
    return re.sub(r"(?m)^module .*$", "", text)  # in go.mod, the name of the project itself


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?i)(?<![\w/-]){re.escape(name)}(?![\w-])", text) is not None
