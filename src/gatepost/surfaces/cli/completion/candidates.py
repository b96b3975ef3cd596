"""What a word of a command line may become: commands, options, and what is in the store."""

from __future__ import annotations

import re
from argparse import Action, Namespace

from gatepost.surfaces.cli.completion.command_line import CommandLine
from gatepost.surfaces.cli.root_names import task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gatepost.surfaces.cli.completion.server_reader import ServerReader
    from gatepost.surfaces.cli.completion.store_reader import StoreReader

    Candidate = tuple[str, str]
    Source = Callable[["_Asked"], Iterable[Candidate]]

FILES: list[Candidate] = [("", "files")]
"""Answered where file names are wanted: the shell knows them better."""

_HARMLESS = re.compile(r"[A-Za-z0-9_./:@%+=,-]+\Z")
"""Only such words are offered: no shell takes them for anything but themselves."""
_WHERE_FILES = ("store", "root", "file", "token_file")
_FIXED = {
    "kind": ("plan", "task"),
    "status": ("TODO", "ACTIVE", "DONE"),
    "priority": ("LOW", "MEDIUM", "HIGH", "CRITICAL"),
}


def candidates(words: list[str]) -> list[Candidate]:
    """The completions of the last word, each with a description. `words` are what was typed after `gatepost`."""
    *before, current = words
    if not before or before == ["help"]:
        found = _commands() if not before else [*_commands()[:-1], *_topics()]  # no `help help`
        return _fitting(found, current)
    command = before[0]
    if command == "hook":
        hooks = [
            ("post-tool", "restore what a tool call changed"),
            ("pre-tool", "judge a tool call"),
            ("session-start", "show an agent what waits"),
        ]
        return _fitting(hooks if len(before) == 1 else [], current)
    from gatepost.surfaces.cli.command_list import COMMANDS

    return _of_command(CommandLine(command, before[1:]), current) if command in COMMANDS else []


def _commands() -> list[Candidate]:
    from gatepost.surfaces.cli.command_list import COMMANDS
    from gatepost.surfaces.cli.help_pages import OVERVIEW

    abouts: dict[str, str] = {}
    for line in OVERVIEW.splitlines():
        head, _, about = line.strip().partition("  ")
        for word in re.split(r"[ ,]+", head) if line.startswith("  ") else ():
            abouts.setdefault(word, about.strip())
    names = sorted((*COMMANDS, "hook"))
    return [*((name, abouts.get(name, "")) for name in names), ("help", "this, or of one command")]


def _topics() -> list[Candidate]:
    from gatepost.surfaces.cli.help_topics import TOPICS

    return [(name, text.partition("\n")[0]) for name, text in TOPICS.items()]


def _of_command(line: CommandLine, current: str) -> list[Candidate]:
    name, equals, rest = current.partition("=")
    wanted = line.wants(name) if equals and name.startswith("--") else None
    if wanted is not None:
        found = _values(line, wanted, rest)
        return found if found is FILES else [(f"{name}={word}", about) for word, about in found]
    if line.waiting is not None and not (line.waiting.nargs == "?" and current.startswith("-")):
        return _values(line, line.waiting, current)
    if current.startswith("-") and not line.closed:
        return _fitting(line.options(), current)
    expected = line.expected()
    if expected is not None:
        return _values(line, expected, current)
    return _fitting(line.options(), current) if not line.closed else []


def _values(line: CommandLine, action: Action, current: str) -> list[Candidate]:
    if action.choices is not None:
        return _fitting(_bare(map(str, action.choices)), current)
    if action.dest in _WHERE_FILES or (action.dest == "words" and line.first("verb") == "migrate"):
        return FILES
    if action.dest in _FIXED:
        return _fitting(_bare(_FIXED[action.dest]), current)
    source = _SOURCES.get(action.dest)
    return [] if source is None else _fitting(source(_Asked(line, current)), current)


def _fitting(found: Iterable[Candidate], current: str) -> list[Candidate]:
    return [each for each in found if each[0].startswith(current) and _HARMLESS.match(each[0])]


