"""Manifests with scripts: package.json, composer.json, deno.json, pyproject.toml."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command, Origin, Purpose
from gatepost.digest.project import Project, Table, joined, string, table
from gatepost.digest.quoting import quoted
from gatepost.digest.tables import words

LONGEST: Final = 120
_MOST: Final = 60
_LOCKS: Final = (
    ("pnpm-lock.yaml", "pnpm"),
    ("pnpm-workspace.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
)
_LIFECYCLE: Final = words(
    "install preinstall postinstall prepare prepublish prepublishOnly prepack postpack version preversion"
    " postversion"
)
_PYTHON_SCRIPTS: Final = (
    (("tool", "pdm", "scripts"), "pdm run "),
    (("tool", "poe", "tasks"), "poe "),
    (("tool", "taskipy", "tasks"), "task "),
    (("tool", "rye", "scripts"), "rye run "),
    (("tool", "pixi", "tasks"), "pixi run "),
    (("tool", "tox", "env"), "tox -e "),
)


_name = re.compile(r"[A-Za-z0-9@][\w@.:+/-]{0,79}")


def commands(project: Project, place: str) -> Iterator[Command]:
    """The scripts that a directory's manifests declare."""
    yield from _node(project, place)
    composer = table(project.json(joined(place, "composer.json")), "scripts")
    hooks = {name for name in composer if name.startswith(("pre-", "post-"))}
    yield from _listed(composer, "composer run ", place, "composer.json", without=hooks)
    for name in ("deno.json", "deno.jsonc"):
        yield from _listed(table(project.json(joined(place, name)), "tasks"), "deno task ", place, name)
    manifest = project.toml(joined(place, "pyproject.toml"))
    for keys, runner in _PYTHON_SCRIPTS:
        yield from _listed(table(manifest, *keys), runner, place, "pyproject.toml")
    environments = table(manifest, "tool", "hatch", "envs")
    for name in environments:
        runner = "hatch run " if name == "default" else f"hatch run {name}:"
        yield from _listed(table(environments, name, "scripts"), runner, place, "pyproject.toml")


def declared(name: str, text: str, runs: str, place: str, file: str) -> Command:
    """A command that a file of a directory declares under a name."""
    purpose = purposes.of_name(name)
    if purpose is Purpose.RUN and text.startswith(("tox ", "nox ")):
        purpose = Purpose.OTHER  # what they call dev is an environment, not a program
    return Command(
        purpose=purpose,
        text=quoted(text, LONGEST),
        source=quoted(joined(place, file), LONGEST),
        origin=Origin.DECLARED,
        name=name,
        runs=quoted(runs, LONGEST),
        places=(quoted(place, LONGEST),) if place else (),
    )


def node_runner(project: Project, place: str) -> str:
    """The package manager whose lock file is there, here or at the root; a manifest may name it too."""
    for home in dict.fromkeys((place, "")):
        named = string(project.json(joined(home, "package.json")), "packageManager").split("@")[0]
        if named in ("npm", "pnpm", "yarn", "bun"):
            return named
        for lock, runner in _LOCKS:
            if project.has(joined(home, lock)):
                return runner
    return "npm"


def _node(project: Project, place: str) -> Iterator[Command]:
    scripts = table(project.json(joined(place, "package.json")), "scripts")
    if not scripts:
        return
    around = {stage + name for stage in ("pre", "post") for name in scripts}
    runner = node_runner(project, place)
    yield from _listed(scripts, f"{runner} run ", place, "package.json", without=_LIFECYCLE | around)


def _listed(
    scripts: Table, runner: str, place: str, file: str, *, without: frozenset[str] | set[str] = frozenset()
) -> Iterator[Command]:
    """Scripts that are there to be called: not private ones, nor those that run by themselves."""
    for name, value in list(scripts.items())[:_MOST]:
        if _name.fullmatch(name) and name not in without:
            yield declared(name, runner + name, _body(value), place, file)


def _body(value: object) -> str:
    """What a script runs, in whichever of the usual forms it is written."""
    match value:
        case str():
            return value
        case list() if all(isinstance(item, list) for item in value):
            return " && ".join(" ".join(word for word in item if isinstance(word, str)) for item in value)
        case list():
            return " && ".join(item for item in value if isinstance(item, str))
        case dict():
            for key in ("cmd", "shell", "composite", "command", "commands", "script", "call"):
                if value.get(key):
                    return _body(value[key])
    return ""
