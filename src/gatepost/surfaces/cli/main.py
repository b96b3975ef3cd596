"""The command line: find the command, run it, and end every way there is to end.

`gatepost mcp` is started once for every agent, so nothing heavy may be imported here; a command's own module is
imported when the command is chosen.
"""

from __future__ import annotations

import sys

from gatepost.surfaces.cli import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gatepost.surfaces.cli.parser import Parser

COMMANDS = (
    *("radar", "ls", "show", "log", "handoff", "lint", "taskdoc", "digest"),
    *("call", "batch", "undo", "redo", "mcp", "up", "tui", "doctor", "watch", "completion"),
    *("backup", "restore"),
)


def run(argv: list[str]) -> int:
    """Run one command line. Its exit code; never an exception."""
    try:
        code = _run(argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the edge: every way to end passes here, once
        return errors.exit_code(error)
    return code


def _run(argv: list[str]) -> int:
    word, *rest = argv or [""]
    if word == "hook" or (word, *rest) == ("help", "hook"):
        from gatepost.surfaces.hooks.main import run as run_hook

        return run_hook(rest if word == "hook" else ["--help"])
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
    from gatepost.surfaces.cli.parser import unread

    module = _module(name)
    parser = declared(name)
    options = unread(name, words)
    try:
        options = parser.read(words)
        code: int = module.run(options)
    except errors.CommandError as error:
        return errors.report(error, options)
    except BadSettings as error:
        return errors.report(errors.BadUsage(str(error), "Correct that setting, then try again."), options)
    except Exception as error:
        refusal = errors.refused(error)
        if refusal is None:
            raise
        return errors.report(refusal, options)
    return code


def declared(name: str) -> Parser:
    """A command's parser, with all that it takes."""
    from gatepost.surfaces.cli.parser import Parser

    parser = Parser(name)
    _module(name).declare(parser)
    return parser


def _module(name: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"gatepost.surfaces.cli.commands.{'undo' if name == 'redo' else name}")


def _lost(word: str) -> errors.BadUsage:
    """What to say to a first word that is no command."""
    if word.startswith("-"):
        return errors.BadUsage(
            f"{word} comes before the command", "Put the command first: gatepost radar --workspace acme/repo"
        )
    from difflib import get_close_matches

    close = get_close_matches(word, COMMANDS, n=1)
    if close:
        return errors.BadUsage(f"there is no command {word}; did you mean {close[0]}?", "See gatepost --help")
    if word.startswith(("tasks_", "todo_", "taskdoc_", "workspace_", "file_")):
        return errors.BadUsage(f"there is no command {word}", f"To call an operation: gatepost call {word} …")
    return errors.BadUsage(f"there is no command {word}", f"The commands are: {', '.join(COMMANDS)}")
