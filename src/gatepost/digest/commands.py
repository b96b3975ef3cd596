"""Commands: everything that the repository's files declare or suggest, each once, the surest first."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from gatepost.digest import documents
from gatepost.digest.findings import Command, Purpose, Standing
from gatepost.digest.shelf import Shelf
from gatepost.digest.sources import customs, recipes, scripts, targets

MOST: Final = 400

_MANIFESTS: Final = frozenset(
    {
        *(
            "pyproject.toml",
            "setup.py",
            "setup.cfg",
            "package.json",
            "Cargo.toml",
            "go.mod",
            "pom.xml",
            "build.gradle",
        ),
        *("build.gradle.kts", "composer.json", "Gemfile", "CMakeLists.txt", "mix.exs", "Makefile", "justfile"),
        *("Taskfile.yml", "deno.json", "Package.swift"),
    }
)
_NO_HOMES: Final = frozenset(
    {
        *("test", "tests", "testdata", "fixtures", "examples", "example", "vendor", "third_party", "templates"),
        *("docs", "doc", "bench", "benchmarks", "samples", "template", "e2e", "deps", "external"),
    }
)
_DEEPEST_HOME: Final = 3
_MOST_HOMES: Final = 8


def found(shelf: Shelf) -> tuple[Command, ...]:
    """All commands, by purpose, then by how surely they are meant, the root's before those below it."""
    order = list(Purpose)
    ordered = sorted(
        _merged(_all(shelf)),
        key=lambda command: (order.index(command.purpose), command.standing.value, bool(command.places)),
    )
    return tuple(ordered[:MOST])


def homes(shelf: Shelf) -> list[str]:
    """The directories below the root that have a manifest of their own, upper ones first, a bounded number."""
    places: set[str] = set()
    for path in shelf.tree.files:
        place, _, name = path.rpartition("/")
        if (
            place
            and name in _MANIFESTS
            and place.count("/") < _DEEPEST_HOME
            and _NO_HOMES.isdisjoint(place.split("/"))
        ):
            places.add(place)
    return sorted(places, key=lambda place: (place.count("/"), place))[:_MOST_HOMES]


def _all(shelf: Shelf) -> Iterator[Command]:
    places = ["", *homes(shelf)]
    for place in places:
        yield from targets.commands(shelf, place)
        yield from scripts.commands(shelf, place)
    yield from recipes.of_documents(shelf, documents.guides(shelf))
    yield from recipes.of_ci(shelf)
    for place in places:
        yield from customs.commands(shelf, place)


def _merged(commands: Iterable[Command]) -> list[Command]:
    """Each command line once: as its first and surest source has it, with every directory that declares it."""
    held: dict[str, Command] = {}
    for command in commands:
        first = held.setdefault(command.text, command)
        new = set(command.places) - set(first.places)
        # What the root declares, or any tool's custom, is said once for all.
        if new and first.places and command.standing is Standing.DECLARED:
            held[command.text] = replace(first, places=(*first.places, *sorted(new)))
    return list(held.values())
