"""Reading a command's words, with the options that all commands share."""

from __future__ import annotations

import os
import sys

from gatepost.settings import SERVERS, settings
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.root_names import plan_id, task_id
from gatepost.surfaces.cli.stand_ins import import_argparse

import_argparse()

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter  # noqa: E402 - without gettext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action
    from typing import Any, NoReturn

    from gatepost.settings import Settings

_NARROWEST, _WIDEST = 50, 100
_TARGETS = {
    "TASK": "a task: TASK-001, task-1 or 1",
    "PLAN": "a plan: PLAN-001, plan-1 or 1",
    "TARGET": "a task or plan: TASK-001, task-1 or 1; PLAN-001 or plan-1",
}
_STEP = "a step: its path (s:0.s:2 or 0.2), its id, or how its title begins"
_LONGEST_TOKEN = 4096
_SHARED = ("actor", "json", "store", "url", "token_file", "root", "workspace")
"""Options of most commands: explained once, in `gatepost help settings`."""
_SAME_FILE = "Use the same file as the server: gatepost up --token-file F"


class Parser(ArgumentParser):
    """The parser of one command. What it cannot read it says in a sentence, not in a wall of usage."""

    def __init__(self, command: str) -> None:
        super().__init__(prog=f"gatepost {command}", formatter_class=_Formatter, allow_abbrev=False)
        self.command = command
        self.set_defaults(command=command, json=False)
        self._examples = self._exits = self._variables = ""

    def add_argument(self, *names: str, **settings: Any) -> Action:
        """Declare an argument. Unlike the parser, its groups do not create a help formatter for each one."""
        group = self._optionals if names[0].startswith("-") else self._positionals
        return group.add_argument(*names, **settings)

    def describe(self, about: str, *, examples: str, exits: str = "", variables: str = "") -> None:
        """What the command does, and what people type.

        `exits` are lines for exit codes that mean something of their own here; `variables`, for what else it reads
        from the environment. What all commands have in common is added when help is asked for.
        """
        self.description = about
        self._examples, self._exits, self._variables = examples, exits, variables

    def format_help(self) -> str:
        """The manual of the command, without what all commands have in common."""
        from gatepost.surfaces.cli.help_pages import end

        formatter = self._get_formatter()
        own = self._own()
        shared = [action.option_strings[-1] for action in self._actions if action.dest in _SHARED]
        formatter.add_usage(self.usage, own, [])
        formatter.add_text(self.description)
        for title, options in (("arguments", False), ("options", True)):
            formatter.start_section(title)
            formatter.add_arguments([action for action in own if bool(action.option_strings) == options])
            formatter.end_section()
        return formatter.format_help() + end(shared, self._exits, self._variables, self._examples)

    def _own(self) -> list[Action]:
        """What this command takes and others do not."""
        return [action for action in self._actions if action.dest not in (*_SHARED, "help")]

    def _usage(self) -> str:
        """The first line of the help. While words are read, argparse hides the arguments from itself."""
        formatter = self._get_formatter()
        formatter.add_usage(None, self._own(), [])
        return formatter.format_help().partition(" ")[2].rstrip().replace("%", "%%")

    def add_target(self, metavar: str = "TASK", *, optional: bool = False, about: str = "") -> None:
        """The plan or task that the command is about, however a person types its id."""
        self.add_argument(
            "target",
            metavar=metavar,
            nargs="?" if optional else None,
            type=plan_id if metavar == "PLAN" else task_id,
            help=about or _TARGETS[metavar],
        )

    def add_step(self, *, optional: bool = True, about: str = "") -> None:
        """The step that the command is about."""
        self.add_argument("step", metavar="STEP", nargs="?" if optional else None, help=about or _STEP)

    def add_plan(self, about: str) -> None:
        """The choice of a plan."""
        self.add_argument("--plan", metavar="PLAN", type=plan_id, help=about)

    def add_place(self, *, server: bool = True) -> None:
        """Where the store is, and which workspace of it. `server` says that the command can ask a server, too."""
        group = self.add_argument_group("where")
        kinds = f"a file, sqlite:///path, postgresql://host/database{' or http://host:port' if server else ''}"
        group.add_argument(
            "--store",
            metavar="URL",
            help=f"{kinds} (GATEPOST_STORE; default: ROOT/.gatepost/gatepost.db)",
        )
        if server:
            group.add_argument(
                "--url", metavar="URL", help="a server's address, the same as --store http://host:port"
            )
            group.add_argument(
                "--token-file", metavar="F", help="a file with the token that the server needs (GATEPOST_TOKEN)"
            )
        group.add_argument(
            "--root",
            metavar="DIR",
            help="the project's folder (GATEPOST_ROOT; default: the nearest with .gatepost or .git)",
        )
        group.add_argument(
            "--workspace", metavar="W", help="for example acme/repo (GATEPOST_WORKSPACE, gatepost.toml)"
        )

    def add_actor(self) -> None:
        """The choice of the name in the log."""
        self.add_argument(
            "--actor",
            metavar="A",
            help="the name in the log (GATEPOST_ACTOR; default: human: and your login, or cli without a terminal)",
        )

    def add_at(self) -> None:
        """The choice of a moment in the past."""
        from gatepost.surfaces.cli.moments import FORMS, moment

        self.add_argument("--at", metavar="WHEN", type=moment, help=f"as it was then: {FORMS}")

    def add_json(self) -> None:
        """The choice of the plain reply."""
        self.add_argument("--json", action="store_true", help="print the reply as JSON, unchanged")

    def add_quiet(self, what: str) -> None:
        """The choice of less than people read: what scripts need, or nothing."""
        self.add_argument("-q", "--quiet", action="store_true", help=what)

    def actions(self) -> list[Action]:
        """All that the command takes, in the order it was declared."""
        return list(self._actions)

    def read(self, words: list[str]) -> Namespace:
        """The options that the words spell."""
        helps = any(word.startswith("-") and "h" in word for word in words)  # -h, --help, -qh
        self.usage = self._usage() if helps else ""  # argparse would write it out for every call
        return self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        """Refuse the words."""
        raise BadUsage(f"{self.prog}: {message}", f"See {self.prog} --help", prefix="")