class _Asked:
    """A value to complete: what is typed already, and the store that has the candidates."""

    def __init__(self, line: CommandLine, current: str) -> None:
        self.line = line
        self.current = current

    def reader(self) -> StoreReader | ServerReader | _NoStore:
        """The store that the command would ask."""
        import os

        from gatepost.surfaces.cli.parser import found_settings, token

        names = ("store", "url", "token_file", "root", "workspace")
        options = Namespace(**{name: self.line.first(name) for name in names})
        found = found_settings(options)
        if found.is_server:
            from gatepost.surfaces.cli.completion.server_reader import ServerReader

            return ServerReader(found.store, token(options, found), found.workspace)
        if not found.is_file or not os.path.isfile(found.store):
            return _NoStore()
        from gatepost.surfaces.cli.completion.store_reader import StoreReader

        return StoreReader(found.store, found.workspace)


class _NoStore:
    """There is no store yet, so nothing in it has a name."""

    def __getattr__(self, _name: str) -> Callable[..., list[Any]]:
        return lambda *_: []


def _taskdoc_words(asked: _Asked) -> Iterable[Candidate]:
    """`[NAME] [SECTION]`, or `NAME PLAN` where it is bound. The name may be left out, but not twice."""
    verb, words = asked.line.first("verb"), asked.line.given.get("words", [])
    if verb == "create" or (verb in ("rename", "archive") and words):
        return []
    if verb == "bind" and words:
        return asked.reader().roots(asked.current, "PLAN") if len(words) == 1 else []
    from gatepost.domain.taskdocs import SELECTORS

    names = [] if words else [(name, "a taskdoc") for name in asked.reader().taskdocs()]
    if verb in ("bind", "rename", "archive") or set(words) & set(SELECTORS):
        return names
    return [*names, *((word, "a section") for word in SELECTORS)]


def _scopes(asked: _Asked) -> Iterable[Candidate]:
    reader = asked.reader()
    return [*reader.roots(asked.current, "TASK"), *((name, "a session") for name in reader.sessions())]


def _steps(asked: _Asked) -> Iterable[Candidate]:
    task = asked.line.first("target")
    return [] if task is None else asked.reader().steps(task_id(task), asked.current)


def _operations(_asked: _Asked) -> Iterable[Candidate]:
    return [(str(each["tool"]["name"]), str(each["tool"]["description"])) for each in _listing()["tools"]]


def _tools(asked: _Asked) -> Iterable[Candidate]:
    """A tool set, or tool names separated by commas. What precedes the last comma stays."""
    before, comma, _ = asked.current.rpartition(",")
    sets = [] if comma else [(name, "a set of tools") for name in _listing()["sets"]]
    return [*sets, *((f"{before}{comma}{name}", about) for name, about in _operations(asked))]


def _listing() -> dict[str, Any]:
    """The operations as `gatepost mcp` lists them: from a file, for the registry takes long to import."""
    import json

    from gatepost.surfaces.mcp.toolbox import LISTING

    with open(LISTING, encoding="utf-8") as file:
        listing: dict[str, Any] = json.load(file)
    return listing


def _types(_asked: _Asked) -> Iterable[Candidate]:
    from gatepost.domain.events import TYPES

    return _bare(TYPES)


def _bare(names: Iterable[str]) -> list[Candidate]:
    return [(name, "") for name in names]


_SOURCES: dict[str, Source] = {
    "workspace": lambda asked: _bare(asked.reader().workspaces()),
    "target": lambda asked: asked.reader().roots(asked.current, "TASK", "PLAN"),
    "step": _steps,
    "to": _steps,
    "under": _steps,
    "plan": lambda asked: asked.reader().roots(asked.current, "PLAN"),
    "scope": _scopes,
    "words": _taskdoc_words,
    "tool": _operations,
    "tools": _tools,
    "types": _types,
    "tag": lambda asked: _bare(asked.reader().labels("tag")),
    "domain": lambda asked: _bare(asked.reader().labels("domain")),
}
