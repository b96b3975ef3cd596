"""Commands that a tool's configuration or a manifest suggests by convention."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import tools
from gatepost.digest.findings import Origin, ProjectCommand, Purpose
from gatepost.digest.knowledge import KNOWN, Custom
from gatepost.digest.languages import is_own
from gatepost.digest.project import Project, joined, table

_PROGRAMS: Final = (
    (re.compile(r"cmd/([\w.-]+)/main\.go"), "go run ./cmd/"),
    (re.compile(r"(?:src/)?(\w+)/__main__\.py"), "python -m "),
)


def commands(project: Project, place: str) -> Iterator[ProjectCommand]:
    """The conventional commands of the tools that a directory's files use."""
    called = tools.called(project, place)
    for custom in KNOWN.customs:
        file = _suggesting(project, place, custom)
        if file:
            for purpose, text in custom.gives.items():
                yield tools.command(
                    purpose, text.format_map({**called, "file": file}), place, file, origin=Origin.CONVENTION
                )
    for path in () if place else project.tree.files:
        for program, runner in _PROGRAMS:
            match = program.fullmatch(path)
            if match and is_own(path):
                yield tools.command(Purpose.RUN, runner + match[1], "", path, origin=Origin.CONVENTION)


def _suggesting(project: Project, place: str, custom: Custom) -> str:
    """The file that suggests a convention; empty if none does."""
    if custom.tool and custom.tool in table(project.at("pyproject.toml tool", place)):
        return "pyproject.toml"
    if custom.section and f"[{custom.section}]" in project.text(joined(place, "setup.cfg")).split("\n"):
        return "setup.cfg"
    found = project.marked(custom, place)
    return found.file if found else ""