def unread(command: str, words: list[str]) -> Namespace:
    """What is known of the options before they are read: enough to complain in the right form."""
    return Namespace(command=command, json="--json" in words, store=None, root=None)


def found_settings(options: Namespace) -> Settings:
    """The settings, with a command's flags first."""
    flags = {name: getattr(options, name, None) for name in ("store", "workspace", "actor", "tools")}
    url: str | None = getattr(options, "url", None)
    if url is not None:
        if flags["store"] is not None:
            raise BadUsage("--url and --store name two stores", "Give one of them.")
        if not url.startswith(SERVERS):
            raise BadUsage(f"--url {url} is not a server's address", "Write it as --url http://127.0.0.1:4870")
        flags["store"] = url
    return settings(flags, options.root)


def say_ignored(found: Settings) -> Settings:
    """Say on stderr which settings of the project's file are ignored, if any are."""
    if found.ignored is not None and sys.stderr is not None:
        print(f"gatepost: {found.ignored}", file=sys.stderr)
    return found


def file_settings(options: Namespace) -> Settings:
    """The settings of a command that works on the store's file itself."""
    found = say_ignored(found_settings(options))
    refuse_server(options, found)
    return found


def refuse_server(options: Namespace, found: Settings) -> None:
    """Refuse a server where the command works on the store's file."""
    if found.is_server:
        other = f" For an agent, use the server's own MCP at {found.store}/mcp." if options.command == "mcp" else ""
        raise BadUsage(
            f"gatepost {options.command} works on a store's file, and {found.store} is a server",
            f"Run it where the file is, with --store and the file's path.{other}",
        )


def token(options: Namespace, found: Settings) -> str | None:
    """The token to send to the server, if there is one."""
    path: str | None = getattr(options, "token_file", None)
    if not found.is_server:
        if path is not None:
            raise BadUsage("--token-file is for servers", "Give the server's address, too: --url http://host:port")
        return None
    if path is None:
        return os.environ.get("GATEPOST_TOKEN") or None
    try:
        with open(path, encoding="ascii") as file:
            held = file.read(_LONGEST_TOKEN).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadUsage(f"cannot read --token-file {path}: {error}", _SAME_FILE) from None
    if not held or not held.isprintable() or " " in held:
        raise BadUsage(f"--token-file {path} must contain one token and nothing else", _SAME_FILE)
    return held


class _Formatter(RawDescriptionHelpFormatter):
    """As wide as the terminal. Finding that out here spares argparse the import of shutil on every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=max(_NARROWEST, min(_columns(), _WIDEST)) - 2)


def _columns() -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 80
