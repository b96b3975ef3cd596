"""The stories of the demo, read from `stories.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

SUGGESTED: Final = "@suggested"
"""In place of a tool: the call that the last refusal suggested."""


class ScriptedCall(NamedTuple):
    """One call by one agent. `refused` is the code of the refusal that the story expects."""

    agent: str
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


def _call(row: dict[str, Any]) -> ScriptedCall:
    """A row of the file as a call. The head of the file explains the keys."""
    given = dict(row)
    task, _, path = given.pop("at", "").partition(" ")
    if task:
        given["task"] = f"@{task}"
    if path:
        given["path"] = path
    if found := given.pop("confirmed", None):
        given["checkpoints"] = {name: {"confirmed": True, "note": note} for name, note in found.items()}
    if item := given.pop("item", None):
        given["items"] = [{"exit_code": 0, **item} if item["kind"] == "cmd_output" else item]
    own = {key: given.pop(key, None) for key in ("agent", "tool", "names", "refused")}
    return ScriptedCall(**own, arguments=given)
