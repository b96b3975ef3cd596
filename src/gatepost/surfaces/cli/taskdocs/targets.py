"""What the arguments of a verb name: a taskdoc, a section, revisions; and their current text."""

import os
import re
from argparse import Namespace
from collections import deque
from typing import Any, Final, NamedTuple

from gatepost.domain.taskdocs import SELECTORS
from gatepost.operations.recall import RecallMind
from gatepost.replies.taskdocs import RecallReply
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


class SectionTarget(NamedTuple):
    """A section as it is now. `address` names it again in a call, whatever taskdocs are created meanwhile."""

    address: dict[str, Any]
    taskdoc: str
    selector: str
    revision: int
    present: RecallReply

    @property
    def edit(self) -> str:
        """How its file on disk differs from the log; empty if it does not."""
        return "" if self.present.edited is None else self.present.edited.diff


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


def recalled(invocation: Invocation, workspace: str, named: Target) -> RecallReply:
    """The current text of a section or a whole taskdoc. Raises `NothingFound` if there is no taskdoc."""
    found = invocation.client.do(RecallMind(workspace=workspace, max_chars=ROOM, **named.arguments()))
    if found.taskdoc is None:
        if found.archived:
            what = f"every taskdoc in {workspace} is archived"
            recovery = "See gatepost taskdoc archive for their names, or create one:"
        else:
            what = f"there is no taskdoc in {workspace} yet"
            recovery = "Create one, with a name of your choice:"
        named_main = {"workspace": workspace, "name": "main"}
        raise NothingFound(what, recovery, {"tool": "taskdoc_create", "arguments": named_main})
    return found


def section(invocation: Invocation, named: Target) -> SectionTarget:
    """The current text of a section."""
    workspace = invocation.workspace()
    found = recalled(invocation, workspace, named)
    return SectionTarget(
        {"workspace": workspace, "taskdoc": found.taskdoc, "selector": found.selector},
        str(found.taskdoc),
        str(found.selector),
        found.revision or 0,
        found,
    )


def _section(word: str) -> str:
    if word not in SELECTORS:
        raise BadUsage(f"{word} is not a section", f"The sections are {_SECTIONS}.")
    return word


def _revision(word: str) -> int:
    if not _REVISION.fullmatch(word):
        raise BadUsage(f"{word} is not a revision number", "See gatepost taskdoc history")
    return int(word)
