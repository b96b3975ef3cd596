"""Manifests with scripts: package.json, composer.json, deno.json, pyproject.toml."""

from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command
from gatepost.digest.quoting import quoted
from gatepost.digest.shelf import Shelf, Table, joined, string, table

_LONGEST: Final = 120
_MOST: Final = 60
_LOCKS: Final = (
    ("pnpm-lock.yaml", "pnpm"),
    ("pnpm-workspace.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
)
_PYTHON_SCRIPTS: Final = (
    (("tool", "pdm", "scripts"), "pdm run"),
    (("tool", "poe", "tasks"), "poe"),
    (("tool", "taskipy", "tasks"), "task"),
    (("tool", "rye", "scripts"), "rye run"),
    (("tool", "pixi", "tasks"), "pixi run"),
)


def commands(shelf: Shelf, place: str) -> Iterator[Command]:
    """The scripts that a directory's manifests declare."""
    yield from _node(shelf, place)
    composer = table(shelf.json(joined(place, "composer.json")), "scripts")
    yield from _listed(composer, "composer run", place, "composer.json")
    for name in ("deno.json", "deno.jsonc"):
        yield from _listed(table(shelf.json(joined(place, name)), "tasks"), "deno task", place, name)
    yield from _python(shelf, place)


def node_runner(shelf: Shelf, place: str) -> str:
    """The package manager whose lock file is there, here or at the root; a manifest may name it too."""
    for home in dict.fromkeys((place, "")):
        named = string(shelf.json(joined(home, "package.json")), "packageManager").split("@")[0]
        if named in ("npm", "pnpm", "yarn", "bun"):
            return named
        for lock, runner in _LOCKS:
            if shelf.has(joined(home, lock)):
                return runner
    return "npm"


def _node(shelf: Shelf, place: str) -> Iterator[Command]:
    scripts = table(shelf.json(joined(place, "package.json")), "scripts")
    if not scripts:
        return
    runner = node_runner(shelf, place)
    for command in _listed(scripts, f"{runner} run", place, "package.json"):
        short = command.text.removeprefix(f"{runner} run ")
        hook = any(
            short.startswith(stage) and short.removeprefix(stage) in scripts
            for stage in ("pre", "post")
            if short != stage
        )
        if not hook:  # runs by itself, around the script it is named after
            yield command


def _python(shelf: Shelf, place: str) -> Iterator[Command]:
    manifest = shelf.toml(joined(place, "pyproject.toml"))
    for keys, runner in _PYTHON_SCRIPTS:
        yield from _listed(table(manifest, *keys), runner, place, "pyproject.toml", ".".join(keys))
    environments = table(manifest, "tool", "hatch", "envs")
    for name in environments:
        scripts = table(environments, name, "scripts")
        runner = "hatch run" if name == "default" else f"hatch run {name}:"
        yield from _listed(scripts, runner, place, "pyproject.toml", f"tool.hatch.envs.{name}.scripts")


def _listed(scripts: Table, runner: str, place: str, name: str, section: str = "") -> Iterator[Command]:
    source = joined(place, name) + (f" [{section}]" if section else "")
    for key, value in list(scripts.items())[:_MOST]:
        if key.startswith(("_", "//", "#")) or not key:
            continue
        body = _body(value)
        text = f"{runner}{key}" if runner.endswith(":") else f"{runner} {key}"
        yield Command(
            purpose=purposes.of_target(key, body),
            text=quoted(text, _LONGEST),
            source=quoted(source, _LONGEST),
            about=quoted(body, _LONGEST),
            places=(quoted(place, _LONGEST),) if place else (),
        )


def _body(value: object) -> str:
    """What a script runs, in whichever of the usual forms it is written."""
    match value:
        case str():
            return value
        case list():
            return " && ".join(item for item in value if isinstance(item, str))
        case dict():
            for key in ("cmd", "shell", "composite", "command", "script", "call"):
                if value.get(key):
                    return _body(value[key])
    return ""
