"""The stories of the demo, read from `stories.toml`."""

import shlex
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

SUGGESTED: Final = "@suggested"
"""In place of a tool: the call that the last refusal suggested."""


class ScriptedCall(NamedTuple):
    """One call by one agent or person. `refused` is the code of the refusal that the story expects."""

    actor: str
    tool: str
    arguments: Mapping[str, Any]
    names: str | None = None
    refused: str | None = None


class Story(NamedTuple):
    """One plan, from the first note to completion."""

    name: str
    title: str
    calls: tuple[ScriptedCall, ...]


@cache
def stories() -> tuple[Story, ...]:
    """All stories, in the order in which they are played."""
    scripts = tomllib.loads(Path(__file__).with_name("stories.toml").read_text(encoding="utf-8"))["stories"]
    return tuple(Story(story["name"], story["title"], tuple(map(_call, story["calls"]))) for story in scripts)


@cache
def commands() -> frozenset[tuple[str, ...]]:
    """Every command that a check of a story runs."""
    found = (check for story in stories() for call in story.calls for check in _checks(call.arguments))
    return frozenset(tuple(shlex.split(check["run"])) for check in found)


def _checks(arguments: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The checks that a call gives to a step, or to the steps that it makes."""
    yield from arguments.get("checks", ())
    for step in arguments.get("steps", ()):
        if isinstance(step, Mapping):
            yield from _checks(step)


def _call(row: dict[str, Any]) -> ScriptedCall:
    """A row of the file as a call. The head of the file explains the keys."""
    given = dict(row)
    task, _, path = given.pop("at", "").partition(" ")
    if task:
        given["task"] = f"@{task}"
    if path:
        given["path"] = path
    if found := given.pop("confirmed", None):
        given["checkpoints"] = {
            name: {"confirmed": True} if note is True else {"confirmed": True, "note": note}
            for name, note in found.items()
        }
    if item := given.pop("item", None):
        given["items"] = [{"exit_code": 0, **item} if item["kind"] == "cmd_output" else item]
    person = given.pop("person", None)
    actor = f"agent:{given.pop('agent')}" if person is None else f"human:{person}"
    own = {key: given.pop(key, None) for key in ("tool", "names", "refused")}
    return ScriptedCall(actor, **own, arguments=given)
