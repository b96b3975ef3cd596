"""The commands, and the module and parser of each. A module is imported when its command is chosen."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gatepost.surfaces.cli.parser import Parser

COMMANDS = (
    "init",
    *("radar", "ls", "show", "log", "handoff", "lint", "taskdoc", "digest", "diff", "blame", "away"),
    *("check", "call", "batch", "undo", "redo", "mcp", "up", "tui", "doctor", "watch", "completion"),
    *("backup", "restore", "export", "import", "migrate", "trust", "approve", "policy", "notify"),
    *("inbox", "answer", "block", "unblock", "claim", "release", "move"),
    *("add", "step", "close", "note", "done", "reopen"),
)
_SHARED = {
    "redo": "undo",
    "unblock": "block",
    "answer": "block",
    "release": "claim",
    "import": "export",
    "step": "add",
    "reopen": "done",
}
"""Commands that are declared in another one's module."""


def declared(name: str) -> Parser:
    """A command's parser, with all that it takes."""
    from gatepost.surfaces.cli.parser import Parser

    parser = Parser(name)
    module_of(name).declare(parser)
    return parser


def module_of(name: str) -> ModuleType:
    """The module that declares and runs a command."""
    from importlib import import_module

    return import_module(f"gatepost.surfaces.cli.commands.{_SHARED.get(name, name)}")
