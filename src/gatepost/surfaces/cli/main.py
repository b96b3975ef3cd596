"""The command line: find the command, run it, and end every way there is to end.

`gatepost mcp` is started once for every agent, so nothing heavy may be imported here; a command's own module is
imported when the command is chosen.
"""

from __future__ import annotations

import sys

from gatepost.surfaces.cli import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import ModuleType

_AT_ONCE = (
    "radar",
    "ls",
    "show",
    "handoff",
    "lint",
    "taskdoc",
    "digest",
    "diff",
    "blame",
    "away",
    "call",
    "batch",
    "undo",
    "redo",
    "approve",
    "policy",
    "inbox",
    "answer",
    "block",
    "unblock",
    "claim",
    "release",
    "move",
    "add",
    "step",
    "close",
    "note",
    "done",
    "reopen",
)
"""Commands that ask a store, close it and end."""


def run(argv: list[str]) -> int:
    """Run one command line. Its exit code; never an exception."""
    try:
        code = _run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the edge: every way to end passes here, once
        from gatepost.surfaces.cli.exits import exit_code

        return exit_code(error)
    return code


def leaves_nothing(argv: list[str]) -> bool:
    """Whether the command has closed all that it opened, so that nothing is left to do when Python exits."""
    return bool(argv) and argv[0] in _AT_ONCE


def _run(argv: list[str]) -> int:
    word, *rest = argv or [""]
    if word == "hook" or (word, *rest) == ("help", "hook"):
        from gatepost.surfaces.hooks.main import run as run_hook

        return run_hook(rest if word == "hook" else ["--help"])
    from gatepost.surfaces.cli.command_list import COMMANDS

    if word in COMMANDS:
        return _command(word, rest)
    if word == "__complete":
        from gatepost.surfaces.cli.completion.main import run as complete

        return complete(rest)
    if word in ("--version", "-V"):
        from gatepost import __version__

        print(f"gatepost {__version__}")
    elif word == "help" and rest and rest[0] in COMMANDS:
        return _command(rest[0], ["--help"])
    elif word == "help" and rest:
        _topic(rest[0])
    elif word in ("--help", "-h", "help"):
        from gatepost.surfaces.cli.help_pages import OVERVIEW

        print(OVERVIEW, end="")
    elif not word:
        from gatepost.surfaces.cli.help_pages import SUMMARY

        print(SUMMARY, end="")
    else:
        raise _lost(word)
    return 0


def _command(name: str, words: list[str]) -> int:
    from gatepost.settings import BadSettings
    from gatepost.surfaces.cli.command_list import declared, module_of
    from gatepost.surfaces.cli.parser import unread

    module, options = module_of(name), unread(name, words)
    try:
        options = declared(name).read(words)
        code: int = module.run(options) if hasattr(module, "run") else _answer(module, options)
    except errors.CommandError as error:
        failure = error
    except BadSettings as error:
        failure = errors.BadUsage(str(error), "Correct that setting, then try again.")
    except Exception as error:
        refusal = errors.refused(error)
        if refusal is None:
            raise
        failure = refusal
    else:
        return code
    from gatepost.surfaces.cli.exits import report

    return report(failure, options)


def _answer(module: ModuleType, options: Namespace) -> int:
    """Run a command that asks a store."""
    from gatepost.surfaces.cli.invocation import Invocation

    with Invocation(options) as invocation:
        return module.answer(invocation) or 0


def _topic(name: str) -> None:
    from gatepost.surfaces.cli.help_topics import TOPICS

    if name not in TOPICS:
        raise errors.BadUsage(
            f"there is no command and no topic {name}", f"The topics are: {', '.join(TOPICS)}. See gatepost --help"
        )
    print(TOPICS[name], end="")


def _lost(word: str) -> errors.BadUsage:
    """What to say to a first word that is no command."""
    if word.startswith("-"):
        return errors.BadUsage(
            f"{word} comes before the command", "Put the command first: gatepost radar --workspace acme/repo"
        )
    from difflib import get_close_matches

    from gatepost.surfaces.cli.command_list import COMMANDS

    close = get_close_matches(word, COMMANDS, n=1)
    if close:
        return errors.BadUsage(f"there is no command {word}; did you mean {close[0]}?", "See gatepost --help")
    if word.startswith(("tasks_", "todo_", "taskdoc_", "workspace_", "file_")):
        return errors.BadUsage(f"there is no command {word}", f"To call an operation: gatepost call {word} …")
    return errors.BadUsage(f"there is no command {word}", f"The commands are: {', '.join(COMMANDS)}")
