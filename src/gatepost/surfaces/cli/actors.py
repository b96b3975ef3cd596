"""The actor of a command: the person at the terminal, or `cli` in scripts and agents' shells."""

from __future__ import annotations

import os
import sys

from gatepost.domain.people import PERSON, seems_person
from gatepost.surfaces.cli.errors import BadUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.settings import Settings

PROGRAM = "cli"

# What harnesses set in the shells of their agents. Some of these shells have a terminal.
AGENTS_MARKS = (
    *("AI_AGENT", "CLAUDECODE", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"),
    *("COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE"),
)


def actor_of(options: Namespace, settings: Settings) -> str:
    """The name that was given, or the login name of the person at the terminal.

    A person's name counts only from a flag or a variable: a project's file speaks to everyone who works there.
    """
    mark = _agents_mark()
    flag: str | None = getattr(options, "actor", None)
    if flag and seems_person(flag):
        require_person(f"--actor {flag} is a person's name")
    given = settings.actor
    if given and (flag or not seems_person(given) or (os.environ.get("GATEPOST_ACTOR") and not mark)):
        return given
    if mark or not _is_on_terminal():
        return PROGRAM
    return f"{PROGRAM}:{_login()}" if settings.is_server else PERSON + _login()


def has_person() -> bool:
    """Whether a person sits at the terminal: all three streams are one, and it is no agent's shell."""
    return _agents_mark() is None and _is_on_terminal()


def require_person(why: str) -> None:
    """Refuse, in an agent's shell, what only a person may do."""
    if mark := _agents_mark():
        raise BadUsage(
            f"{why}, and this is an agent's shell ({mark} is set)",
            "Ask your user to do it in their own terminal.",
        )


def _agents_mark() -> str | None:
    return next((name for name in AGENTS_MARKS if os.environ.get(name)), None)


def _is_on_terminal() -> bool:
    """All three streams: a program that runs commands for an agent often leaves one as it was."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def _login() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container may run under a number that has no name
        return os.environ.get("USER") or str(os.getuid())
