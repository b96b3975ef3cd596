"""What the arguments of a verb name: a taskdoc, a section, revisions; and their current text."""

import os
import re
from argparse import Namespace
from collections import deque
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain.taskdocs import SELECTORS
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.suggested_commands import joined

HELP: Final = "See gatepost taskdoc --help"

_SECTIONS: Final = f"{', '.join(SELECTORS[:-1])} or {SELECTORS[-1]}"
_WITH_SECTION: Final = ("edit", "diff")
_REVISIONS: Final = {"diff": (1, 2), "restore": (0, 1)}
_REVISION: Final = re.compile(r"[0-9]{1,9}")
_FILE: Final = re.compile(r"[./\\]")
_PACKAGE: Final = re.compile(r"(?i)\.tsk[/\\]*\Z")


class Target(NamedTuple):
    """A taskdoc (none: the only one), a section (none: all of it) and revisions of that."""

    taskdoc: str | None
    selector: str | None
    revisions: tuple[int, ...]

    def arguments(self) -> dict[str, Any]:
        """The two names, as operations take them."""
        named = {"taskdoc": self.taskdoc, "selector": self.selector}
        return {name: value for name, value in named.items() if value is not None}


def target(options: Namespace) -> Target:
    """What `[NAME] [SECTION] [REVISION…]` names. A section's word is never a name: so the name can be left out."""
    words = deque[str](options.words)
    name = None if not words or words[0] in SELECTORS else taskdoc_name(words.popleft())
    selector = _section(words.popleft()) if words else None
    if selector is None and options.verb in _WITH_SECTION:
        raise BadUsage(f"{options.verb} needs a section: {_SECTIONS}", HELP)
    least, most = _REVISIONS.get(options.verb, (0, 0))
    if len(words) < least:
        raise BadUsage(f"{options.verb} needs a revision", "See gatepost taskdoc history")
    if len(words) > most:
        raise BadUsage(f"{options.verb} does not take {words[most]}", HELP)
    return Target(name, selector, tuple(map(_revision, words)))


def taskdoc_name(word: str) -> str:
    """A word that can be a taskdoc's name. A file is not used as a taskdoc: the refusal names the migration."""
    if word in SELECTORS:
        raise BadUsage(f"{word} is the name of a section", "Choose another name for the taskdoc.")
    if _PACKAGE.search(word):
        bare = os.path.basename(_PACKAGE.sub("", word)) or "NAME"
        raise BadUsage(
            f"{word} is a file name, not a taskdoc's name",
            f"Name the taskdoc: {bare}. If it is a single file, rename it to FILE.md and migrate it with"
            " gatepost taskdoc migrate FILE.md",
        )
    if _FILE.search(word):
        raise BadUsage(
            f"{word} is a file name, and a single file cannot be used as a taskdoc",
            f"Migrate it first: {joined(['taskdoc', 'migrate', word])}",
        )
    return word


def recalled(invocation: Invocation, asked: dict[str, Any]) -> dict[str, Any]:
    """The current text of a section or a whole taskdoc. Raises `NothingFound` if there is no taskdoc."""
    found: dict[str, Any] = msgspec.json.decode(invocation.ask("recall_mind", {**asked, "max_chars": ROOM}))
    if found["taskdoc"] is None:
        named = {"workspace": asked["workspace"], "name": "main"}
        if found.get("archived"):
            raise NothingFound(
                f"every taskdoc in {asked['workspace']} is archived",
                "See gatepost taskdoc archive for their names, or create one:",
                {"tool": "taskdoc_create", "arguments": named},
            )
        raise NothingFound(
            f"there is no taskdoc in {asked['workspace']} yet",
            "Create one, with a name of your choice:",
            {"tool": "taskdoc_create", "arguments": named},
        )
    return found


def address(invocation: Invocation, present: dict[str, Any]) -> dict[str, Any]:
    """The arguments that name a section again, whatever taskdocs are made meanwhile."""
    named = {name: present[name] for name in ("taskdoc", "selector")}
    return {"workspace": invocation.workspace(), **named}


def _section(word: str) -> str:
    if word not in SELECTORS:
        raise BadUsage(f"{word} is not a section", f"The sections are {_SECTIONS}.")
    return word


def _revision(word: str) -> int:
    if not _REVISION.fullmatch(word):
        raise BadUsage(f"{word} is not a revision number", "See gatepost taskdoc history")
    return int(word)
