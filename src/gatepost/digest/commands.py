"""The commands that the repository's files declare or suggest, each once, the best first."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from gatepost.digest import command_sources, ecosystems, purposes
from gatepost.digest.findings import Origin, ProjectCommand, Purpose
from gatepost.digest.languages import is_own
from gatepost.digest.project import Project

MOST: Final = 400

_ORDER: Final = {purpose: place for place, purpose in enumerate(Purpose)}
_DEEPEST_HOME: Final = 3
_MOST_HOMES: Final = 8
_HOME_FILES: Final = ("Makefile", "justfile", "Taskfile.yml", "compose.yaml")


def found(project: Project, language: str) -> tuple[ProjectCommand, ...]:
    """All commands by purpose, and for each purpose the best first: those of the main language, then the root's."""
    native = ecosystems.of_language(language)
    ranked = []
    for at, command in enumerate(_merged(_all(project))):
        ecosystem = ecosystems.of_file(command.source)
        foreign = bool(ecosystem and native and ecosystem != native)
        inexact, place = purposes.exactness(command.name, command.purpose) if command.name else (0, 0)
        # A command for a part comes after a convention, which covers everything.
        tier = (0, 1, 3)[inexact] if command.origin is Origin.DECLARED else 2
        partial = foreign or (inexact == 2 and command.purpose is not Purpose.TEST)
        key = (_ORDER[command.purpose], foreign, bool(command.places), tier, place, at)
        ranked.append((key, replace(command, partial=partial)))
    return tuple(command for _, command in sorted(ranked)[:MOST])


def homes(project: Project) -> list[str]:
    """The directories below the root that have a manifest of their own, upper ones first, a bounded number."""
    places: set[str] = set()
    for path in project.tree.files:
        place, _, name = path.rpartition("/")
        manifest = name in _HOME_FILES or ecosystems.of_file(name) not in ("", "c")
        if place and manifest and place.count("/") < _DEEPEST_HOME and is_own(f"{place}/x"):
            places.add(place)
    return sorted(places, key=lambda place: (place.count("/"), place))[:_MOST_HOMES]


def _all(project: Project) -> Iterator[ProjectCommand]:
    places = ["", *homes(project)]
    for place in places:
        yield from command_sources.declared(project, place)
    for place in places:
        yield from command_sources.conventional(project, place)


def _merged(commands: Iterable[ProjectCommand]) -> list[ProjectCommand]:
    """Each command line once: as in its first source, with every directory that declares it."""
    held: dict[str, ProjectCommand] = {}
    for command in commands:
        first = held.setdefault(command.text, command)
        new = set(command.places) - set(first.places)
        if new and first.places:  # what the root has is said once for all
            held[command.text] = replace(first, places=(*first.places, *sorted(new)))
    return list(held.values())
