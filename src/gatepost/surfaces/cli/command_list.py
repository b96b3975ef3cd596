"""The commands, and the module and parser of each. A module is imported when its command is chosen."""

from importlib import import_module
from types import ModuleType

from gatepost.surfaces.cli.parser import Parser

COMMANDS = (
    *("radar", "ls", "show", "log", "handoff", "lint", "taskdoc", "digest"),
    *("call", "batch", "undo", "redo", "mcp", "up", "tui", "doctor", "watch", "completion"),
    *("backup", "restore"),
)


def declared(name: str) -> Parser:
    """A command's parser, with all that it takes."""
    parser = Parser(name)
    module_of(name).declare(parser)
    return parser


def module_of(name: str) -> ModuleType:
    """The module that declares and runs a command."""
    return import_module(f"gatepost.surfaces.cli.commands.{'undo' if name == 'redo' else name}")
